package spec

import (
	"bytes"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

const (
	etherTypeIPv4 = 0x0800
	etherTypeARP  = 0x0806
	etherTypeIPv6 = 0x86dd
	protoICMPv6   = 58
	ndSolicit     = 135
	ndAdvertise   = 136
)

// bothFamilies are the matches of all IPv4 and all IPv6.
var bothFamilies = [2][]byte{
	{0x80, 0x00, byte(openflow.FieldEthType) << 1, 2, 0x08, 0x00},
	{0x80, 0x00, byte(openflow.FieldEthType) << 1, 2, 0x86, 0xdd},
}

// Matches appends to buf the packets of one direction of a checked intent, a match for each leg:
// canonical OXM TLVs without the ingress port. They are read-only, and may share memory with the
// selector. With reverse it is the other direction: what the selector says of sources it says of
// destinations, and the other way round.
//
// Between hosts the matches have both addresses and the VLAN. Without a selector there is one leg,
// of everything; with one there are ARP (for IPv4) and unicast neighbour discovery (for IPv6)
// between the two besides, or the hosts could not find each other by paths that forward nothing
// else. Of the other kinds there is one leg, or, with no selector, one for each of IPv4 and IPv6.
func (s *Spec) Matches(buf [][]byte, reverse bool) [][]byte {
	if s.Kind == HostToHost {
		src, dst, selector := s.Src[0].Host, s.Dst[0].Host, s.Selector
		if reverse {
			src, dst, selector = dst, src, reversed(selector)
		}
		return append(buf, hostMatches(src, dst, selector)...)
	}
	if len(s.Selector.OXM) == 0 {
		return append(buf, bothFamilies[:]...)
	}
	if !reverse {
		return append(buf, s.Selector.OXM)
	}
	return append(buf, reversed(s.Selector).OXM)
}

// hostMatches are the packets from one host to another.
func hostMatches(src, dst netview.HostID, selector openflow.Match) [][]byte {
	base := between(src, dst)
	if len(selector.OXM) == 0 {
		return [][]byte{base}
	}
	list := [][]byte{with(base, selector)}
	add := func(m openflow.Match) {
		if leg := with(base, m); !bytes.Equal(leg, list[0]) {
			list = append(list, leg)
		}
	}
	family, known := selector.Uint(openflow.FieldEthType)
	if !known || family != etherTypeIPv6 {
		add(arp)
	}
	if !known || family != etherTypeIPv4 && family != etherTypeARP {
		add(solicit)
		add(advertise)
	}
	return list
}

// ARP, and the two messages of neighbour discovery that hosts send each other (RFC 4861).
var (
	arp                = matchOf([]byte{0x80, 0x00, byte(openflow.FieldEthType) << 1, 2, etherTypeARP >> 8, etherTypeARP & 0xff})
	solicit, advertise = neighbour(ndSolicit), neighbour(ndAdvertise)
)

func neighbour(message uint64) (m openflow.Match) {
	m.SetUint(openflow.FieldEthType, etherTypeIPv6)
	m.SetUint(openflow.FieldIPProto, protoICMPv6)
	m.SetUint(openflow.FieldICMPv6Type, message)
	return m
}

// between is the match of all frames from one host to another, in the order of the fields' numbers.
func between(src, dst netview.HostID) []byte {
	vlan := src.VLAN
	if vlan != 0 {
		vlan |= openflow.VLANPresent
	}
	b := make([]byte, 0, 26)
	b = append(append(b, 0x80, 0x00, byte(openflow.FieldEthDst)<<1, 6), dst.MAC[:]...)
	b = append(append(b, 0x80, 0x00, byte(openflow.FieldEthSrc)<<1, 6), src.MAC[:]...)
	return append(b, 0x80, 0x00, byte(openflow.FieldVLANVID)<<1, 2, byte(vlan>>8), byte(vlan))
}

// with is a match of two: base has the fields eth_dst, eth_src and vlan_vid, m has none of them but
// perhaps a vlan_vid of any tag, and both are canonical, so that m's come in between.
func with(base []byte, m openflow.Match) []byte {
	const tag = 4 + 2 // the last TLV of base
	b := make([]byte, 0, len(base)+len(m.OXM))
	b = append(b, base[:len(base)-tag]...)
	rest := m.OXM
	for len(rest) > 0 && openflow.Field(rest[2]>>1) < openflow.FieldVLANVID {
		n := oxmHeaderLen + int(rest[3])
		b, rest = append(b, rest[:n]...), rest[n:]
	}
	b = append(b, base[len(base)-tag:]...)
	if len(rest) > 0 && openflow.Field(rest[2]>>1) == openflow.FieldVLANVID {
		rest = rest[oxmHeaderLen+int(rest[3]):]
	}
	return append(b, rest...)
}

// opposite is the field that says of the other end what a field says of one; the field itself where
// there is none.
var opposite = func() (to [fieldMax + 1]openflow.Field) {
	for f := range to {
		to[f] = openflow.Field(f)
	}
	for _, p := range [][2]openflow.Field{
		{openflow.FieldEthSrc, openflow.FieldEthDst}, {openflow.FieldIPv4Src, openflow.FieldIPv4Dst},
		{openflow.FieldIPv6Src, openflow.FieldIPv6Dst},
		{openflow.FieldTCPSrc, openflow.FieldTCPDst}, {openflow.FieldUDPSrc, openflow.FieldUDPDst},
		{openflow.FieldSCTPSrc, openflow.FieldSCTPDst},
		{openflow.FieldARPSPA, openflow.FieldARPTPA}, {openflow.FieldARPSHA, openflow.FieldARPTHA},
	} {
		to[p[0]], to[p[1]] = p[1], p[0]
	}
	return to
}()

// reversed is a canonical match of the packets that go the other way.
func reversed(m openflow.Match) openflow.Match {
	if len(m.OXM) == 0 {
		return m
	}
	b := bytes.Clone(m.OXM)
	for rest := b; len(rest) > 0; rest = rest[oxmHeaderLen+int(rest[3]):] {
		rest[2] = byte(opposite[rest[2]>>1])<<1 | rest[2]&1
	}
	return matchOf(b).Canonical()
}
