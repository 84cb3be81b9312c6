// Package packet reads and writes the frames that hosts and switches exchange: Ethernet with up to
// two VLAN tags, ARP, LLDP, IPv4, IPv6, ICMP, neighbour discovery, TCP, UDP and SCTP ports.
//
// The problem: a controller looks at every packet-in, millions a second, and mostly wants a few
// fields of it; an emulated switch wants all fields a match may name; and both get frames that an
// attacker wrote. So there are three ways to read, from cheap to complete, and none of them
// allocates or panics:
//
//   - ParseEthernet gives addresses, tag and type of a frame: a few nanoseconds, for the fast path.
//   - ParseKey fills a Key with every field that an OpenFlow match can name, and says where it had
//     to stop.
//   - Views (ARP, IPv4, IPv6, ICMP, ND, TCP, UDP) are byte slices with accessors. Valid
//     is checked first; after it no accessor panics. A view owns nothing: it lives as long as the
//     bytes.
//
// Builders append a whole frame, checksums included, to the caller's buffer. Most take a Key as
// their template, so that ParseKey of what was built yields the template again.
//
// Fields have the byte order of the host. Where a frame is odd (802.3 lengths, fragments, IPv6
// extension headers, doubled neighbour-discovery options), the meaning is that of Open vSwitch's
// lib/flow.c, because its switches match by it; ParseKey differs from it in accepting frames that a
// packet-in cut short, see LayerTruncated.
//
// The package is pure: standard library only, no state, no clocks.
package packet
