package spec

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// randomSpec is an intent of which most are valid.
func randomSpec(r *rand.Rand) Spec {
	s := Spec{ID: "i-" + string(rune('a'+r.IntN(26))), Kind: Kind(1 + r.IntN(5)), Priority: uint16(r.IntN(PriorityMax + 1))}
	if r.IntN(4) == 0 {
		s.ID = ""
	}
	point := func() End {
		return End{Point: netview.Point{DPID: netview.DPID(r.IntN(5)), Port: 1 + uint32(r.IntN(4))}}
	}
	several := func() (list []End) {
		for range 1 + r.IntN(5) {
			list = append(list, point())
		}
		return list
	}
	switch s.Kind {
	case HostToHost:
		vlan := uint16(r.IntN(2) * r.IntN(4095))
		s.Src = []End{{Host: netview.HostID{MAC: packet.MACFromUint64(uint64(1 + r.IntN(9))), VLAN: vlan}}}
		s.Dst = []End{{Host: netview.HostID{MAC: packet.MACFromUint64(uint64(11 + r.IntN(9))), VLAN: vlan}}}
	case PointToPoint:
		s.Src, s.Dst = []End{point()}, []End{point()}
	case MultipointToPoint:
		s.Src, s.Dst = several(), []End{point()}
	case PointToMultipoint:
		s.Src, s.Dst = []End{point()}, several()
	case Path:
		for i := range 1 + r.IntN(6) {
			in := 1 + uint32(r.IntN(4))
			s.Hops = append(s.Hops, topology.Hop{DPID: netview.DPID(i), In: in, Out: in + 1})
		}
	}
	s.Selector = randomSelector(r)
	s.Wide = r.IntN(4) > 0
	return s
}

// randomSelector has a few fields, in any order, some of which may contradict each other.
func randomSelector(r *rand.Rand) (m openflow.Match) {
	texts := [][2]string{{"eth_src", "00:00:00:00:00:01"}, {"eth_dst", "00:00:00:00:00:00/00:00:00:00:00:00"},
		{"eth_type", "0x0800"}, {"eth_type", "0x86dd"},
		{"vlan_vid", "5"}, {"vlan_vid", "any"}, {"vlan_pcp", "1"}, {"ip_dscp", "10"}, {"ip_proto", "6"},
		{"ip_proto", "17"}, {"ipv4_src", "10.0.0.0/8"}, {"ipv4_src", "10.0.0.9"},
		{"ipv4_dst", "10.0.0.1/255.0.255.255"}, {"ipv6_src", "2001:db8::/32"}, {"ipv6_flabel", "0x1"},
		{"tcp_src", "1"}, {"tcp_dst", "80"}, {"udp_dst", "53"},
		{"arp_spa", "10.0.0.1"}, {"icmpv4_type", "8"}, {"icmpv6_type", "135"}, {"ipv6_nd_target", "fe80::1"},
		{"mpls_label", "3"}, {"pbb_isid", "0x1/0xff"}}
	for range r.IntN(4) {
		t := texts[r.IntN(len(texts))]
		if err := m.SetText(t[0], t[1]); err != nil {
			panic(err)
		}
	}
	return m
}

// TestRandomSpecs: what passes Check passes it again unchanged, is read back from its bytes, and
// has the legs that its selector means, which are canonical; twice reversed is as before.
func TestRandomSpecs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	passed := map[Kind]int{}
	for range 20000 {
		s := randomSpec(r)
		if s.Check() != nil {
			continue
		}
		passed[s.Kind]++
		checkWhole(t, s)
	}
	for k := HostToHost; k <= Path; k++ {
		if passed[k] < 500 {
			t.Errorf("%d intents of kind %s passed: too few to say anything", passed[k], k)
		}
	}
}

