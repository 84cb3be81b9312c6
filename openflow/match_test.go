package openflow

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// matchOf makes a match from "name=value,name=value".
func matchOf(t testing.TB, s string) Match {
	t.Helper()
	var m Match
	for pair := range strings.SplitSeq(s, ",") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if err := m.SetText(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// fieldTexts has a value of every field, as text that is written as it was read.
var fieldTexts = []string{
	"in_port=1", "in_port=local", "in_phy_port=7", "metadata=0x1122334455667788", "metadata=0x10/0xf0",
	"eth_dst=01:00:5e:00:00:01", "eth_dst=01:00:00:00:00:00/01:00:00:00:00:00", "eth_src=00:00:00:00:00:0a",
	"eth_type=0x0800", "vlan_vid=0", "vlan_vid=5", "vlan_vid=4095", "vlan_vid=none", "vlan_vid=any", "vlan_vid=0x1004/0x1007",
	"vlan_pcp=7", "ip_dscp=63", "ip_ecn=3", "ip_proto=6", "ipv4_src=10.1.2.3", "ipv4_dst=10.0.0.0/8",
	"ipv4_dst=10.0.0.1/255.0.0.255", "tcp_src=1", "tcp_dst=65535", "udp_src=53", "udp_dst=67", "sctp_src=1", "sctp_dst=2",
	"icmpv4_type=8", "icmpv4_code=1", "arp_op=2", "arp_spa=10.0.0.1", "arp_tpa=10.0.0.0/24", "arp_sha=00:00:00:00:00:01",
	"arp_tha=00:00:00:00:00:00/00:00:00:00:00:ff", "ipv6_src=2001:db8::1", "ipv6_dst=2001:db8::/32",
	"ipv6_dst=::1/ff::ff", "ipv6_flabel=0xfffff", "ipv6_flabel=0x1/0xf", "icmpv6_type=135", "icmpv6_code=0",
	"ipv6_nd_target=fe80::1", "ipv6_nd_sll=00:00:00:00:00:01", "ipv6_nd_tll=00:00:00:00:00:01", "mpls_label=1048575",
	"mpls_tc=7", "mpls_bos=1", "pbb_isid=16777215", "pbb_isid=0x10/0xff", "tunnel_id=0x5", "tunnel_id=0x0/0x1",
	"ipv6_exthdr=0x1ff", "ipv6_exthdr=0x4/0x4", "oxm_0x0001_00=0x01020304", "oxm_0x0001_01=0x10/0xf0",
	"oxm_0xffff_2a=0x4f4e46000001/0xffff",
}

func TestFieldText(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range fieldTexts {
		m := matchOf(t, s)
		if got := m.String(); got != "{"+s+"}" {
			t.Errorf("%s came out as %s", s, got)
		}
		name, _, _ := strings.Cut(s, "=")
		seen[name] = true
	}
	for f := range Field(numFields) {
		if !seen[f.String()] {
			t.Errorf("no text of field %s", f)
		}
		if g, ok := FieldByName(f.String()); !ok || g != f {
			t.Errorf("field %s is found as %s", f, g)
		}
	}
}

func TestFieldTextErrors(t *testing.T) {
	for _, c := range [][3]string{
		{"nothing", "1", "no such field"},
		{"in_port", "x", "want a number or one of"},
		{"in_port", "1/1", "cannot have a mask"},
		{"eth_dst", "1:2:3", "want an address like"},
		{"eth_dst", "00:00:00:00:00:001", "want an address like"},
		{"eth_dst", "00:00:00:00:00:01/8", "want an address like"},
		{"eth_type", "ip", "want a number"},
		{"eth_type", "0x10000", "at most 65535"},
		{"vlan_vid", "4096", "want 0–4095, none or any"},
		{"vlan_vid", "x", "want 0–4095, none or any"},
		{"vlan_pcp", "8", "at most 7"},
		{"ipv4_dst", "10.0.0", "want an address like 10.0.0.1"},
		{"ipv4_dst", "10.0.0.0/33", "at most 32 bits"},
		{"ipv4_dst", "::1", "want an address like 10.0.0.1"},
		{"ipv6_dst", "10.0.0.1", "want an address like 2001:db8::1"},
		{"ipv6_dst", "fe80::1%eth0", "want an address like 2001:db8::1"},
		{"tunnel_id", "0x10000000000000000", "want a number"},
		{"oxm_0x0001_00", "1", "want a field like"},
		{"oxm_0x0001_00", "0x01/0x0102", "as long as the value"},
		{"oxm_0x1_zz", "0x01", "want a field like"},
		{"oxm_0xffff_00", "0x01", "at least 4"},
	} {
		var m Match
		err := m.SetText(c[0], c[1])
		if err == nil || !strings.Contains(err.Error(), c[2]) || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%s=%s: error %v, want %q", c[0], c[1], err, c[2])
		}
		if len(m.OXM) != 0 {
			t.Errorf("%s=%s: changed the match", c[0], c[1])
		}
	}
}

// TestCanonical: matches that mean the same have one form, with prerequisites; others have not.
func TestCanonical(t *testing.T) {
	for _, c := range [][2]string{
		{"", "{}"},
		{"tcp_dst=80,in_port=1", "{in_port=1,eth_type=0x0800,ip_proto=6,tcp_dst=80}"},
		{"tcp_dst=80,ipv6_src=::1", "{eth_type=0x86dd,ip_proto=6,tcp_dst=80,ipv6_src=::1}"},
		{"eth_type=0x86dd,udp_dst=53", "{eth_type=0x86dd,ip_proto=17,udp_dst=53}"},
		{"sctp_dst=1", "{eth_type=0x0800,ip_proto=132,sctp_dst=1}"},
		{"ip_dscp=1", "{eth_type=0x0800,ip_dscp=1}"},
		{"vlan_pcp=3", "{vlan_vid=any,vlan_pcp=3}"},
		{"vlan_pcp=3,vlan_vid=5", "{vlan_vid=5,vlan_pcp=3}"},
		{"icmpv4_type=8", "{eth_type=0x0800,ip_proto=1,icmpv4_type=8}"},
		{"ipv6_nd_sll=00:00:00:00:00:01", "{eth_type=0x86dd,ip_proto=58,icmpv6_type=135,ipv6_nd_sll=00:00:00:00:00:01}"},
		{"ipv6_nd_tll=00:00:00:00:00:01", "{eth_type=0x86dd,ip_proto=58,icmpv6_type=136,ipv6_nd_tll=00:00:00:00:00:01}"},
		{"arp_tpa=10.0.0.1", "{eth_type=0x0806,arp_tpa=10.0.0.1}"},
		{"mpls_label=1", "{eth_type=0x8847,mpls_label=1}"},
		{"pbb_isid=1", "{eth_type=0x88e7,pbb_isid=1}"},
		{"ipv4_dst=10.0.0.1/32", "{eth_type=0x0800,ipv4_dst=10.0.0.1}"},
		{"eth_type=0x0800,ipv4_dst=10.0.0.1/0", "{eth_type=0x0800}"},
		{"ipv4_dst=10.1.1.1/8", "{eth_type=0x0800,ipv4_dst=10.0.0.0/8}"},
		{"vlan_vid=0x1005/0x1fff", "{vlan_vid=5}"},
		{"eth_dst=00:00:00:00:00:01/ff:ff:ff:ff:ff:ff", "{eth_dst=00:00:00:00:00:01}"},
		{"oxm_0x0001_00=0x01,in_port=1", "{in_port=1,oxm_0x0001_00=0x01}"},
	} {
		m := matchOf(t, c[0])
		canonical := m.Canonical()
		if got := canonical.String(); got != c[1] {
			t.Errorf("%s has the canonical form %s, want %s", c[0], got, c[1])
		}
		if err := canonical.Check(); err != nil {
			t.Errorf("%s: %v", c[1], err)
		}
		if again := canonical.Canonical(); again.String() != c[1] || again.Key() != m.Key() || !again.Equal(m) {
			t.Errorf("%s: the canonical form of the canonical form is %s", c[1], again.String())
		}
	}
	a, b := matchOf(t, "in_port=1,eth_dst=00:00:00:00:00:01"), matchOf(t, "eth_dst=00:00:00:00:00:01,in_port=1")
	other := matchOf(t, "eth_dst=00:00:00:00:00:01,in_port=2")
	if !a.Equal(b) || a.Key() != b.Key() || a.Equal(other) || a.Key() == other.Key() {
		t.Error("equality is not that of the meaning")
	}
}

// TestSetAllocatesOwnMemory: changing a match that is a view changes no message.
func TestSetAllocatesOwnMemory(t *testing.T) {
	wire := encoded(t, V13, benchFlowMod())
	before := string(wire)
	var f FlowMod
	if err := f.Parse(V13, wire[HeaderLen:]); err != nil {
		t.Fatal(err)
	}
	clone := f.Match.Clone()
	f.Match.SetUint(FieldInPort, 9)
	f.Match.SetUint(FieldTunnelID, 9)
	f.Match.SetUintMasked(FieldMetadata, 0xff, 0xf)
	f.Match.Remove(FieldEthDst)
	f.Match.Remove(FieldUDPDst)
	if string(wire) != before {
		t.Error("the message changed")
	}
	if v, ok := f.Match.Uint(FieldInPort); !ok || v != 9 {
		t.Errorf("in_port is %d", v)
	}
	if _, _, ok := f.Match.Lookup(FieldEthDst); ok {
		t.Error("eth_dst is still there")
	}
	if value, mask, ok := f.Match.Lookup(FieldMetadata); !ok || number(value) != 0xf || number(mask) != 0xf {
		t.Errorf("metadata is %x/%x", value, mask)
	}
	if v, ok := clone.Uint(FieldInPort); !ok || v != 3 {
		t.Errorf("in_port of the clone is %d", v)
	}
	var names []string
	clone.Each(func(name, value string) { names = append(names, name+"="+value) })
	if got := strings.Join(names,
		" "); got != "in_port=3 eth_dst=00:00:00:00:00:02 eth_src=00:00:00:00:00:01 eth_type=0x0800 ipv4_dst=10.0.0.1" {
		t.Error(got)
	}
}

// TestMatchRefused: each fault of a match has its code.
func TestMatchRefused(t *testing.T) {
	inPort := "8000000400000001"
	for _, c := range []struct {
		what, oxm string
		code      ErrorCode
	}{
		{"no room for a header", inPort + "800000", BadMatchBadLen},
		{"longer than the match", inPort + "8000080608", BadMatchBadLen},
		{"eth_type of 3 bytes", "80000a03080000", BadMatchBadLen},
		{"in_port of 0 bytes", "80000000", BadMatchBadLen},
		{"a mask of another length", "8000070b0000000000010000000000", BadMatchBadLen},
		{"an experimenter without id", "ffff000100", BadMatchBadLen},
		{"in_port twice", inPort + inPort, BadMatchDupField},
		{"an unknown class's field twice", "0001000101" + "0001000102", BadMatchDupField},
		{"an experimenter's field twice", "ffff0005000023200a" + "ffff0005000023200b", BadMatchDupField},
		{"field 40", "8000500100", BadMatchBadField},
		{"field 127", "8000fe0100", BadMatchBadField},
		{"in_port with a mask", "80000108" + "00000001" + "ffffffff", BadMatchBadMask},
		{"eth_type with a mask", "80000b04" + "0800" + "ffff", BadMatchBadMask},
		{"value outside of the mask", "80000510" + "0000000000000003" + "0000000000000002", BadMatchBadWildcards},
		{"vlan_vid without the bit", "80000c020005", BadMatchBadValue},
		{"vlan_vid of 14 bits", "80000c022005", BadMatchBadValue},
		{"vlan_pcp of 8", "80000c021005" + "80000e0108", BadMatchBadValue},
		{"ip_dscp of 64", "80000a020800" + "8000100140", BadMatchBadValue},
		{"ip_ecn of 4", "80000a020800" + "8000120104", BadMatchBadValue},
		{"mpls_label of 21 bits", "80000a028847" + "8000440400100000", BadMatchBadValue},
		{"ipv6_flabel of 21 bits", "80000a0286dd" + "8000380400100000", BadMatchBadValue},
		{"mpls_bos of 2", "80000a028847" + "8000480102", BadMatchBadValue},
		{"ipv6_exthdr of 10 bits", "80000a0286dd" + "80004e020200", BadMatchBadValue},
		{"in_phy_port without in_port", "8000020400000001", BadMatchBadPrereq},
		{"vlan_pcp without a tag", "80000e0101", BadMatchBadPrereq},
		{"vlan_pcp untagged", "80000c020000" + "80000e0101", BadMatchBadPrereq},
		{"ip_proto without eth_type", "8000140106", BadMatchBadPrereq},
		{"eth_type after ip_proto", "8000140106" + "80000a020800", BadMatchBadPrereq},
		{"ipv4_src of IPv6", "80000a0286dd" + "800016040a000001", BadMatchBadPrereq},
		{"tcp_dst of UDP", "80000a020800" + "8000140111" + "80001c020050", BadMatchBadPrereq},
		{"tcp_dst without ip_proto", "80000a020800" + "80001c020050", BadMatchBadPrereq},
		{"icmpv4_type of ICMPv6", "80000a0286dd" + "800014013a" + "8000260108", BadMatchBadPrereq},
		{"icmpv4_type over IPv6", "80000a0286dd" + "8000140101" + "8000260108", BadMatchBadPrereq},
		{"icmpv6_type over IPv4", "80000a020800" + "800014013a" + "80003a0187", BadMatchBadPrereq},
		{"ipv6_nd_sll of an advertisement", "80000a0286dd" + "800014013a" + "80003a0188" + "80004006000000000001",
			BadMatchBadPrereq},
		{"arp_op of IPv4", "80000a020800" + "80002a020001", BadMatchBadPrereq},
		{"mpls_label of IPv4", "80000a020800" + "8000440400000001", BadMatchBadPrereq},
		{"pbb_isid of IPv4", "80000a020800" + "80004a03000001", BadMatchBadPrereq},
	} {
		m := Match{OXM: fromHex(t, c.oxm)}
		var e *DecodeError
		if err := m.Check(); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: error %v, want %s", c.what, err, c.code)
		}
		meaningless := c.code != BadMatchBadLen && c.code != BadMatchDupField
		if err := checkOXM(m.OXM, true); meaningless != (err == nil) {
			t.Errorf("%s: as a switch's report: error %v", c.what, err)
		}
	}
}

