package flowtable

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// plain is the twin of a table: a list that is searched from end to end.
type plain struct {
	match    filter
	priority uint16
	id       uint64 // its cookie
}

// TestTableAgreesWithItsTwin: random entries come and go, and random packets find what a search of
// all entries finds, through the cache too.
func TestTableAgreesWithItsTwin(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := New(Config{Seed: seed})
		var twin []plain
		var out sink
		for step := range 400 {
			m := &openflow.FlowMod{
				Priority: uint16(r.IntN(40)), Cookie: uint64(step + 1), Buffer: openflow.NoBuffer,
				OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
				Match: randomMatch(r), IdleTimeout: uint16(r.IntN(3)),
			}
			if r.IntN(3) == 0 && len(twin) > 0 {
				m.Command = []openflow.FlowModCommand{openflow.FlowDelete, openflow.FlowDeleteStrict}[r.IntN(2)]
			}
			if err := s.FlowMod(openflow.V13, m, 0, &out); err != nil {
				t.Fatal(err)
			}
			twin = change(t, twin, m)
			if len(twin) != s.Entries() {
				t.Fatalf("seed %d, step %d: %d entries, want %d", seed, step, s.Entries(), len(twin))
			}
			for range 10 {
				compare(t, s, twin, r)
			}
			if err := s.Check(); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
		if next, ok := s.Expire(0, &out); ok && next != time.Second && next != 2*time.Second {
			t.Errorf("next is %v", next)
		}
		s.Expire(3*time.Second, &out)
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// randomMatch matches some of a few addresses and ports, with few masks.
func randomMatch(r *rand.Rand) (m openflow.Match) {
	if r.IntN(2) == 0 {
		m.SetUint(openflow.FieldInPort, uint64(1+r.IntN(3)))
	}
	if r.IntN(2) == 0 {
		m.SetUint(openflow.FieldVLANVID, uint64(openflow.VLANPresent)+uint64(r.IntN(2)))
	}
	if r.IntN(3) == 0 {
		return m
	}
	m.SetUint(openflow.FieldEthType, uint64(packet.TypeIPv4))
	if bits := r.IntN(5) * 8; bits > 0 {
		mask := uint64(^uint32(0)) << (32 - bits) & 0xffffffff
		m.SetUintMasked(openflow.FieldIPv4Dst, uint64(0x0a000000+r.IntN(3)*0x010101), mask)
		m = m.Canonical()
	}
	return m
}

// change does to the twin what a flow-mod does to a table.
func change(t *testing.T, twin []plain, m *openflow.FlowMod) []plain {
	var f filter
	if err := f.parse(&m.Match); err != nil {
		t.Fatal(err)
	}
	var rest []plain
	for _, e := range twin {
		same := e.match == f && e.priority == m.Priority
		gone := same
		if m.Command == openflow.FlowDelete {
			gone = f.covers(&e.match.mask, &e.match.value)
		}
		if !gone {
			rest = append(rest, e)
		}
	}
	if m.Command == openflow.FlowAdd {
		rest = append(rest, plain{f, m.Priority, m.Cookie})
	}
	return rest
}

// compare looks a random packet up in both. Of several entries of the highest priority any will do.
func compare(t *testing.T, s *Switch, twin []plain, r *rand.Rand) {
	k := packet.Key{EtherType: packet.TypeIPv4,
		IPDst: packet.AddrFrom4([4]byte{10, byte(r.IntN(3)), byte(r.IntN(3)), byte(r.IntN(3))})}
	if r.IntN(2) == 0 {
		k.VLAN = packet.VLANPresent | uint16(r.IntN(2))
	}
	frame := packet.AppendUDP(nil, &k, nil)
	s.pass.begin(s, frame, uint32(1+r.IntN(3)))
	best := -1
	ids := make(map[uint64]bool)
	for _, e := range twin {
		if e.match.covers(&all, &s.pass.frame.key) && int(e.priority) >= best {
			if int(e.priority) > best {
				clear(ids)
			}
			best = int(e.priority)
			ids[e.id] = true
		}
	}
	var got *entry
	if s.tables != nil {
		got = s.tables[0].lookup(&s.pass.frame.key)
	}
	if got == nil && best >= 0 || got != nil && !ids[got.cookie] {
		t.Fatalf("%s found %v, want one of %v", frameText(frame), got, ids)
	}
}

// all is the mask of a packet: every bit counts.
var all = func() (w words) {
	for i := range w {
		w[i] = ^uint64(0)
	}
	return w
}()

// TestMatchText: a match that goes through the words comes out in its canonical form.
func TestMatchText(t *testing.T) {
	for _, s := range []string{
		"", "in_port=1", "in_port=1,in_phy_port=2", "metadata=0x10/0xf0", "metadata=0x5",
		"eth_dst=01:00:00:00:00:00/01:00:00:00:00:00",
		"eth_src=00:00:00:00:00:0a", "vlan_vid=none", "vlan_vid=any", "vlan_vid=7,vlan_pcp=3", "vlan_vid=0x1004/0x1007",
		"eth_type=0x0800,ip_dscp=7,ip_ecn=1,ip_proto=6,ipv4_src=10.0.0.0/8,ipv4_dst=10.0.0.1,tcp_src=1,tcp_dst=2",
		"eth_type=0x0800,ip_proto=17,udp_src=1,udp_dst=2", "eth_type=0x0800,ip_proto=132,sctp_src=1,sctp_dst=2",
		"eth_type=0x0800,ip_proto=1,icmpv4_type=8,icmpv4_code=0", "eth_type=0x0806,arp_op=2,arp_spa=10.0.0.1,arp_tpa=10.0.0.0/24",
		"eth_type=0x0806,arp_sha=00:00:00:00:00:01,arp_tha=00:00:00:00:00:02",
		"eth_type=0x86dd,ip_proto=58,ipv6_src=2001:db8::/32,ipv6_dst=::1,ipv6_flabel=0x1/0xf,icmpv6_type=135,icmpv6_code=0,ipv6_nd_target=fe80::1,ipv6_nd_sll=00:00:00:00:00:01",
		"eth_type=0x86dd,ip_proto=58,icmpv6_type=136,ipv6_nd_tll=00:00:00:00:00:01", "eth_type=0x86dd,ipv6_flabel=0xfffff",
		"eth_type=0x8847,mpls_label=1048575,mpls_tc=7,mpls_bos=1", "eth_type=0x86dd,ipv6_exthdr=0x1ff",
		"eth_type=0x86dd,ipv6_exthdr=0x4/0x4", "tunnel_id=0x5", "tunnel_id=0x0/0x1", "eth_type=0x86dd,ip_proto=6,tcp_dst=80",
	} {
		m := matchOf(t, s)
		var f filter
		if err := f.parse(&m); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		got := openflow.Match{OXM: f.appendOXM(nil)}
		if want := m.Canonical().String(); got.String() != want {
			t.Errorf("%s came out as %s, want %s", s, got, want)
		}
	}
}

// TestManyTimeouts: a hundred thousand entries run out at their times, in order, and one call costs
// what runs out.
func TestManyTimeouts(t *testing.T) {
	s, out := New(Config{}), &sink{}
	const n = 100_000
	for i := range n {
		m := &openflow.FlowMod{Buffer: openflow.NoBuffer, HardTimeout: uint16(1 + i%1000), Flags: openflow.FlagSendFlowRemoved}
		m.Match.SetUint(openflow.FieldMetadata, uint64(i))
		if err := s.FlowMod(openflow.V13, m, 0, out); err != nil {
			t.Fatal(err)
		}
	}
	for second := 1; second <= 1000; second++ {
		next, ok := s.Expire(time.Duration(second)*time.Second, out)
		if out.removed != second*n/1000 || s.Entries() != n-out.removed || ok != (second < 1000) ||
			ok && next != time.Duration(second+1)*time.Second {
			t.Fatalf("second %d: %d removed, %d left, next %v %v", second, out.removed, s.Entries(), next, ok)
		}
	}
}

// TestSelectGroup: flows spread over the buckets by their weights, a flow keeps its bucket, and
// when one dies only its flows move.
func TestSelectGroup(t *testing.T) {
	b := newBed(t, Config{Seed: 3})
	m := &openflow.GroupMod{Kind: openflow.GroupTypeSelect, Group: 1}
	for i, weight := range []uint16{1, 2, 5, 0} {
		m.Buckets = append(m.Buckets, openflow.Bucket{
			Weight: weight, WatchPort: uint32(i + 1), WatchGroup: openflow.GroupAny,
			Actions: []openflow.Action{openflow.Output(uint32(i + 1))},
		})
	}
	if err := b.GroupMod(openflow.V13, m, 0, &b.out); err != nil {
		t.Fatal(err)
	}
	b.AddPort(openflow.Port{Number: 5}, 0, &b.out)
	b.must(flow(t, 1, "", "apply:[group:1]"))
	where := func(flow int) string {
		k := packet.Key{EtherType: packet.TypeIPv4, SrcPort: uint16(flow), DstPort: 9}
		b.out.take()
		b.Receive(5, packet.AppendUDP(nil, &k, nil), 0, &b.out)
		var port string
		if _, err := fmt.Sscanf(b.out.take(), "transmit port=%s", &port); err != nil {
			t.Fatal(err)
		}
		return port
	}
	const flows = 8000
	first, counts := make([]string, flows), map[string]int{}
	for i := range first {
		first[i] = where(i)
		counts[first[i]]++
	}
	for port, want := range map[string]int{"1": 1000, "2": 2000, "3": 5000, "4": 0} {
		if n := counts[port]; n < want*9/10 || n > want*11/10 {
			t.Errorf("port %s has %d flows, want about %d", port, n, want)
		}
	}
	b.SetPortState(2, false, 0, &b.out)
	for i := range first {
		if at := where(i); at == "2" || first[i] != "2" && at != first[i] {
			t.Fatalf("flow %d went to %s and then to %s", i, first[i], at)
		}
	}
}

// covers reports whether whatever matches mask and value also matches f.
func (f *filter) covers(mask, value *words) bool {
	for i := range f.mask {
		if f.mask[i]&^mask[i] != 0 || (f.value[i]^value[i])&f.mask[i] != 0 {
			return false
		}
	}
	return true
}
