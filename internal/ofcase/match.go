package ofcase

import (
	"net/netip"

	"github.com/weirnet/weir/openflow"
)

// matches draws matches that packets can meet, in the canonical form.
type matches struct{ draws }

// kind is what kind of packets a match takes: it decides which fields can be matched and set.
type kind struct {
	etherType uint16 // 0: any
	proto     uint8  // 0: any
	icmp      uint8  // type of neighbour discovery, 0: any
	tagged    bool   // has a VLAN tag, surely
}

// kind draws one.
func (g matches) kind() kind {
	k := kind{tagged: g.one(4)}
	switch n := g.IntN(20); {
	case n < 6:
		return k
	case n < 8:
		k.etherType = pick(g, types)
	case n < 10:
		k.etherType = 0x0806
	case n < 16 || g.v == openflow.V10:
		k.etherType = 0x0800
		k.proto = pick(g, []uint8{0, 6, 17, 1, 132})
		if k.proto == 132 && g.v == openflow.V10 {
			k.proto = 0
		}
	default:
		k.etherType = 0x86dd
		k.proto = pick(g, []uint8{0, 6, 17, 58, 58, 132})
		if k.proto == 58 {
			k.icmp = pick(g, []uint8{0, 135, 136})
		}
	}
	return k
}

// kindOf is the kind of packets that a match takes.
func kindOf(m openflow.Match) (k kind) {
	number := func(f openflow.Field) uint64 { v, _ := m.Uint(f); return v }
	k.etherType, k.proto = uint16(number(openflow.FieldEthType)), uint8(number(openflow.FieldIPProto))
	if t := uint8(number(openflow.FieldICMPv6Type)); t == 135 || t == 136 {
		k.icmp = t
	}
	k.tagged = number(openflow.FieldVLANVID)&0x1000 != 0
	return k
}

// match draws a match of a kind of packets.
func (g matches) match(k kind) openflow.Match {
	var m openflow.Match
	if g.one(3) {
		m.SetUint(openflow.FieldInPort, uint64(g.port()))
	}
	if g.v == openflow.V13 && g.one(5) {
		m.SetUintMasked(openflow.FieldMetadata, uint64(g.IntN(4)), pick(g, []uint64{3, 1, 0xff}))
	}
	for _, f := range []openflow.Field{openflow.FieldEthDst, openflow.FieldEthSrc} {
		if g.one(4) {
			g.setMAC(&m, f)
		}
	}
	if k.etherType != 0 {
		m.SetUint(openflow.FieldEthType, uint64(k.etherType))
	}
	g.setVLAN(&m, k)
	switch k.etherType {
	case 0x0806:
		g.setARP(&m)
	case 0x0800, 0x86dd:
		g.setIP(&m, k)
	}
	return m.Canonical()
}

func (g matches) setMAC(m *openflow.Match, f openflow.Field) {
	value := g.mac()
	if g.v == openflow.V10 || g.one(2) {
		m.Set(f, value[:], nil)
		return
	}
	mask := pick(g, macMasks)
	for i := range value {
		value[i] &= mask[i]
	}
	m.Set(f, value[:], mask[:])
}

func (g matches) setVLAN(m *openflow.Match, k kind) {
	switch {
	case k.tagged && g.v == openflow.V13 && g.one(3):
		m.SetUintMasked(openflow.FieldVLANVID, 0x1000, 0x1000)
	case k.tagged:
		m.SetUint(openflow.FieldVLANVID, 0x1000|uint64(pick(g, vids)))
	case g.one(6):
		m.SetUint(openflow.FieldVLANVID, 0)
	case g.v == openflow.V13 && g.one(20):
		m.SetUintMasked(openflow.FieldVLANVID, 0x1001, 0x1001)
		k.tagged = true
	}
	if k.tagged && g.one(4) {
		m.SetUint(openflow.FieldVLANPCP, uint64(g.IntN(8)))
	}
}

func (g matches) setARP(m *openflow.Match) {
	if g.one(2) {
		m.SetUint(openflow.FieldARPOp, uint64(1+g.IntN(2)))
	}
	for _, f := range []openflow.Field{openflow.FieldARPSPA, openflow.FieldARPTPA} {
		if g.one(3) {
			g.setIP4(m, f)
		}
	}
	for _, f := range []openflow.Field{openflow.FieldARPSHA, openflow.FieldARPTHA} {
		if g.v == openflow.V13 && g.one(5) {
			g.setMAC(m, f)
		}
	}
}

