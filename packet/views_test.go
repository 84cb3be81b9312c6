package packet

import (
	"bytes"
	"testing"
)

// TestViews reads every built frame a second time through the views and compares with the key; then
// it reads every prefix, so that no accessor panics after Valid.
func TestViews(t *testing.T) {
	for _, b := range frames() {
		for n := 0; n <= len(b.frame); n++ {
			k, whole := viewKey(b.frame[:n:n])
			if whole && n == len(b.frame) && k != b.key {
				t.Errorf("%s:\n got %v\nwant %v", b.name, &k, &b.key)
			}
			if n == len(b.frame) && !whole {
				t.Errorf("%s: a view is not valid", b.name)
			}
		}
	}
}

// viewKey is a slow ParseKey made of views alone.
func viewKey(frame []byte) (k Key, whole bool) {
	dst, src, vlan, etherType, payload, ok := ParseEthernet(frame)
	if !ok {
		return k, false
	}
	k = Key{EthDst: MACFromUint64(dst), EthSrc: MACFromUint64(src), EtherType: etherType, VLAN: vlan, Layers: LayerEthernet}
	if vlan != 0 {
		k.Layers |= LayerVLAN
		k.PCP = frame[14] >> 5
	}
	rest := frame[payload:]
	switch etherType {
	case TypeARP:
		a := ARP(rest)
		if !a.Valid() {
			return k, false
		}
		k.ARPOp, k.ARPSHA, k.ARPSPA, k.ARPTHA, k.ARPTPA = a.Op(), a.SHA(), a.SPA(), a.THA(), a.TPA()
		k.Layers |= LayerARP
		return k, true
	case TypeIPv4:
		p := IPv4(rest)
		if !p.Valid() || !p.ChecksumOK() || p.ID() != 0 || p.FragmentOffset() != 0 || p.MoreFragments() {
			return k, false
		}
		k.DSCP, k.ECN, k.TTL, k.IPProto, k.IPSrc, k.IPDst = p[1]>>2, p[1]&3, p.TTL(), p.Proto(), p.Src(), p.Dst()
		k.Layers |= LayerIPv4
		return k, viewTransport(p.Payload(), &k)
	case TypeIPv6:
		p := IPv6(rest)
		if !p.Valid() {
			return k, false
		}
		proto, body, ok := p.Payload()
		k.DSCP, k.ECN, k.TTL, k.IPProto, k.IPSrc, k.IPDst = p.TrafficClass()>>2, p.TrafficClass()&3, p.HopLimit(),
			proto, p.Src(), p.Dst()
		k.FlowLabel = p.FlowLabel()
		k.Layers |= LayerIPv6
		return k, ok && viewTransport(body, &k)
	}
	return k, false
}

func viewTransport(b []byte, k *Key) bool {
	switch k.IPProto {
	case ProtoUDP:
		u := UDP(b)
		if !u.Valid() {
			return false
		}
		k.SrcPort, k.DstPort = u.SrcPort(), u.DstPort()
		k.Layers |= LayerUDP
		return string(u.Payload()) == "odd"
	case ProtoTCP:
		s := TCP(b)
		if !s.Valid() {
			return false
		}
		k.SrcPort, k.DstPort, k.TCPFlags = s.SrcPort(), s.DstPort(), s.Flags()
		k.Layers |= LayerTCP
		return s.Seq() == 1 && s.Ack() == 2 && s.Window() == 3 && string(s.Payload()) == "hello"
	}
	m := ICMP(b)
	if !m.Valid() {
		return false
	}
	k.ICMPType, k.ICMPCode = m.Type(), m.Code()
	if k.IPProto == ProtoICMPv4 {
		k.Layers |= LayerICMPv4
	} else {
		k.Layers |= LayerICMPv6
	}
	d := ND(b)
	if k.IPProto == ProtoICMPv4 || !d.Valid() {
		return m.EchoID() == 7 && m.EchoSeq() == 8 && string(m.Payload()) == "ping"
	}
	k.Layers |= LayerND
	k.NDTarget = d.Target()
	typ, value, rest, ok := NextNDOption(d.Options())
	if !ok || len(rest) != 0 {
		return false
	}
	if typ == NDOptSLL {
		k.NDSLL = MAC(value)
		return d.Type() == NDSolicit && d.Flags() == 0
	}
	k.NDTLL = MAC(value)
	return d.Type() == NDAdvert && d.Flags() == NDSolicited|NDOverride
}

func TestRouterMessages(t *testing.T) {
	rs := ND(append([]byte{NDRouterSolicit, 0, 0, 0, 0, 0, 0, 0, NDOptSLL, 1}, mac1[:]...))
	ra := ND(append(append([]byte{NDRouterAdvert}, make([]byte, 15)...), append([]byte{NDOptSLL, 1}, mac2[:]...)...))
	for _, m := range []struct {
		nd  ND
		sll MAC
	}{{rs, mac1}, {ra, mac2}} {
		typ, v, rest, ok := NextNDOption(m.nd.Options())
		if !m.nd.Valid() || !ok || typ != NDOptSLL || MAC(v) != m.sll || len(rest) != 0 {
			t.Errorf("%x: option %d %x %v", []byte(m.nd), typ, v, ok)
		}
		if m.nd[:7].Valid() {
			t.Error("seven bytes are valid")
		}
	}
	if (ND{ICMPv6EchoRequest, 0, 0, 0, 0, 0, 0, 0}).Valid() {
		t.Error("an echo request is neighbour discovery")
	}
}

// TestChecksum: the example of RFC 1071, section 3, and a sum that carries through all bits.
func TestChecksum(t *testing.T) {
	if c := Checksum([]byte{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}); c != ^uint16(0xddf2) {
		t.Errorf("%04x", c)
	}
	for n := range 70 {
		b := bytes.Repeat([]byte{0xff}, n)
		var naive uint32
		for i, c := range b {
			naive += uint32(c) << (8 * (1 - i&1))
			naive = naive>>16 + naive&0xffff
		}
		if c := Checksum(b); c != ^uint16(naive) {
			t.Errorf("%d bytes: %04x, want %04x", n, c, ^uint16(naive))
		}
	}
}

func TestAddr(t *testing.T) {
	if !v4a.Is4() || v6a.Is4() || v4a.String() != "10.0.0.1" || v6b.String() != "2001:db8::2" ||
		v4a.As4() != [4]byte{10, 0, 0, 1} {
		t.Error(v4a, v6a)
	}
	if AddrFrom(v4a.Netip()) != v4a || AddrFrom4(v4a.As4()) != v4a || AddrFrom(v6a.Netip()) != v6a ||
		!AddrFrom((Addr{}).Netip()).IsZero() {
		t.Error("addresses do not survive")
	}
}
