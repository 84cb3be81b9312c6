package openflow

import (
	"bytes"
	"errors"
	"testing"
)

// fixed10 is a match of OpenFlow 1.0 with these wildcards and every field set.
func fixed10(wildcards uint32, vlan uint16, dlType uint16, proto uint8) []byte {
	b := append32(nil, wildcards)
	b = append16(b, 3)
	b = append(b, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2)
	b = append16(b, vlan)
	b = append(b, 5, 0)
	b = append16(b, dlType)
	b = append(b, 0xb8, proto, 0, 0)
	b = append32(append32(b, 0x0a010203), 0x0a040506)
	return append16(append16(b, 0x0008), 0x0001)
}

// TestMeaning10: what the 40 bytes of a match mean in the fields of OpenFlow 1.3.
func TestMeaning10(t *testing.T) {
	const l2 = wild10InPort | wild10DLSrc | wild10DLDst | wild10VLAN | wild10PCP
	const addresses = 32<<shift10Src | 32<<shift10Dst
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{fixed10(wild10All, 0, 0, 0), "{}"},
		{fixed10(1<<22-1, 0, 0, 0), "{}"},
		{fixed10(0xffffffff, 0, 0, 0), "{}"},
		{fixed10(wild10All&^l2, 5, 0, 0),
			"{in_port=3,eth_dst=00:00:00:00:00:02,eth_src=00:00:00:00:00:01,vlan_vid=5,vlan_pcp=5}"},
		{fixed10(wild10All&^wild10VLAN, 0xffff, 0, 0), "{vlan_vid=none}"},
		{fixed10(wild10All&^(wild10VLAN|wild10PCP), 0xffff, 0, 0), "{vlan_vid=none}"},
		{fixed10(wild10All&^wild10VLAN, 0, 0, 0), "{vlan_vid=0}"},
		{fixed10(wild10All&^wild10VLAN, 0xf005, 0, 0), "{vlan_vid=5}"},
		{fixed10(wild10All&^wild10PCP, 7, 0, 0), "{vlan_vid=any,vlan_pcp=5}"},
		{fixed10(wild10All&^(wild10TOS|wild10Proto|wild10TPSrc|addresses), 0, 0x0800, 6), "{}"},
		{fixed10(l2|wild10TPDst, 0, 0x0800, 6),
			"{eth_type=0x0800,ip_dscp=46,ip_proto=6,ipv4_src=10.1.2.3,ipv4_dst=10.4.5.6,tcp_src=8}"},
		{fixed10(l2|8<<shift10Src|31<<shift10Dst|wild10TOS, 0, 0x0800, 17),
			"{eth_type=0x0800,ip_proto=17,ipv4_src=10.1.2.0/24,ipv4_dst=0.0.0.0/1,udp_src=8,udp_dst=1}"},
		{fixed10(l2|33<<shift10Src|63<<shift10Dst|wild10TOS, 0, 0x0800, 1),
			"{eth_type=0x0800,ip_proto=1,icmpv4_type=8,icmpv4_code=1}"},
		{fixed10(l2|addresses|wild10TOS, 0, 0x0800, 132), "{eth_type=0x0800,ip_proto=132,sctp_src=8,sctp_dst=1}"},
		{fixed10(l2|addresses|wild10TOS, 0, 0x0800, 99), "{eth_type=0x0800,ip_proto=99}"},
		{fixed10(l2|addresses|wild10TOS|wild10Proto, 0, 0x0800, 6), "{eth_type=0x0800}"},
		{fixed10(l2, 0, 0x0806, 1), "{eth_type=0x0806,arp_op=1,arp_spa=10.1.2.3,arp_tpa=10.4.5.6}"},
		{fixed10(l2, 0, 0x86dd, 58), "{eth_type=0x86dd,ip_dscp=46,ip_proto=58,icmpv6_type=8,icmpv6_code=1}"},
		{fixed10(l2, 0, 0x88cc, 6), "{eth_type=0x88cc}"},
	} {
		var m Match
		var a arena
		n, err := m.parse(V10, c.b, &a)
		if err != nil || n != match10Len {
			t.Fatalf("%d %v", n, err)
		}
		if got := m.String(); got != c.want {
			t.Errorf("%x means %s, want %s", c.b, got, c.want)
		}
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", m.String(), err)
		}
		if got, err := m.append(nil, V10); err != nil || !bytes.Equal(got, c.b) {
			t.Errorf("%x came out as %x, %v", c.b, got, err)
		}
		// Without the 40 bytes, what is written means the same.
		bare := Match{OXM: m.OXM}
		got, err := bare.append(nil, V10)
		if err != nil {
			if be16(c.b[at10DLType:]) != etherTypeIPv6 {
				t.Errorf("%s: %v", m.String(), err)
			}
			continue
		}
		var again Match
		if _, err := again.parse(V10, got, &a); err != nil || !again.Equal(m) {
			t.Errorf("%s came out as %s, %v", m.String(), again.String(), err)
		}
	}
}

