package packet

import "encoding/binary"

// ParseKey fills k from a frame and returns the offset after the last header that it read whole,
// and FaultNone, or which header it stopped at. Fields of the headers before are valid even then;
// k.Layers names them. What is not understood (another EtherType or protocol) is no fault. It never
// panics and never allocates, whatever the bytes.
func ParseKey(frame []byte, k *Key) (end int, fault Fault) {
	*k = Key{}
	if len(frame) < EthernetLen {
		return 0, FaultEthernet
	}
	k.EthDst, k.EthSrc = MAC(frame[0:6]), MAC(frame[6:12])
	k.Layers = LayerEthernet
	k.EtherType, end = binary.BigEndian.Uint16(frame[12:14]), EthernetLen
	if k.EtherType < typeMin || isTPID(k.EtherType) {
		t := parseTags(frame)
		k.VLAN, k.InnerVLAN, k.PCP, k.EtherType, end = t.vlan, t.inner, t.pcp, t.etherType, t.end
		if t.vlan != 0 {
			k.Layers |= LayerVLAN
		}
		if !t.ok {
			return end, FaultVLAN
		}
	}
	switch k.EtherType {
	case TypeIPv4:
		return keyIPv4(frame, end, k)
	case TypeIPv6:
		return keyIPv6(frame, end, k)
	case TypeARP, TypeRARP:
		return keyARP(frame, end, k)
	}
	return end, FaultNone
}

func keyARP(frame []byte, off int, k *Key) (int, Fault) {
	a := ARP(frame[off:])
	if !a.Valid() {
		return off, FaultARP
	}
	k.ARPOp, k.ARPSHA, k.ARPSPA, k.ARPTHA, k.ARPTPA = a.Op(), a.SHA(), a.SPA(), a.THA(), a.TPA()
	k.Layers |= LayerARP
	return off + ARPLen, FaultNone
}

func keyIPv4(frame []byte, off int, k *Key) (int, Fault) {
	p := IPv4(frame[off:])
	if !p.Valid() {
		return off, FaultIPv4
	}
	k.Layers |= LayerIPv4
	tos := p[1]
	k.DSCP, k.ECN, k.TTL, k.IPProto = tos>>2, tos&3, p[8], p[9]
	k.IPSrc.set4(p[12:16])
	k.IPDst.set4(p[16:20])
	total := int(p.TotalLen())
	if total > len(p) {
		k.Layers |= LayerTruncated
		total = len(p)
	}
	hdr := p.HeaderLen()
	if frag := binary.BigEndian.Uint16(p[6:8]) & 0x3fff; frag != 0 { // offset, and more fragments
		k.Frag = FragAny
		if frag&0x1fff != 0 {
			k.Frag = FragAny | FragLater
			return off + hdr, FaultNone
		}
	}
	return keyTransport(p[hdr:total], off+hdr, k)
}

func keyIPv6(frame []byte, off int, k *Key) (int, Fault) {
	p := IPv6(frame[off:])
	if !p.Valid() {
		return off, FaultIPv6
	}
	k.Layers |= LayerIPv6
	class := p.TrafficClass()
	k.DSCP, k.ECN, k.TTL, k.FlowLabel = class>>2, class&3, p[7], p.FlowLabel()
	k.IPSrc, k.IPDst = Addr(p[8:24]), Addr(p[24:40])
	total := IPv6Len + int(p.PayloadLen())
	if total > len(p) {
		k.Layers |= LayerTruncated
		total = len(p)
	}
	x := walkExtensions(p[6], p[IPv6Len:total])
	k.Frag = x.frag
	if !x.ok {
		return off + IPv6Len + x.len, FaultExtension
	}
	k.IPProto = x.proto
	hdr := IPv6Len + x.len
	if k.Frag&FragLater != 0 {
		return off + hdr, FaultNone
	}
	return keyTransport(p[hdr:total], off+hdr, k)
}

// keyTransport reads the transport header at the start of b, which ends where the IP packet (or the
// frame) ends; off is its offset in the frame.
func keyTransport(b []byte, off int, k *Key) (int, Fault) {
	switch k.IPProto {
	case ProtoUDP:
		if len(b) < UDPLen {
			return off, FaultTransport
		}
		k.SrcPort, k.DstPort = binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
		k.Layers |= LayerUDP
		return off + UDPLen, FaultNone
	case ProtoTCP:
		return keyTCP(b, off, k)
	case ProtoSCTP:
		if len(b) < SCTPLen {
			return off, FaultTransport
		}
		k.SrcPort, k.DstPort = binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
		k.Layers |= LayerSCTP
		return off + SCTPLen, FaultNone
	case ProtoICMPv4, ProtoICMPv6:
		return keyICMP(b, off, k)
	}
	return off, FaultNone
}

func keyTCP(b []byte, off int, k *Key) (int, Fault) {
	t := TCP(b)
	if len(t) < TCPLen {
		return off, FaultTransport
	}
	hdr := t.HeaderLen()
	if hdr > len(t) && k.Layers.Has(LayerTruncated) {
		hdr = len(t) // only options are missing
	}
	if hdr < TCPLen || hdr > len(t) {
		return off, FaultTransport
	}
	k.SrcPort, k.DstPort, k.TCPFlags = t.SrcPort(), t.DstPort(), t.Flags()
	k.Layers |= LayerTCP
	return off + hdr, FaultNone
}

func keyICMP(b []byte, off int, k *Key) (int, Fault) {
	// As Open vSwitch does, the version of ICMP is not compared with that of IP: a match names it
	// with its own eth_type.
	if len(b) < ICMPLen {
		return off, FaultTransport
	}
	k.ICMPType, k.ICMPCode = b[0], b[1]
	if k.IPProto == ProtoICMPv4 {
		k.Layers |= LayerICMPv4
		return off + ICMPLen, FaultNone
	}
	k.Layers |= LayerICMPv6
	if k.ICMPCode != 0 || k.ICMPType != NDSolicit && k.ICMPType != NDAdvert {
		return off + ICMPLen, FaultNone
	}
	return keyND(b, off, k)
}

// keyND reads target and link-layer options of a neighbour solicitation or advertisement; b holds
// at least the ICMPv6 header.
func keyND(b []byte, off int, k *Key) (int, Fault) {
	if len(b) < NDLen {
		return off + ICMPLen, FaultND
	}
	k.NDTarget = Addr(b[8:24])
	k.Layers |= LayerND
	end := off + NDLen
	for rest := b[NDLen:]; len(rest) > 0; {
		typ, value, after, ok := NextNDOption(rest)
		if !ok {
			return end, FaultND
		}
		if len(value) == 6 && (typ == NDOptSLL || typ == NDOptTLL) {
			at := &k.NDSLL
			if typ == NDOptTLL {
				at = &k.NDTLL
			}
			if !at.IsZero() {
				k.NDTarget, k.NDSLL, k.NDTLL, k.Layers = Addr{}, MAC{}, MAC{}, k.Layers&^LayerND
				return off + ICMPLen, FaultND
			}
			*at = MAC(value)
		}
		end += len(rest) - len(after)
		rest = after
	}
	return end, FaultNone
}
