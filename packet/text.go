package packet

import "strconv"

// String is the frame on one line: the key's fields by their OXM names, what LLDP says, the length
// in bytes, and where it is malformed:
//
//	eth_dst=ff:ff:ff:ff:ff:ff eth_src=00:00:00:00:00:01 eth_type=0x0806 arp_op=1 arp_spa=10.0.0.1 arp_tpa=10.0.0.2 … len=42
func (f Ethernet) String() string { return string(f.AppendText(nil)) }

// AppendText appends what String returns.
func (f Ethernet) AppendText(b []byte) []byte {
	var k Key
	end, fault := ParseKey(f, &k)
	start := len(b)
	b = k.AppendText(b)
	if len(b) > start {
		b = append(b, ' ')
	}
	if k.EtherType == TypeLLDP {
		b = appendLLDPText(b, f[end:])
	}
	b = append(b, "len="...)
	b = strconv.AppendInt(b, int64(len(f)), 10)
	if k.Layers.Has(LayerTruncated) {
		b = append(b, " truncated"...)
	}
	if fault != FaultNone {
		b = append(b, " malformed="...)
		b = append(b, fault.String()...)
	}
	return b
}

// String is the key on one line: "name=value" for each field of its layers, by the names of OXM
// fields. A key without layers is empty text.
func (k *Key) String() string { return string(k.AppendText(nil)) }

// AppendText appends what String returns.
func (k *Key) AppendText(b []byte) []byte {
	t := text{b, len(b)}
	if !k.Layers.Has(LayerEthernet) {
		return b
	}
	t.mac("eth_dst", k.EthDst)
	t.mac("eth_src", k.EthSrc)
	if k.VLAN != 0 {
		t.num("vlan_vid", uint64(k.VLAN&VLANMask))
		t.num("vlan_pcp", uint64(k.PCP))
	}
	if k.InnerVLAN != 0 {
		t.num("inner_vid", uint64(k.InnerVLAN&VLANMask))
	}
	t.hex("eth_type", k.EtherType)
	if k.Layers.Has(LayerARP) {
		t.arp(k)
	}
	if k.Layers&(LayerIPv4|LayerIPv6) != 0 {
		t.ip(k)
	}
	return t.b
}

// text appends "name=value" pairs, separated by spaces, from b[start:] on.
type text struct {
	b     []byte
	start int
}

func (t *text) name(name string) {
	if len(t.b) > t.start {
		t.b = append(t.b, ' ')
	}
	t.b = append(append(t.b, name...), '=')
}

func (t *text) mac(name string, m MAC) {
	t.name(name)
	t.b = m.AppendText(t.b)
}

func (t *text) addr(name string, a Addr) {
	t.name(name)
	t.b = a.AppendText(t.b)
}

func (t *text) num(name string, v uint64) {
	t.name(name)
	t.b = strconv.AppendUint(t.b, v, 10)
}

func (t *text) hex(name string, v uint16) {
	t.name(name)
	t.b = append(t.b, '0', 'x', hexDigits[v>>12], hexDigits[v>>8&15], hexDigits[v>>4&15], hexDigits[v&15])
}

func (t *text) arp(k *Key) {
	t.num("arp_op", uint64(k.ARPOp))
	t.addr("arp_spa", AddrFrom4(k.ARPSPA))
	t.addr("arp_tpa", AddrFrom4(k.ARPTPA))
	t.mac("arp_sha", k.ARPSHA)
	t.mac("arp_tha", k.ARPTHA)
}

func (t *text) ip(k *Key) {
	if k.Layers.Has(LayerIPv4) {
		t.addr("ipv4_src", k.IPSrc)
		t.addr("ipv4_dst", k.IPDst)
	} else {
		// An IPv4-mapped address in an IPv6 header is printed as such, not as IPv4.
		t.name("ipv6_src")
		t.b = k.IPSrc.appendText6(t.b)
		t.name("ipv6_dst")
		t.b = k.IPDst.appendText6(t.b)
		t.num("ipv6_flabel", uint64(k.FlowLabel))
	}
	t.num("ip_proto", uint64(k.IPProto))
	t.num("ip_dscp", uint64(k.DSCP))
	t.num("ip_ecn", uint64(k.ECN))
	t.num("ttl", uint64(k.TTL))
	switch k.Frag {
	case FragAny:
		t.b = append(t.b, " frag=first"...)
	case FragAny | FragLater:
		t.b = append(t.b, " frag=later"...)
	}
	t.transport(k)
}

func (t *text) transport(k *Key) {
	switch {
	case k.Layers.Has(LayerTCP):
		t.num("tcp_src", uint64(k.SrcPort))
		t.num("tcp_dst", uint64(k.DstPort))
		t.hex("tcp_flags", k.TCPFlags)
	case k.Layers.Has(LayerUDP):
		t.num("udp_src", uint64(k.SrcPort))
		t.num("udp_dst", uint64(k.DstPort))
	case k.Layers.Has(LayerSCTP):
		t.num("sctp_src", uint64(k.SrcPort))
		t.num("sctp_dst", uint64(k.DstPort))
	case k.Layers.Has(LayerICMPv4):
		t.num("icmpv4_type", uint64(k.ICMPType))
		t.num("icmpv4_code", uint64(k.ICMPCode))
	case k.Layers.Has(LayerICMPv6):
		t.num("icmpv6_type", uint64(k.ICMPType))
		t.num("icmpv6_code", uint64(k.ICMPCode))
	}
	if k.Layers.Has(LayerND) {
		t.name("ipv6_nd_target")
		t.b = k.NDTarget.appendText6(t.b)
		t.mac("ipv6_nd_sll", k.NDSLL)
		t.mac("ipv6_nd_tll", k.NDTLL)
	}
}

// appendLLDPText appends the ids as quoted text with escapes, and a space.
func appendLLDPText(b, pdu []byte) []byte {
	var l LLDP
	if err := l.Parse(pdu); err != nil {
		return append(b, "malformed=lldp "...)
	}
	b = append(b, "lldp_chassis="...)
	b = appendID8(b, l.ChassisSubtype, l.ChassisID)
	b = append(b, " lldp_port="...)
	b = appendID8(b, l.PortSubtype, l.PortID)
	b = append(b, " lldp_ttl="...)
	b = strconv.AppendUint(b, uint64(l.TTL), 10)
	for rest := l.Optional; ; {
		typ, v, after, ok := NextTLV(rest)
		if !ok {
			return append(b, ' ')
		}
		b = append(b, " lldp_tlv="...)
		b = appendID8(b, typ, v)
		rest = after
	}
}

// appendID8 appends a subtype, a colon, and the bytes in quotes.
func appendID8(b []byte, subtype uint8, id []byte) []byte {
	b = strconv.AppendUint(b, uint64(subtype), 10)
	b = append(b, ':')
	return strconv.AppendQuoteToASCII(b, string(id))
}
