package proxyarp

import (
	"bytes"
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
	"github.com/insomniacslk/dhcp/dhcpv6"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// The ports of DHCP: servers' and clients' of IPv4 (RFC 2131, 4.1), clients' and servers' of IPv6
// (RFC 8415, 7.2).
const (
	portServer4, portClient4 = 67, 68
	portClient6, portServer6 = 546, 547
)

// portOfDHCP is quickly false for almost all other ports.
func portOfDHCP(port uint16) bool {
	return port == portServer4 || port == portClient4 || port == portClient6 || port == portServer6
}

// datagram is one of DHCP, as it came in at a port.
type datagram struct {
	at       netview.Point
	src, dst packet.MAC
	vlan     uint16 // the id, 0 for untagged
	v6       bool
	server   bool // from a server's port
	payload  []byte
}

// datagramOf reports whether a packet is one of DHCP; its payload is a view of the frame.
func datagramOf(k *packet.Key, frame []byte, end int, at netview.Point) (d datagram, ok bool) {
	if !k.Layers.Has(packet.LayerUDP) || k.InnerVLAN != 0 || k.Frag != 0 || end < packet.UDPLen || end > len(frame) {
		return d, false
	}
	d = datagram{at: at, src: k.EthSrc, dst: k.EthDst, vlan: k.VLAN & packet.VLANMask, v6: k.Layers.Has(packet.LayerIPv6)}
	switch {
	case !d.v6 && k.DstPort == portClient4 && k.SrcPort == portServer4, d.v6 && k.DstPort == portClient6 &&
		k.SrcPort == portServer6:
		d.server = true
	case !d.v6 && k.DstPort == portServer4 && k.SrcPort == portClient4, d.v6 && k.DstPort == portServer6 &&
		k.SrcPort == portClient6:
	default:
		return d, false
	}
	d.payload = packet.UDP(frame[end-packet.UDPLen:]).Payload()
	return d, true
}

// transaction names a client's request.
type transaction struct {
	host netview.HostID
	id   [4]byte // of DHCPv6 the last three
	v6   bool
}

// leases are requests whose answers are awaited: the addresses that each client asked for itself. A
// server's word counts for these only: whoever hears a request may answer it, but not with another
// address.
type leases struct {
	asked map[transaction]expectedLease
}

type expectedLease struct {
	ips   []packet.Addr
	until time.Duration
}

func newLeases() leases { return leases{make(map[transaction]expectedLease)} }

func (l *leases) expire(now time.Duration) {
	maps.DeleteFunc(l.asked, func(_ transaction, w expectedLease) bool { return w.until <= now })
}

// Lease takes a datagram of DHCP: a request is remembered, if it comes from where its host is (or
// may be, if it is new); an acknowledgement of one makes its address the client's.
func (c *Core) Lease(d *datagram, snap *netview.Snapshot) {
	t, ips, ok := d.read()
	switch {
	case !ok:
		c.Counts.Malformed.Add(1)
	case len(ips) == 0: // another message of DHCP, or one without an address
	case !d.server:
		h, known := snap.Host(t.host)
		if known && h.At != d.at || t.host.MAC != d.src {
			c.Counts.Misplaced.Add(1)
		} else if _, again := c.leases.asked[t]; again || len(c.leases.asked) < c.cfg.Limits.Leases {
			c.leases.asked[t] = expectedLease{ips, c.age() + leaseWait}
		} else {
			c.Counts.Refused.Add(1)
		}
	default:
		c.acknowledged(t, ips, snap)
	}
}

// acknowledged takes the addresses that a server has given to a client, as far as it had asked for
// them.
func (c *Core) acknowledged(t transaction, ips []packet.Addr, snap *netview.Snapshot) {
	w, asked := c.leases.asked[t]
	h, known := snap.Host(t.host)
	for _, ip := range ips {
		if !asked || !slices.Contains(w.ips, ip) || !known || h.State != netview.HostConfirmed {
			c.Counts.Unasked.Add(1)
			continue
		}
		c.Counts.Leases.Add(1)
		c.bind(&claim{name: address{ip, t.host.VLAN}, mac: t.host.MAC, at: h.At}, snap)
		if c.cfg.Learned != nil {
			c.cfg.Learned(t.host, ip.Netip())
		}
	}
	if asked {
		delete(c.leases.asked, t)
	}
}

// read takes a datagram apart: of a client's request the addresses it asks for, of a server's
// acknowledgement those it gives. ok is false if it is malformed; other messages have no addresses.
func (d *datagram) read() (t transaction, ips []packet.Addr, ok bool) {
	if d.v6 {
		return d.read6()
	}
	return d.read4()
}

func (d *datagram) read4() (t transaction, ips []packet.Addr, ok bool) {
	m, err := dhcpv4.FromBytes(d.payload)
	if err != nil || len(m.ClientHWAddr) != 6 {
		return t, nil, false
	}
	t = transaction{host: netview.HostID{MAC: packet.MAC(m.ClientHWAddr), VLAN: d.vlan}, id: m.TransactionID}
	switch typ := m.MessageType(); {
	case !d.server && m.OpCode == dhcpv4.OpcodeBootRequest && typ == dhcpv4.MessageTypeRequest:
		ips = addresses(m.RequestedIPAddress(), m.ClientIPAddr)
	case d.server && m.OpCode == dhcpv4.OpcodeBootReply && typ == dhcpv4.MessageTypeAck:
		ips = addresses(m.YourIPAddr)
	}
	return t, ips, true
}

// read6 reads DHCPv6. A server's reply goes to the client's own address, whose host is the one at
// that link-layer address.
func (d *datagram) read6() (t transaction, ips []packet.Addr, ok bool) {
	if len(d.payload) > 0 && (d.payload[0] == byte(dhcpv6.MessageTypeRelayForward) ||
		d.payload[0] == byte(dhcpv6.MessageTypeRelayReply)) {
		return t, nil, true
	}
	m, err := dhcpv6.MessageFromBytes(d.payload)
	if err != nil {
		return t, nil, false
	}
	t = transaction{host: netview.HostID{MAC: d.src, VLAN: d.vlan}, v6: true}
	copy(t.id[1:], m.TransactionID[:])
	switch m.MessageType {
	case dhcpv6.MessageTypeRequest, dhcpv6.MessageTypeRenew, dhcpv6.MessageTypeRebind:
		if d.server {
			return t, nil, true
		}
	case dhcpv6.MessageTypeReply:
		if !d.server || d.dst.IsMulticast() {
			return t, nil, true
		}
		t.host.MAC = d.dst
	default:
		return t, nil, true
	}
	for _, ia := range m.Options.IANA() {
		for _, a := range ia.Options.Addresses() {
			if !d.server || a.ValidLifetime > 0 {
				ips = append(ips, addresses(a.IPv6Addr)...)
			}
		}
	}
	return t, ips, true
}

// addresses are those of a list that a host can have.
func addresses(list ...net.IP) (ips []packet.Addr) {
	for _, ip := range list {
		a, ok := netip.AddrFromSlice(ip)
		if !ok {
			continue
		}
		if b := packet.AddrFrom(a.Unmap()); usable(b) && !slices.Contains(ips, b) {
			ips = append(ips, b)
		}
	}
	return ips
}

// keep copies the payload out of the frame.
func (d *datagram) keep() { d.payload = bytes.Clone(d.payload) }
