package flowtable

import (
	"maps"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestSurveyInParts describes a table in parts, between which entries are removed, replaced and
// added.
func TestSurveyInParts(t *testing.T) {
	s := New(Config{})
	var out sink
	mod := func(command openflow.FlowModCommand, from, to int, cookie uint64) {
		for i := from; i < to; i++ {
			m := openflow.FlowMod{Command: command, Priority: 5, Cookie: cookie, Buffer: openflow.NoBuffer,
				OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
			m.Match.SetUint(openflow.FieldInPort, uint64(i+1))
			if err := s.FlowMod(openflow.V13, &m, 0, &out); err != nil {
				t.Fatal(err)
			}
		}
	}
	mod(openflow.FlowAdd, 0, 100, 1)
	all := &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}
	x, err := s.Survey(openflow.V13, all, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]uint64{} // cookies by port
	describe := func(want int) bool {
		part, more := s.Describe(x, 30, 0)
		if len(part.Flows) > want {
			t.Errorf("%d entries in a part, want at most %d", len(part.Flows), want)
		}
		for _, f := range part.Flows {
			port, _ := f.Match.Uint(openflow.FieldInPort)
			if seen[port] != 0 {
				t.Errorf("the entry of port %d is described twice", port)
			}
			seen[port] = f.Cookie
		}
		return more
	}
	if !describe(30) {
		t.Fatal("nothing after the first part")
	}
	first := maps.Clone(seen)
	mod(openflow.FlowAdd, 0, 50, 2)
	mod(openflow.FlowAdd, 0, 50, 3)
	mod(openflow.FlowDeleteStrict, 50, 60, 0)
	mod(openflow.FlowAdd, 50, 55, 4)
	mod(openflow.FlowAdd, 100, 200, 5)
	for describe(30) {
	}
	for port := uint64(1); port <= 200; port++ {
		want := uint64(1)
		switch {
		case first[port] != 0:
		case port <= 50:
			want = 3
		case port <= 60, port > 100:
			want = 0
		}
		if seen[port] != want {
			t.Errorf("the entry of port %d is described with cookie %d, want %d", port, seen[port], want)
		}
	}
	if _, err := s.Survey(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: 254}}, 0); err == nil {
		t.Error("entries of a table that there is not")
	}
}

// TestSeedOfZero fills a table whose hashes begin with no seed: matches with one word that is 0 do
// not all fall onto one place.
func TestSeedOfZero(t *testing.T) {
	s := New(Config{})
	var out sink
	for i := range 5000 {
		var m openflow.Match
		m.SetUint(openflow.FieldEthType, 0x0800)
		m.SetUint(openflow.FieldIPv4Dst, uint64(i))
		if err := s.FlowMod(openflow.V13, &openflow.FlowMod{Match: m, Buffer: openflow.NoBuffer}, 0, &out); err != nil {
			t.Fatal(err)
		}
	}
	longest, run := 0, 0
	for _, slot := range s.tables[0].tuples[0].slots {
		if run++; slot.entry == nil {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest > 200 {
		t.Errorf("%d of 5,000 entries in a row: each search passes them", longest)
	}
}
