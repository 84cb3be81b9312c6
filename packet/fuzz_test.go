package packet

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// oddFrames are headers that no builder writes: tags, 802.3, IPv4 options and fragments, IPv6
// extensions, ND with doubled options.
func oddFrames() map[string][]byte {
	k4, k6 := base(false, 0), base(true, 0)
	udp := []byte{0x03, 0xe8, 0, 53, 0, 8, 0, 0}
	v4 := func(change func(p []byte)) []byte {
		f := append(appendIP(nil, &k4, ProtoUDP, len(udp)), udp...)
		change(f[EthernetLen:])
		return f
	}
	tcp := func(change func(p []byte)) []byte {
		f := AppendTCP(nil, &k4, 0, 0, 0, nil)
		change(f[EthernetLen+IPv4Len:])
		return f
	}
	v6 := func(first uint8, headers ...byte) []byte {
		return append(append(appendIP(nil, &k6, first, len(headers)+len(udp)), headers...), udp...)
	}
	addrs := AppendEthernet(nil, mac2, mac1, 0, 0, 0)[:12]
	at := func(tail ...byte) []byte { return append(bytes.Clone(addrs), tail...) }
	opts := append(appendIP(nil, &k4, ProtoUDP, 4+len(udp)), append([]byte{1, 1, 1, 0}, udp...)...)
	opts[EthernetLen] = 0x46
	ns := NewNDSolicit(mac1, v6a, v6b)
	ns.NDTLL = mac2
	twoKinds := AppendND(nil, &ns, 0)
	twice := bytes.Clone(twoKinds)
	twice[len(twice)-8] = NDOptSLL
	zero := bytes.Clone(twoKinds)
	zero[len(zero)-7] = 0
	igmp := appendIP(nil, &k4, ProtoIGMP, 8)
	return map[string][]byte{
		"qinq":            at(0x88, 0xa8, 0x60, 7, 0x81, 0x00, 0, 9, 0x08, 0x06),
		"three-tags":      at(0x81, 0, 0, 1, 0x81, 0, 0, 2, 0x81, 0, 0, 3, 8, 0),
		"tag-cut":         at(0x81, 0, 0),
		"priority-tag":    at(0x81, 0, 0xe0, 0, 0x88, 0xb5),
		"802.3":           at(0, 3, 0x42, 0x42, 3),
		"snap":            at(0, 8, 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x06),
		"snap-foreign":    at(0, 8, 0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0x00),
		"ipv4-options":    opts,
		"ipv4-first-frag": v4(func(p []byte) { p[6] = 0x20 }),
		"ipv4-later-frag": v4(func(p []byte) { p[6], p[7] = 0, 1 }),
		"ipv4-version-6":  v4(func(p []byte) { p[0] = 0x65 }),
		"ipv4-ihl-4":      v4(func(p []byte) { p[0] = 0x44 }),
		"ipv4-total-19":   v4(func(p []byte) { p[3] = 19 }),
		"ipv4-total-more": v4(func(p []byte) { p[2] = 1 }),
		"ipv4-total-27":   v4(func(p []byte) { p[3] = 27 }),
		"igmp":            append(igmp, 0x16, 0, 0, 0, 224, 0, 0, 1),
		"ipv6-hop-by-hop": v6(ProtoHopByHop, ProtoUDP, 0, 1, 4, 0, 0, 0, 0),
		"ipv6-three": v6(ProtoHopByHop, ProtoDstOpts, 0, 1, 4, 0, 0, 0, 0, ProtoAH, 0, 1, 4, 0, 0, 0, 0,
			ProtoUDP, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		"ipv6-first-frag":    v6(ProtoFragment, ProtoUDP, 0, 0, 1, 0, 0, 0, 9),
		"ipv6-later-frag":    v6(ProtoFragment, ProtoUDP, 0, 0, 8, 0, 0, 0, 9),
		"ipv6-atomic-frag":   v6(ProtoFragment, ProtoUDP, 0, 0, 0, 0, 0, 0, 9),
		"ipv6-extension-cut": v6(ProtoRouting, ProtoUDP, 9, 0, 0, 0, 0, 0, 0),
		"ipv6-nine": v6(ProtoDstOpts,
			append(bytes.Repeat([]byte{ProtoDstOpts, 0, 1, 4, 0, 0, 0, 0}, MaxExtensions), ProtoUDP, 0, 1, 4, 0, 0, 0, 0)...),
		"ipv6-eight": v6(ProtoDstOpts,
			append(bytes.Repeat([]byte{ProtoDstOpts, 0, 1, 4, 0, 0, 0, 0}, MaxExtensions-1), ProtoUDP, 0, 1, 4, 0, 0, 0, 0)...),
		"tcp-offset-4":    tcp(func(p []byte) { p[12] = 0x40 }),
		"tcp-offset-15":   tcp(func(p []byte) { p[12] = 0xf0 }),
		"nd-two-options":  twoKinds,
		"nd-option-twice": twice,
		"nd-option-zero":  zero,
		"arp-ipv6":        at(0x08, 0x06, 0, 1, 0x86, 0xdd, 6, 16, 0, 1),
	}
}

// FuzzKey holds ParseKey, ParseEthernet and the text to agreement with each other and with
// gopacket, on any bytes.
func FuzzKey(f *testing.F) {
	for _, b := range frames() {
		f.Add(b.frame)
	}
	for _, frame := range oddFrames() {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var k Key
		end, fault := ParseKey(frame, &k)
		if end > len(frame) || end < 0 {
			t.Fatalf("end %d of %d", end, len(frame))
		}
		dst, src, vlan, etherType, payload, ok := ParseEthernet(frame)
		if ok != (k.Layers.Has(LayerEthernet) && fault != FaultVLAN) || payload > len(frame) {
			t.Fatalf("ParseEthernet ok %v payload %d, ParseKey fault %v", ok, payload, fault)
		}
		if ok && (MACFromUint64(dst) != k.EthDst || MACFromUint64(src) != k.EthSrc || vlan != k.VLAN ||
			etherType != k.EtherType) {
			t.Fatalf("ParseEthernet %x %x %x %x, ParseKey %v", dst, src, vlan, etherType, &k)
		}
		if d := disagreement(frame); d != "" {
			t.Fatal(d)
		}
		if len(Ethernet(frame).String()) == 0 {
			t.Fatal("no text")
		}
		if k.Layers.Has(LayerIPv6) {
			proto, _, ok := IPv6(frame[payload:]).Payload()
			if ok && proto != k.IPProto {
				t.Fatalf("Payload says protocol %d, key %d", proto, k.IPProto)
			}
		}
	})
}