// checkWhole checks what holds of every checked spec.
func checkWhole(t *testing.T, s Spec) {
	t.Helper()
	b := s.Append(nil)
	again := s
	if err := again.Check(); err != nil || !again.Same(&s) {
		t.Fatalf("%s: checked again: %v, %s", &s, err, &again)
	}
	read, err := Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", &s, err)
	}
	if !read.Same(&s) || read.String() != s.String() || !bytes.Equal(read.Append(nil), b) {
		t.Fatalf("%s is read back as %s", &s, &read)
	}
	if trusted := Read(string(b)); !reflect.DeepEqual(trusted, read) {
		t.Fatalf("%s is read back without a check as %s", &s, &trusted)
	}
	checkLegs(t, &s)
}

func checkLegs(t *testing.T, s *Spec) {
	t.Helper()
	forward, reverse := s.Matches(nil, false), s.Matches(nil, true)
	if len(forward) == 0 || len(forward) != len(reverse) {
		t.Fatalf("%s: %d legs forward, %d back", s, len(forward), len(reverse))
	}
	for i := range forward {
		for _, m := range [][]byte{forward[i], reverse[i]} {
			match := openflow.Match{OXM: m}
			if err := match.Check(); err != nil || !bytes.Equal(match.Canonical().OXM, m) {
				t.Fatalf("%s: leg %s is not canonical: %v", s, match, err)
			}
			if _, _, ok := match.Lookup(openflow.FieldInPort); ok {
				t.Fatalf("%s: leg %s names the port", s, match)
			}
		}
		if back := reversed(openflow.Match{OXM: reverse[i]}); !bytes.Equal(back.OXM, forward[i]) {
			t.Fatalf("%s: leg %s twice reversed is %s", s, openflow.Match{OXM: forward[i]}, back)
		}
		for j := range i {
			if bytes.Equal(forward[i], forward[j]) {
				t.Fatalf("%s: two equal legs", s)
			}
		}
	}
	if len(s.Selector.OXM) > 0 && !covers(forward[0], s.Selector) {
		t.Fatalf("%s: leg %s is not of its selector", s, openflow.Match{OXM: forward[0]})
	}
}

// covers reports whether a leg asks for all that the selector asks for, but for any tag, which a
// host's VLAN may replace.
func covers(leg []byte, selector openflow.Match) bool {
	all := true
	m := openflow.Match{OXM: leg}
	selector.Each(func(name, value string) {
		found := name == "vlan_vid" && value == "any"
		m.Each(func(n, v string) { found = found || n == name && v == value })
		all = all && found
	})
	return all
}

// TestOneForm: ways to say the same give the same bytes, and other things others.
func TestOneForm(t *testing.T) {
	line := func(kind string, args ...string) string {
		s := parseLine(t, kind, args)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		return string(s.Append(nil))
	}
	same := [][2]string{
		{line("point-to-point", "src=1/1", "dst=2/2", "tcp_dst=80"),
			line("point-to-point", "src=1/1", "dst=2/2", "ip_proto=6", "tcp_dst=80", "eth_type=0x0800")},
		{line("point-to-point", "src=1/1", "dst=2/2", "ipv4_src=10.1.2.3/8"),
			line("point-to-point", "src=1/1", "dst=2/2", "ipv4_src=10.0.0.0/255.0.0.0")},
		{line("point-to-point", "src=1/1", "dst=2/2", "ipv4_src=0.0.0.0/0"), line("point-to-point", "src=1/1", "dst=2/2")},
		{line("point-to-multipoint", "src=1/1", "dst=2/2,3/3"), line("point-to-multipoint", "src=1/1", "dst=3/3,2/2")},
		{line("point-to-point", "src=1/1", "dst=2/2", "wide"), line("point-to-point", "src=1/1", "dst=2/2")},
		{line("point-to-point", "src=1/1", "dst=2/2", "ipv4_src=10.0.0.1", "wide"),
			line("point-to-point", "src=1/1", "dst=2/2", "ipv4_src=10.0.0.1")},
	}
	for i, p := range same {
		if p[0] != p[1] {
			t.Errorf("%d: %x and %x", i, p[0], p[1])
		}
	}
	others := []string{line("point-to-point", "src=1/1", "dst=2/2"), line("point-to-point", "src=2/2", "dst=1/1"),
		line("point-to-point", "src=1/1", "dst=2/2", "priority=7"),
		line("point-to-point", "id=x", "src=1/1", "dst=2/2"), line("multipoint-to-point", "src=1/1", "dst=2/2"),
		line("point-to-point", "src=1/1", "dst=2/2", "vlan_vid=none"),
		line("point-to-point", "src=1/1", "dst=2/2", "ipv4_src=10.0.0.1")}
	seen := map[string]bool{}
	for _, o := range others {
		seen[o] = true
	}
	if len(seen) != len(others) {
		t.Errorf("%d forms of %d intents", len(seen), len(others))
	}
}

