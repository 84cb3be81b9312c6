package proxyarp

import (
	"github.com/weirnet/weir/packet"
)

// question is what an ARP request or a neighbour solicitation asks, as far as it may be answered by
// another than the one that is meant.
type question struct {
	asker  packet.MAC
	from   packet.Addr // the asker's
	target packet.Addr
	vlan   uint16 // the tag, as packet.Key has it
	nd     bool
}

// ask reads a question; ok is false for whatever is none that may be answered for another.
func ask(k *packet.Key) (q question, ok bool) {
	if k.InnerVLAN != 0 || k.EthSrc.IsMulticast() || k.EthSrc.IsZero() {
		return q, false
	}
	q = question{asker: k.EthSrc, vlan: k.VLAN}
	switch {
	case k.Layers.Has(packet.LayerARP):
		q.from, q.target = packet.AddrFrom4(k.ARPSPA), packet.AddrFrom4(k.ARPTPA)
		ok = k.EtherType == packet.TypeARP && k.ARPOp == packet.ARPRequest && k.EthDst.IsBroadcast() &&
			k.ARPSHA == k.EthSrc && usable(q.from) && usable(q.target)
	case k.Layers.Has(packet.LayerND):
		q.from, q.target, q.nd = k.IPSrc, k.NDTarget, true
		// RFC 4861, 7.1.1: a solicitation whose hop limit is not 255, whose target is multicast, or
		// which comes from the unspecified address with a link-layer address, is discarded.
		ok = k.ICMPType == packet.NDSolicit && k.TTL == 255 && k.EthDst.IsMulticast() && k.NDSLL == k.EthSrc &&
			usable(q.from) && usable(q.target) && k.IPDst == solicited(q.target)
	}
	return q, ok && q.from != q.target
}

// solicited is the solicited-node multicast address of an address (RFC 4291, 2.7.1).
func solicited(a packet.Addr) packet.Addr {
	return packet.Addr{0: 0xff, 1: 0x02, 11: 0x01, 12: 0xff, 13: a[13], 14: a[14], 15: a[15]}
}

// appendAnswer appends the frame that says: the question's target is at mac.
func (q *question) appendAnswer(b []byte, mac packet.MAC) []byte {
	if !q.nd {
		k := packet.NewARPReply(mac, q.target.As4(), q.asker, q.from.As4())
		k.VLAN = q.vlan
		return packet.AppendARP(b, &k)
	}
	k := packet.NewNDAdvert(mac, q.target, q.asker, q.from)
	k.VLAN = q.vlan
	// RFC 4861, 7.2.8: a proxy's advertisement has the Override flag clear, so that the host's own
	// one wins.
	return packet.AppendND(b, &k, packet.NDSolicited)
}

// usable is true for an address that one host can have: unicast, not zero, not loopback.
func usable(a packet.Addr) bool {
	if a.Is4() {
		ip := a.As4()
		return ip[0] != 0 && ip[0] != 127 && ip[0] < 224
	}
	ip := a.Netip()
	return !a.IsZero() && !ip.IsMulticast() && !ip.IsLoopback()
}
