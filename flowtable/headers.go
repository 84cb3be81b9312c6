package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// headers are where the headers of ARP, IP and its transport are in a frame, 0 where there is none.
// They hold until a tag or label is put in or taken out. Who sets something there keeps the
// checksums right that were right.
type headers struct {
	frame  *frame
	layers packet.Layers
	l3, l4 int
	proto  uint8 // of l4
	end    int   // of the IP packet, in the frame
	source bool  // a routing header stands in for the destination: checksums do not cover it
}

// locate finds the headers of the packet as it is now.
func (f *frame) locate() (h headers) {
	f.refresh()
	k := &f.fields
	if k.Layers&(packet.LayerIPv4|packet.LayerIPv6|packet.LayerARP) == 0 {
		return h
	}
	h.frame, h.layers = f, k.Layers
	_, _, _, _, h.l3, _ = packet.ParseEthernet(f.bytes)
	switch {
	case k.Layers&packet.LayerIPv4 != 0:
		ip := packet.IPv4(f.bytes[h.l3:])
		h.l4, h.end, h.proto = h.l3+ip.HeaderLen(), h.l3+int(ip.TotalLen()), k.IPProto
	case k.Layers&packet.LayerIPv6 != 0:
		ip := packet.IPv6(f.bytes[h.l3:])
		h.end, h.proto = h.l3+packet.IPv6Len+int(ip.PayloadLen()), k.IPProto
		_, payload, ok := ip.Payload()
		if h.l4 = min(h.end, len(f.bytes)) - len(payload); !ok {
			h.l4 = 0
		}
		h.source = h.l4 != 0 && routed(f.bytes[h.l3:h.l4])
	}
	h.end = min(h.end, len(f.bytes))
	const transports = packet.LayerTCP | packet.LayerUDP | packet.LayerSCTP | packet.LayerICMPv4 | packet.LayerICMPv6
	if k.Layers&transports == 0 {
		h.l4 = 0
	}
	return h
}

// routed reports whether one of the extension headers of an IPv6 packet, b without its payload, is
// a routing header with segments left.
func routed(b []byte) bool {
	next := b[6]
	for at := packet.IPv6Len; at+8 <= len(b); {
		if next == packet.ProtoRouting {
			return b[at+3] != 0
		}
		size := packet.ExtensionLen(next, b[at:])
		next = b[at]
		at += size
	}
	return false
}

// isIP reports whether there is a packet of IP: with a traffic class and a TTL.
func (h *headers) isIP() bool { return h.layers&(packet.LayerIPv4|packet.LayerIPv6) != 0 }

// setField sets a field of ARP, IP or what IP carries.
func (h *headers) setField(field openflow.Field, value []byte) {
	switch field {
	case openflow.FieldARPOp, openflow.FieldARPSPA, openflow.FieldARPTPA, openflow.FieldARPSHA, openflow.FieldARPTHA:
		if h.layers.Has(packet.LayerARP) {
			copy(h.frame.writable()[h.l3+arpAt[field]:], value)
		}
	case openflow.FieldIPDSCP:
		h.setClass(0xfc, value[0]<<2)
	case openflow.FieldIPECN:
		h.setClass(0x03, value[0])
	case openflow.FieldIPv4Src, openflow.FieldIPv4Dst:
		if h.layers.Has(packet.LayerIPv4) {
			h.setAddress(field == openflow.FieldIPv4Dst, value)
		}
	case openflow.FieldIPv6Src, openflow.FieldIPv6Dst:
		if h.layers.Has(packet.LayerIPv6) {
			h.setAddress(field == openflow.FieldIPv6Dst, value)
		}
	case openflow.FieldIPv6FLabel:
		if h.layers.Has(packet.LayerIPv6) {
			b := h.frame.writable()[h.l3:]
			binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)&^0xfffff|uint32(number(value)))
		}
	default:
		h.setTransport(field, value)
	}
}

// arpAt is where a field is in an ARP packet for IPv4 over Ethernet.
var arpAt = [...]int{
	openflow.FieldARPOp: 6, openflow.FieldARPSHA: 8, openflow.FieldARPSPA: 14, openflow.FieldARPTHA: 18, openflow.FieldARPTPA: 24,
}

// setClass sets bits of the traffic class: DSCP and ECN.
func (h *headers) setClass(mask, bits uint8) {
	if !h.isIP() {
		return
	}
	b := h.frame.writable()[h.l3:]
	if h.layers.Has(packet.LayerIPv6) {
		class := (b[0]<<4|b[1]>>4)&^mask | bits
		b[0], b[1] = b[0]&0xf0|class>>4, b[1]&0x0f|class<<4
		return
	}
	old := [2]byte{b[0], b[1]}
	b[1] = b[1]&^mask | bits
	addDelta(b[10:], sumDelta(0, old[:], b[0:2]))
}

// remark raises the drop precedence of a packet of an assured-forwarding class (RFC 2597: 1 to 3 in
// each of four classes). Others stay.
func (h *headers) remark(by uint8) {
	if !h.isIP() {
		return
	}
	dscp := h.frame.fields.DSCP
	class, drop := dscp>>3, dscp>>1&3
	if class < 1 || class > 4 || drop == 0 || dscp&1 != 0 {
		return
	}
	drop = min(drop+by, 3)
	h.setClass(0xfc, (class<<3|drop<<1)<<2)
}

// setAddress sets an address of IP to one of the packet's version.
func (h *headers) setAddress(dst bool, value []byte) {
	v6 := h.layers.Has(packet.LayerIPv6)
	at, covered := h.l3+12, true
	if v6 {
		at, covered = h.l3+8, !dst || !h.source
	}
	if dst {
		at += len(value)
	}
	b := h.frame.writable()
	delta := sumDelta(0, b[at:at+len(value)], value)
	if !v6 {
		addDelta(b[h.l3+10:], delta)
	}
	if covered {
		h.fixTransport(b, delta, true)
	}
	copy(b[at:], value)
}

// setTransport sets a port, type or code of ICMP, or a field of neighbour discovery.
func (h *headers) setTransport(field openflow.Field, value []byte) {
	if h.l4 == 0 || !carries(h.layers, field) {
		return
	}
	at := 0
	switch field {
	case openflow.FieldTCPDst, openflow.FieldUDPDst, openflow.FieldSCTPDst:
		at = 2
	case openflow.FieldICMPv4Code, openflow.FieldICMPv6Code:
		at = 1
	case openflow.FieldIPv6NDTarget:
		at = 8
	case openflow.FieldIPv6NDSLL:
		at = ndOption(h.frame.bytes[h.l4:h.end], packet.NDOptSLL)
	case openflow.FieldIPv6NDTLL:
		at = ndOption(h.frame.bytes[h.l4:h.end], packet.NDOptTLL)
	}
	if at < 0 {
		return
	}
	all := h.frame.writable()
	b := all[h.l4:h.end]
	if h.proto == packet.ProtoSCTP {
		before := sctpCRC(b)
		copy(b[at:], value)
		if h.frame.fields.Frag == 0 { // the CRC covers all fragments
			fixSCTP(b, before)
		}
		return
	}
	var old [18]byte // from an even offset on
	from, to := at&^1, (at+len(value)+1)&^1
	copy(old[:], b[from:to])
	copy(b[at:], value)
	h.fixTransport(all, sumDelta(0, old[:to-from], b[from:to]), false)
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

// carries reports whether a packet has the transport that a field belongs to.
func carries(l packet.Layers, field openflow.Field) bool {
	switch field {
	case openflow.FieldTCPSrc, openflow.FieldTCPDst:
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