// FuzzLLDP: what parses agrees with gopacket, and is written again to the same bytes up to the end
// TLV.
func FuzzLLDP(f *testing.F) {
	l := sampleLLDP()
	pdu := l.Append(nil)
	for n := range len(pdu) + 1 {
		f.Add(pdu[:n])
	}
	f.Fuzz(func(t *testing.T, pdu []byte) {
		var l LLDP
		if l.Parse(pdu) != nil {
			return
		}
		if d := lldpDisagreement(pdu); d != "" {
			t.Fatal(d)
		}
		l.Org(0x001122, 1)
		again := l.Append(nil)
		body := again[:len(again)-2]
		// A TTL TLV may carry more than its two bytes, which are not kept.
		if len(body) <= len(pdu) && binary.BigEndian.Uint16(pdu[4+len(l.ChassisID)+len(l.PortID)+2:]) == uint16(
			TLVTTL)<<9|2 && !bytes.HasPrefix(pdu, body) {
			t.Fatalf("written again\n got %x\nfrom %x", again, pdu)
		}
		var twin LLDP
		if err := twin.Parse(again); err != nil || !bytes.Equal(twin.Optional, l.Optional) || twin.TTL != l.TTL {
			t.Fatalf("parsed again: %v %+v", err, twin)
		}
	})
}

// FuzzParseMAC: what parses prints the same but for case and separator.
func FuzzParseMAC(f *testing.F) {
	for _, s := range []string{"00:16:3e:00:00:01", "00-16-3E-00-00-01", "", "::::::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMAC(s)
		if err != nil {
			return
		}
		again, err := ParseMAC(m.String())
		if err != nil || again != m || MACFromUint64(m.Uint64()) != m || len(s) != 17 {
			t.Fatalf("%q is %v, again %v %v", s, m, again, err)
		}
	})
}
