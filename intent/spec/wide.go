package spec

import (
	"net/netip"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// On a link between two switches a rule matches the in port and the packet's fields, and not the
// sender. So it matches the packets of any sender. An intent is wide if these can be other senders
// than those at its ingress:
//
//   - Between hosts: never, both addresses are in the match.
// - With all ends (or hops) on one switch: never, it crosses no link.
//   - With an exact eth_src: never.
//   - With an exact ipv4_src, ipv6_src or arp_spa: if a host is known to have that address at
//     another place than an ingress of the intent. The network says so: Source has the address.
// - All others: always (Boundless), independent of the network.
//
// Of several ingresses (multipoint-to-point) the address may be at any; of several egresses
// (point-to-multipoint) at the one ingress.

// Sender is how an intent fixes the sender of its packets.
type Sender uint8

// The ways.
const (
	Fixed     Sender = iota // it matches no other sender's packets: by its kind, its ends, or an exact eth_src
	ByAddress               // by an exact IP address only: it is wide if a host elsewhere has that
	AnySender               // it crosses a link between switches, and has no exact source
)

// Sender returns how the intent fixes the sender, and for ByAddress the address.
func (s *Spec) Sender() (Sender, netip.Addr) {
	if !s.crosses() {
		return Fixed, netip.Addr{}
	}
	var address []byte
	for rest := s.Selector.OXM; len(rest) >= oxmHeaderLen; {
		n := oxmHeaderLen + int(rest[3])
		if rest[2]&1 == 0 && n <= len(rest) {
			switch openflow.Field(rest[2] >> 1) {
			case openflow.FieldEthSrc:
				return Fixed, netip.Addr{}
			case openflow.FieldIPv4Src, openflow.FieldIPv6Src, openflow.FieldARPSPA:
				address = rest[oxmHeaderLen:n]
			}
		}
		rest = rest[min(n, len(rest)):]
	}
	if a, ok := netip.AddrFromSlice(address); ok {
		return ByAddress, a
	}
	return AnySender, netip.Addr{}
}

// Boundless reports whether an intent crosses a link between switches without an exact source.
func (s *Spec) Boundless() bool {
	how, _ := s.Sender()
	return how == AnySender
}

// Source is the address that an intent's selector fixes who sends by, if it crosses a link between
// switches and nothing but the address does; so it is wide if a host elsewhere has that address.
func (s *Spec) Source() (netip.Addr, bool) {
	how, a := s.Sender()
	return a, how == ByAddress
}

// crosses reports whether packets of an intent, other than one between hosts, pass a link between
// switches.
func (s *Spec) crosses() bool {
	if s.Kind == HostToHost {
		return false
	}
	var first netview.DPID
	begun := false
	other := func(at netview.DPID) bool {
		if !begun {
			first, begun = at, true
		}
		return at != first
	}
	for i := range s.Hops {
		if other(s.Hops[i].DPID) {
			return true
		}
	}
	for _, list := range [...][]End{s.Src, s.Dst} {
		for i := range list {
			if other(list[i].Point.DPID) {
				return true
			}
		}
	}
	return len(s.Hops) > 1
}

// SourceIn finds in a durable form of Append an address that may be Source's: false says that there
// is none.
func SourceIn(form string) (netip.Addr, bool) {
	rest := form[headLen+int(form[headLen-1]):]
	count := func(at int) int { return int(rest[at])<<8 | int(rest[at+1]) }
	if form[0] == format3 {
		rest = rest[2+count(0):]
	}
	switch Kind(form[1]) {
	case PointToPoint:
		rest = rest[2*pointLen:]
	case MultipointToPoint:
		rest = rest[2+pointLen*(count(0)+1):]
	case PointToMultipoint:
		rest = rest[2+pointLen*(count(pointLen)+1):]
	case Path:
		rest = rest[2+hopLen*count(0):]
	default:
		return netip.Addr{}, false
	}
	for len(rest) > 0 {
		n := oxmHeaderLen + int(rest[3])
		switch value := rest[oxmHeaderLen:n]; openflow.Field(rest[2] >> 1) {
		case openflow.FieldIPv4Src, openflow.FieldARPSPA:
			if len(value) == 4 {
				return netip.AddrFrom4([4]byte([]byte(value))), true
			}
		case openflow.FieldIPv6Src:
			if len(value) == 16 {
				return netip.AddrFrom16([16]byte([]byte(value))), true
			}
		}
		rest = rest[n:]
	}
	return netip.Addr{}, false
}