// TestFixedIsForgotten: a match of OpenFlow 1.0 that is changed is written as it is now.
func TestFixedIsForgotten(t *testing.T) {
	b := fixed10(wild10All&^wild10InPort, 5, 0, 0)
	var m Match
	var a arena
	if _, err := m.parse(V10, b, &a); err != nil {
		t.Fatal(err)
	}
	clone := m.Clone()
	m.SetUint(FieldInPort, 4)
	for i := range a.bytes {
		a.bytes[i] = 0xff
	}
	got, err := m.append(nil, V10)
	if err != nil || be16(got[at10InPort:]) != 4 || be16(got[at10VLAN:]) != 0 {
		t.Errorf("%x %v", got, err)
	}
	if got, err := clone.append(nil, V10); err != nil || !bytes.Equal(got, b) {
		t.Errorf("the clone came out as %x, %v", got, err)
	}
	if text := string(clone.appendText(nil, V10)); text != "{in_port=3,ofp_match=0x"+string(appendHexBytes(nil, b))[2:]+"}" {
		t.Error(text)
	}
}

// TestInexpressible10: what OpenFlow 1.0 cannot match is refused, never widened.
func TestInexpressible10(t *testing.T) {
	for _, s := range []string{
		"metadata=0x1", "eth_dst=01:00:00:00:00:00/01:00:00:00:00:00", "vlan_vid=any", "vlan_vid=0x1004/0x1007",
		"in_port=65280", "in_phy_port=1", "tunnel_id=0x1", "eth_type=0x0800,ip_ecn=1",
		"eth_type=0x0800,ipv4_dst=10.0.0.1/255.0.0.255",
		"eth_type=0x86dd,ipv6_src=::1", "eth_type=0x86dd,ip_proto=6", "eth_type=0x86dd,ip_proto=6,tcp_src=1",
		"eth_type=0x0806,arp_op=256", "eth_type=0x0806,arp_sha=00:00:00:00:00:01", "oxm_0x0001_00=0x01", "mpls_label=1",
	} {
		m := matchOf(t, s)
		if b, err := m.append(nil, V10); !errors.Is(err, ErrVersion) {
			t.Errorf("%s: %x, %v", s, b, err)
		}
	}
	for _, s := range []string{
		"in_port=controller", "vlan_vid=any,vlan_pcp=3", "vlan_vid=0x0000/0x1000", "eth_type=0x0800,ipv4_dst=0.0.0.0/1",
		"eth_dst=00:00:00:00:00:01/ff:ff:ff:ff:ff:ff", "eth_type=0x0806,arp_op=255,arp_tpa=10.0.0.0/24",
	} {
		m := matchOf(t, s)
		var again Match
		b, err := m.append(nil, V10)
		if err == nil {
			_, err = again.parse(V10, b, new(arena))
		}
		if err != nil || again.Key() != m.Key() && s != "vlan_vid=0x0000/0x1000" {
			t.Errorf("%s: came back as %s, %v", s, again.String(), err)
		}
	}
}