// TestCheckLeavesSharedEnds: the ends that a caller still holds are not put in order under its
// hands.
func TestCheckLeavesSharedEnds(t *testing.T) {
	ends := parseEnds(t, "2/2,1/1")
	s := Spec{Kind: MultipointToPoint, Src: ends, Dst: parseEnds(t, "3/3"), Wide: true}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if ends[0].Point.DPID != 2 || s.Src[0].Point.DPID != 1 {
		t.Errorf("given %v, checked %v", ends, s.Src)
	}
}

func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		if s := randomSpec(r); s.Check() == nil {
			f.Add(s.Append(nil))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Parse(b)
		if err != nil {
			return
		}
		if out := s.Append(nil); !bytes.Equal(out, b) {
			t.Fatalf("%x is read as %s, which is %x", b, &s, out)
		}
		checkWhole(t, s)
	})
}

// TestEveryTruncation: no beginning of an intent's bytes is taken for one, but where it ends
// between two match fields.
func TestEveryTruncation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		s := randomSpec(r)
		if s.Check() != nil {
			continue
		}
		b := s.Append(nil)
		for n := range b {
			if short, err := Parse(b[:n]); err == nil && n < len(b)-len(s.Selector.OXM) {
				t.Fatalf("%d of %d bytes of %s are %s", n, len(b), &s, &short)
			}
		}
	}
}

var benchSpec = func() Spec {
	s := Spec{ID: "intent-000001", Kind: PointToPoint, Priority: 100,
		Src: []End{{Point: netview.Point{DPID: 1, Port: 1}}}, Dst: []End{{Point: netview.Point{DPID: 2, Port: 1}}}}
	s.Selector.SetUint(openflow.FieldEthType, 0x0800)
	s.Selector.SetUint(openflow.FieldIPv4Src, 0x0a000001)
	s.Selector.SetUint(openflow.FieldIPv4Dst, 0x0a000002)
	return s
}()

func BenchmarkCheck(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := benchSpec
		if err := s.Check(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = benchSpec.Append(buf[:0])
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	form := benchSpec.Append(nil)
	for b.Loop() {
		if _, err := Parse(form); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAllocationBudgets: checking what is canonical allocates nothing, appending neither, and
// parsing three times.
func TestAllocationBudgets(t *testing.T) {
	need.NoRace(t)
	form := benchSpec.Append(nil)
	buf := make([]byte, 0, 256)
	var r Reader
	text := string(form)
	for _, c := range []struct {
		what string
		most float64
		f    func()
	}{
		{"Check", 0, func() { s := benchSpec; _ = s.Check() }},
		{"Append", 0, func() { buf = benchSpec.Append(buf[:0]) }},
		{"Parse", 3, func() { _, _ = Parse(form) }},
		{"Reader", 0, func() { r.Read(text) }},
		{"Matches", 0, func() { var room [2][]byte; benchSpec.Matches(room[:0], false) }},
	} {
		if got := testing.AllocsPerRun(100, c.f); got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", c.what, got, c.most)
		}
	}
}