// setIP4 matches an IPv4 address, or a prefix, or, in OpenFlow 1.3, any bits.
func (g matches) setIP4(m *openflow.Match, f openflow.Field) {
	value := g.ip4()
	if g.one(2) {
		m.Set(f, value[:], nil)
		return
	}
	mask := pick(g, [][4]byte{{255, 255, 255, 0}, {255, 255}, {255}, {255, 255, 255, 254}, {255, 255, 255, 255}, {}})
	if g.v == openflow.V13 && g.one(3) {
		mask = pick(g, [][4]byte{{0, 0, 0, 1}, {255, 0, 0, 3}})
	}
	for i := range value {
		value[i] &= mask[i]
	}
	m.Set(f, value[:], mask[:])
}

func (g matches) setIP6(m *openflow.Match, f openflow.Field) {
	value := g.ip6()
	if g.one(2) {
		m.Set(f, value[:], nil)
		return
	}
	bits := pick(g, []int{64, 112, 8, 127, 128, 0})
	p := netip.PrefixFrom(netip.AddrFrom16(value), bits).Masked().Addr().As16()
	ones := netip.PrefixFrom(netip.AddrFrom16([16]byte{
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
	}), bits).Masked().Addr().As16()
	m.Set(f, p[:], ones[:])
}

func (g matches) setIP(m *openflow.Match, k kind) {
	if g.one(8) {
		m.SetUint(openflow.FieldIPDSCP, uint64(g.tos()>>2))
	}
	if g.v == openflow.V13 && g.one(8) {
		m.SetUint(openflow.FieldIPECN, uint64(g.tos()&3))
	}
	if k.proto != 0 {
		m.SetUint(openflow.FieldIPProto, uint64(k.proto))
	}
	if k.etherType == 0x0800 {
		for _, f := range []openflow.Field{openflow.FieldIPv4Src, openflow.FieldIPv4Dst} {
			if g.one(3) {
				g.setIP4(m, f)
			}
		}
	} else {
		for _, f := range []openflow.Field{openflow.FieldIPv6Src, openflow.FieldIPv6Dst} {
			if g.one(3) {
				g.setIP6(m, f)
			}
		}
		if g.one(8) {
			m.SetUintMasked(openflow.FieldIPv6FLabel, 7, pick(g, []uint64{0xfffff, 7}))
		}
	}
	g.setTransport(m, k)
}

// portFields are the fields of source and destination ports.
var portFields = map[uint8][2]openflow.Field{
	6:   {openflow.FieldTCPSrc, openflow.FieldTCPDst},
	17:  {openflow.FieldUDPSrc, openflow.FieldUDPDst},
	132: {openflow.FieldSCTPSrc, openflow.FieldSCTPDst},
}

// ndOption is the option of a link-layer address in each type of neighbour discovery.
var ndOption = map[uint8]openflow.Field{135: openflow.FieldIPv6NDSLL, 136: openflow.FieldIPv6NDTLL}

func (g matches) setTransport(m *openflow.Match, k kind) {
	if k.proto == 1 && k.etherType == 0x0800 {
		if g.one(2) {
			m.SetUint(openflow.FieldICMPv4Type, uint64(pick(g, []byte{0, 8, 3})))
		}
		if g.one(3) {
			m.SetUint(openflow.FieldICMPv4Code, uint64(g.IntN(2)))
		}
	}
	if k.proto == 58 {
		g.setICMP6(m, k)
	}
	if fields, ok := portFields[k.proto]; ok {
		for _, f := range fields {
			if g.one(3) {
				m.SetUint(f, uint64(pick(g, ports)))
			}
		}
	}
}

func (g matches) setICMP6(m *openflow.Match, k kind) {
	switch {
	case k.icmp != 0:
		m.SetUint(openflow.FieldICMPv6Type, uint64(k.icmp))
		if g.one(6) {
			m.SetUint(openflow.FieldICMPv6Code, 0)
		}
		if g.one(2) {
			value := g.ip6()
			m.Set(openflow.FieldIPv6NDTarget, value[:], nil)
		}
		if g.one(3) {
			value := g.mac()
			m.Set(ndOption[k.icmp], value[:], nil)
		}
	case g.one(2):
		m.SetUint(openflow.FieldICMPv6Type, uint64(pick(g, []byte{128, 129, 135})))
	}
}

// wider is a match with some of the fields that m has, those that others need among them.
func (g matches) wider(m openflow.Match) openflow.Match {
	if g.one(3) {
		return openflow.Match{}
	}
	var left openflow.Match
	m.Each(func(name, value string) {
		f, _ := openflow.FieldByName(name)
		needed := f == openflow.FieldEthType || f == openflow.FieldIPProto || f == openflow.FieldICMPv6Type ||
			f == openflow.FieldVLANVID
		if needed || g.one(2) {
			if err := left.SetText(name, value); err != nil {
				panic(err)
			}
		}
	})
	return left.Canonical()
}
