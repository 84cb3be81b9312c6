package flowtable

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestCheckFinds what is made wrong.
func TestCheckFinds(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(s *Switch, e *entry)
		want  string
	}{
		{"count of entries", func(s *Switch, _ *entry) { s.entries++ }, "entries counted"},
		{"count of a table", func(s *Switch, _ *entry) { s.tables[0].size++ }, "entries counted"},
		{"table of an entry", func(_ *Switch, e *entry) { e.table = 3 }, "an entry of table 3"},
		{"a match", func(_ *Switch, e *entry) { e.key[0]++ }, "not found by its match"},
		{"a priority", func(_ *Switch, e *entry) { e.priority = 9 }, "best 9"},
		{"the ranks", func(s *Switch, _ *entry) { s.tables[0].tuples[1].best = 9 }, "not ranked"},
		{"the index of masks", func(s *Switch, _ *entry) { clear(s.tables[0].byMask) }, "not found by its mask"},
		{"an entry without time", func(s *Switch, e *entry) { s.tables[0].heap.remove(e) }, "not in the heap"},
		{"the heap", func(s *Switch, _ *entry) { s.tables[0].heap[0].due = 99e9 }, "out of order"},
		{"references to a group", func(s *Switch, _ *entry) { s.groups[1].refs++ }, "group 1"},
		{"a group", func(s *Switch, _ *entry) { delete(s.groups, 1) }, "group 1"},
		{"users of a meter", func(s *Switch, _ *entry) { s.meters[1].flows++ }, "meter 1"},
		{"a meter", func(s *Switch, _ *entry) { delete(s.meters, 1) }, "meter 1"},
		{"unused references", func(s *Switch, _ *entry) { s.groups[2].refs, s.meters[2].flows = 1, 1 }, "meter 2 counts"},
		{"the ports", func(s *Switch, _ *entry) { s.ports.all[0], s.ports.all[1] = s.ports.all[1], s.ports.all[0] },
			"out of place"},
		{"the cache", func(s *Switch, e *entry) {
			c := &s.tables[0].cache
			for i := range c.slots {
				c.slots[i].entry = e
			}
		}, "the cache remembers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, e := wellKept(t)
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			c.spoil(s, e)
			if err := s.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// wellKept is a switch with some of everything, and an entry that is alone in its tuple and runs
// out.
func wellKept(t *testing.T) (*Switch, *entry) {
	s, out := New(Config{}), &sink{}
	for no := uint32(1); no <= 2; no++ {
		s.AddPort(openflow.Port{Number: no}, 0, out)
		if err := s.MeterMod(openflow.V13, &openflow.MeterMod{Meter: no}, 0, out); err != nil {
			t.Fatal(err)
		}
		if err := s.GroupMod(openflow.V13, &openflow.GroupMod{Group: no}, 0, out); err != nil {
			t.Fatal(err)
		}
	}
	for i, match := range []string{"in_port=1", "eth_type=0x0800", "vlan_vid=none"} {
		m := flow(t, uint16(5-i), match, "meter:1;apply:[group:1]")
		m.HardTimeout = uint16(10 + i)
		if err := s.FlowMod(openflow.V13, m, 0, out); err != nil {
			t.Fatal(err)
		}
	}
	s.Receive(2, udp(5), 0, out) // into the cache
	var f filter
	m := matchOf(t, "in_port=1")
	if err := f.parse(&m); err != nil {
		t.Fatal(err)
	}
	return s, s.tables[0].exact(&f, 5)
}
