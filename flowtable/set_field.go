package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// setField sets a field of the packet, with the checksums that cover it. A packet that has no such
// field stays as it is.
func (p *pass) setField(f openflow.Field, value []byte) {
	switch f {
	case openflow.FieldEthDst:
		copy(p.writable()[0:6], value)
	case openflow.FieldEthSrc:
		copy(p.writable()[6:12], value)
	case openflow.FieldTunnelID:
		p.key[wordTunnel] = number(value)
	case openflow.FieldVLANVID:
		p.setTag(packet.VLANMask, binary.BigEndian.Uint16(value)&packet.VLANMask)
	case openflow.FieldVLANPCP:
		p.setTag(7<<13, uint16(value[0])<<13)
	case openflow.FieldMPLSLabel:
		p.setLabel(0xfffff000, uint32(number(value))<<12)
	case openflow.FieldMPLSTC:
		p.setLabel(7<<9, uint32(value[0])<<9)
	default:
		p.setInner(f, value)
	}
}

// setInner sets a field of ARP, IP or what IP carries.
func (p *pass) setInner(f openflow.Field, value []byte) {
	h := p.locate()
	if h.l3 == 0 {
		return
	}
	switch f {
	case openflow.FieldARPOp, openflow.FieldARPSPA, openflow.FieldARPTPA, openflow.FieldARPSHA, openflow.FieldARPTHA:
		if p.fields.Layers.Has(packet.LayerARP) {
			copy(p.writable()[h.l3+arpAt[f]:], value)
		}
	case openflow.FieldIPDSCP:
		p.setClass(&h, 0xfc, value[0]<<2)
	case openflow.FieldIPECN:
		p.setClass(&h, 0x03, value[0])
	case openflow.FieldIPv4Src, openflow.FieldIPv4Dst:
		if p.fields.Layers.Has(packet.LayerIPv4) {
			p.setAddress(&h, f == openflow.FieldIPv4Dst, value)
		}
	case openflow.FieldIPv6Src, openflow.FieldIPv6Dst:
		if h.ipv6 {
			p.setAddress(&h, f == openflow.FieldIPv6Dst, value)
		}
	case openflow.FieldIPv6FLabel:
		if h.ipv6 {
			b := p.writable()[h.l3:]
			binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)&^0xfffff|uint32(number(value)))
		}
	default:
		p.setTransport(&h, f, value)
	}
}

// arpAt is where a field is in an ARP packet for IPv4 over Ethernet.
var arpAt = [...]int{
	openflow.FieldARPOp: 6, openflow.FieldARPSHA: 8, openflow.FieldARPSPA: 14, openflow.FieldARPTHA: 18, openflow.FieldARPTPA: 24,
}

// setClass sets bits of the traffic class: DSCP and ECN.
func (p *pass) setClass(h *headers, mask, bits uint8) {
	b := p.writable()[h.l3:]
	if h.ipv6 {
		class := (b[0]<<4|b[1]>>4)&^mask | bits
		b[0], b[1] = b[0]&0xf0|class>>4, b[1]&0x0f|class<<4
		return
	}
	if !p.fields.Layers.Has(packet.LayerIPv4) {
		return
	}
	old := [2]byte{b[0], b[1]}
	b[1] = b[1]&^mask | bits
	addDelta(b[10:], sumDelta(0, old[:], b[0:2]))
}

// setAddress sets an address of IP to one of the packet's version.
func (p *pass) setAddress(h *headers, dst bool, value []byte) {
	at, covered := h.l3+12, true
	if h.ipv6 {
		at, covered = h.l3+8, !dst || !h.source
	}
	if dst {
		at += len(value)
	}
	b := p.writable()
	delta := sumDelta(0, b[at:at+len(value)], value)
	if !h.ipv6 {
		addDelta(b[h.l3+10:], delta)
	}
	if covered {
		h.fixTransport(b, delta, true)
	}
	copy(b[at:], value)
}

// setTransport sets a port, type or code of ICMP, or a field of neighbour discovery.
func (p *pass) setTransport(h *headers, f openflow.Field, value []byte) {
	if h.l4 == 0 || !p.carries(f) {
		return
	}
	at := 0
	switch f {
	case openflow.FieldTCPDst, openflow.FieldUDPDst, openflow.FieldSCTPDst:
		at = 2
	case openflow.FieldICMPv4Code, openflow.FieldICMPv6Code:
		at = 1
	case openflow.FieldIPv6NDTarget:
		at = 8
	case openflow.FieldIPv6NDSLL:
		at = ndOption(p.frame[h.l4:h.end], packet.NDOptSLL)
	case openflow.FieldIPv6NDTLL:
		at = ndOption(p.frame[h.l4:h.end], packet.NDOptTLL)
	}
	if at < 0 {
		return
	}
	b := p.writable()[h.l4:h.end]
	if h.proto == packet.ProtoSCTP {
		before := sctpCRC(b)
		copy(b[at:], value)
		if p.fields.Frag == 0 { // the CRC covers all fragments
			fixSCTP(b, before)
		}
		return
	}
	var old [18]byte // from an even offset on
	from, to := at&^1, (at+len(value)+1)&^1
	copy(old[:], b[from:to])
	copy(b[at:], value)
	h.fixTransport(p.frame, sumDelta(0, old[:to-from], b[from:to]), false)
}

// ndOption is where the address in an option of neighbour discovery is; -1 without it.
func ndOption(m []byte, option uint8) int {
	for at := packet.NDLen; at < len(m); {
		typ, value, rest, ok := packet.NextNDOption(m[at:])
		if !ok {
			break
		}
		if typ == option && len(value) == 6 {
			return at + 2
		}
		at = len(m) - len(rest)
	}
	return -1
}

// carries reports whether the packet has the transport that a field belongs to. In OpenFlow 1.0 the
// ports of TCP stand for those of all.
func (p *pass) carries(f openflow.Field) bool {
	l := p.fields.Layers
	switch f {
	case openflow.FieldTCPSrc, openflow.FieldTCPDst:
		if p.v10 {
			return l&(packet.LayerTCP|packet.LayerUDP|packet.LayerSCTP) != 0
		}
		return l.Has(packet.LayerTCP)
	case openflow.FieldUDPSrc, openflow.FieldUDPDst:
		return l.Has(packet.LayerUDP)
	case openflow.FieldSCTPSrc, openflow.FieldSCTPDst:
		return l.Has(packet.LayerSCTP)
	case openflow.FieldICMPv4Type, openflow.FieldICMPv4Code:
		return l.Has(packet.LayerIPv4 | packet.LayerICMPv4)
	case openflow.FieldICMPv6Type, openflow.FieldICMPv6Code:
		return l.Has(packet.LayerIPv6 | packet.LayerICMPv6)
	case openflow.FieldIPv6NDTarget, openflow.FieldIPv6NDSLL, openflow.FieldIPv6NDTLL:
		return l.Has(packet.LayerND)
	}
	return false
}
