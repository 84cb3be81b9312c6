package hosts

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Sighting is what a frame says of its sender: the host, with this address (zero for none), sent at
// this port.
type Sighting struct {
	ID      netview.HostID
	At      netview.Point
	IP      packet.Addr
	Certain bool // the address is from ARP or ND, where a host states its own; others may be forwarded
	reply   bool // it was sent to queryMAC
}

// ParseSighting reads a sighting from a frame's key. ok is false for a source address that no host
// has.
func ParseSighting(at netview.Point, k *packet.Key) (s Sighting, ok bool) {
	if k.EthSrc == queryMAC || k.EthSrc.IsMulticast() || k.EthSrc.IsZero() || k.Layers&packet.LayerEthernet == 0 {
		return Sighting{}, false
	}
	s = Sighting{ID: netview.HostID{MAC: k.EthSrc, VLAN: k.VLAN & packet.VLANMask}, At: at, reply: k.EthDst == queryMAC}
	switch {
	case k.Layers.Has(packet.LayerARP):
		if k.EtherType == packet.TypeARP && k.ARPSHA == k.EthSrc {
			s.IP, s.Certain = packet.AddrFrom4(k.ARPSPA), true
		}
	case k.Layers.Has(packet.LayerND):
		s.IP, s.Certain = ndAddress(k), true
	case k.Layers&(packet.LayerIPv4|packet.LayerIPv6) != 0:
		s.IP = k.IPSrc
	}
	if !isHostAddress(s.IP) {
		s.IP, s.Certain = packet.Addr{}, false
	}
	return s, true
}

// ndAddress returns the address of the sender of a neighbour solicitation or advertisement: of a
// solicitation its source, or, during duplicate address detection (source "::"), its target; of an
// advertisement its target, if the link-layer address in it is the sender's. RFC 4861, 7.1: "The IP
// Hop Limit field has a value of 255".
func ndAddress(k *packet.Key) packet.Addr {
	switch {
	case k.TTL != 255:
		return packet.Addr{}
	case k.ICMPType == packet.NDSolicit && !k.IPSrc.IsZero():
		return k.IPSrc
	case k.ICMPType == packet.NDAdvert && !k.NDTLL.IsZero() && k.NDTLL != k.EthSrc:
		return packet.Addr{}
	}
	return k.NDTarget
}

// isHostAddress reports whether one host can have an address: unicast, not zero, not loopback.
func isHostAddress(a packet.Addr) bool {
	if a.Is4() {
		ip := a.As4()
		return ip[0] != 0 && ip[0] != 127 && ip[0] < 224
	}
	ip := a.Netip()
	return !a.IsZero() && !ip.IsMulticast() && !ip.IsLoopback()
}
