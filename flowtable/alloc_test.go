package flowtable

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// changes are actions that change a packet in most ways that there are.
const changes = "set_field:10.0.0.9->ipv4_dst,set_field:9->udp_dst,set_field:8->ip_dscp,dec_nw_ttl,push_vlan:0x8100,set_field:5->vlan_vid,"

// instructed are all sorts of things that an entry may do with a packet.
var instructed = []struct{ name, do string }{
	{"output", "apply:[output:2]"},
	{"flood", "apply:[output:flood]"},
	{"normal", "apply:[output:normal]"},
	{"controller", "apply:[output:controller:128]"},
	{"changes", "apply:[" + changes + "output:2,pop_vlan,push_mpls:0x8847,dec_mpls_ttl,copy_ttl_out,copy_ttl_in,output:3]"},
	{"action set", "write:[" + changes + "output:2]"},
	{"groups", "apply:[group:1,group:2,group:3]"},
	{"meter", "meter:1;apply:[output:2]"},
	{"tables", "write_metadata:0x5;goto_table:1"},
	{"invalid ttl", "apply:[set_nw_ttl:1,dec_nw_ttl]"},
}

// instructedBed is a switch with an entry that does something with each packet of UDP that comes in
// at port 1, and with what that entry needs.
func instructedBed(tb testing.TB, do string, out Output) *bed {
	b := newBed(tb, Config{Buffers: 16})
	bucket := func(do string) openflow.Bucket {
		in, err := openflow.ParseInstruction("apply:" + do)
		if err != nil {
			tb.Fatal(err)
		}
		return openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: in.Actions}
	}
	one, two := bucket("[set_field:00:00:00:00:00:01->eth_dst,output:2]"), bucket("[output:3]")
	for id, kind := range []openflow.GroupType{openflow.GroupTypeAll, openflow.GroupTypeSelect,
		openflow.GroupTypeIndirect} {
		m := &openflow.GroupMod{Kind: kind, Group: uint32(id + 1), Buckets: []openflow.Bucket{one, two}}
		if kind == openflow.GroupTypeSelect {
			m.Buckets[0].Weight, m.Buckets[1].Weight = 1, 2
		}
		if kind == openflow.GroupTypeIndirect {
			m.Buckets = m.Buckets[:1]
		}
		if err := b.GroupMod(openflow.V13, m, 0, out); err != nil {
			tb.Fatal(err)
		}
	}
	meter := &openflow.MeterMod{Meter: 1, Flags: openflow.MeterFlagPktps, Bands: []openflow.Band{
		{Type: openflow.BandDSCPRemark, Rate: 1, PrecLevel: 1},
	}}
	if err := b.MeterMod(openflow.V13, meter, 0, out); err != nil {
		tb.Fatal(err)
	}
	b.must(flow(tb, 1, "in_port=1,eth_type=0x0800,ip_proto=17", do))
	m := flow(tb, 1, "metadata=0x5", "apply:[output:2]")
	m.Table = 1
	b.must(m)
	for i := range 5 { // so that the cache is used
		b.must(flow(tb, uint16(10+i), "in_port=9,eth_dst=00:00:00:00:00:00/"+[]string{"ff", "fe", "fc", "f8",
			"f0"}[i]+":00:00:00:00:00", ""))
	}
	return b
}

// TestReceiveAllocatesNothing: whatever the entries do with a packet.
func TestReceiveAllocatesNothing(t *testing.T) {
	for _, c := range instructed {
		t.Run(c.name, func(t *testing.T) {
			var out sink
			b := instructedBed(t, c.do, &out)
			frame, now := udp(0), time.Duration(0)
			send := func() {
				now++
				b.Receive(1, frame, now, &out)
			}
			for range 100 { // scratch memory and cache settle
				send()
			}
			if n := testing.AllocsPerRun(200, send); n != 0 {
				t.Errorf("%v allocations a packet", n)
			}
			if out.sent+out.shown == 0 {
				t.Error("nothing came out")
			}
		})
	}
}

// TestFlowModAllocates little: the entry, its match, its instructions and their actions.
func TestFlowModAllocates(t *testing.T) {
	s, out := New(Config{}), &sink{}
	m := flow(t, 1, "in_port=1,eth_type=0x0800,ipv4_dst=10.0.0.1", "apply:[output:2]")
	wire, err := m.Append(nil, openflow.V13)
	if err != nil {
		t.Fatal(err)
	}
	var parsed openflow.FlowMod
	n := testing.AllocsPerRun(1000, func() {
		if err := parsed.Parse(openflow.V13, wire); err != nil {
			t.Fatal(err)
		}
		if err := s.FlowMod(openflow.V13, &parsed, 0, out); err != nil {
			t.Fatal(err)
		}
	})
	if n > 4 {
		t.Errorf("%v allocations for an entry that replaces another", n)
	}
	if s.Entries() != 1 {
		t.Errorf("%d entries", s.Entries())
	}
}

// TestMessageMemoryIsNotKept: what a message was parsed from may be overwritten after the call.
func TestMessageMemoryIsNotKept(t *testing.T) {
	b := newBed(t, Config{})
	m := flow(t, 1, "eth_dst=02:00:00:00:00:0b",
		"apply:[set_field:02:00:00:00:00:77->eth_src,output:2];write:[set_field:02:00:00:00:00:78->eth_dst,output:3]")
	wire, err := m.Append(nil, openflow.V13)
	if err != nil {
		t.Fatal(err)
	}
	var parsed openflow.FlowMod
	if err := parsed.Parse(openflow.V13, wire); err != nil {
		t.Fatal(err)
	}
	b.must(&parsed)
	clear(wire)
	b.Receive(1, udp(0), 0, &b.out)
	want := "transmit port=2 " + frameText(append([]byte{2, 0, 0, 0, 0, 0x0b, 2, 0, 0, 0, 0, 0x77}, udp(0)[12:]...)) +
		"\ntransmit port=3 " + frameText(append([]byte{2, 0, 0, 0, 0, 0x78, 2, 0, 0, 0, 0, 0x77}, udp(0)[12:]...))
	if got := b.out.take(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