// fromHex is bytes from hexadecimal digits.
func fromHex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := parseHexBytes("0x" + strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAppendFieldText: it says what SetText says, of every kind of field, and allocates nothing.
func TestAppendFieldText(t *testing.T) {
	buf := make([]byte, 0, 64)
	for _, c := range [][2]string{{"ipv4_src", "10.0.0.1"}, {"ipv4_dst", "10.0.0.0/8"},
		{"ipv6_src", "2001:db8::/32"}, {"eth_dst", "00:00:00:00:00:01/ff:ff:ff:00:00:00"},
		{"tcp_dst", "80"}, {"eth_type", "0x0800"}, {"vlan_vid", "none"}, {"vlan_vid", "any"}, {"vlan_vid", "5"},
		{"metadata", "0x1/0xff"}, {"ipv4_src", "1.2.3.4/32"}} {
		f, _ := FieldByName(c[0])
		var m Match
		if err := m.SetText(c[0], c[1]); err != nil {
			t.Fatal(err)
		}
		got, err := AppendFieldText(buf, f, c[1])
		if err != nil || !bytes.Equal(got, m.OXM) {
			t.Errorf("%s=%s: %x, %v, want %x", c[0], c[1], got, err, m.OXM)
		}
		if n := testing.AllocsPerRun(10, func() { _, _ = AppendFieldText(buf, f, c[1]) }); n > 0 && c[0] != "vlan_vid" {
			t.Errorf("%s=%s: %v allocations", c[0], c[1], n)
		}
	}
	for _, c := range [][2]string{{"eth_dst", "00:00:00:00:00"}, {"eth_dst", "00:00:00:00:00:01:02"},
		{"eth_dst", "000:00:00:00:00:01"}, {"eth_dst", ""}, {"tcp_dst", "80/1"}, {"ipv4_src", "::1"}} {
		f, _ := FieldByName(c[0])
		if b, err := AppendFieldText(buf, f, c[1]); err == nil {
			t.Errorf("%s=%s is %x", c[0], c[1], b)
		}
	}
}

// TestAppendCanonical: it is Canonical, of any match, and allocates nothing for fields of the
// table.
func TestAppendCanonical(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	texts := [][2]string{{"eth_src", "00:00:00:00:00:01"}, {"eth_dst", "00:00:00:00:00:00/00:00:00:00:00:00"},
		{"eth_type", "0x86dd"}, {"vlan_vid", "5"}, {"vlan_pcp", "1"},
		{"ip_dscp", "10"}, {"ip_proto", "17"}, {"ipv4_src", "10.0.0.0/8"}, {"ipv6_src", "2001:db8::/32"},
		{"ipv6_flabel", "0x1"}, {"tcp_src", "1"}, {"udp_dst", "53"}, {"sctp_src", "4"},
		{"arp_spa", "10.0.0.1"}, {"icmpv4_type", "8"}, {"icmpv6_type", "135"}, {"icmpv6_code", "0"},
		{"ipv6_nd_target", "fe80::1"}, {"ipv6_nd_sll", "00:00:00:00:00:01"},
		{"ipv6_nd_tll", "00:00:00:00:00:01"}, {"mpls_label", "3"}, {"pbb_isid", "0x1/0xff"},
		{"oxm_0x0001_00", "0x1f"}, {"metadata", "0x0/0xffffffffffffffff"}}
	buf := make([]byte, 0, 256)
	for range 5000 {
		var m Match
		own := true
		for range r.IntN(5) {
			text := texts[r.IntN(len(texts))]
			own = own && text[0] != "oxm_0x0001_00"
			if err := m.SetText(text[0], text[1]); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := m.AppendCanonical(buf), m.Canonical().OXM; !bytes.Equal(got, want) {
			t.Fatalf("%s: %s, want %s", m, Match{OXM: got}, Match{OXM: want})
		}
		if n := testing.AllocsPerRun(1, func() { m.AppendCanonical(buf) }); own && n > 0 {
			t.Fatalf("%s: %v allocations", m, n)
		}
	}
}
