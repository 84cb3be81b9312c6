package object

import (
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// listed are samples as a switch lists them.
func listed(list []sample) (groups []openflow.GroupDesc, meters []openflow.MeterConfig) {
	for _, s := range list {
		switch m := s.object.Message(Add, s.number, numbers(list)).(type) {
		case *openflow.GroupMod:
			groups = append(groups, openflow.GroupDesc{Kind: m.Kind, Group: m.Group, Buckets: m.Buckets})
		case *openflow.MeterMod:
			meters = append(meters, openflow.MeterConfig{Flags: m.Flags, Meter: m.Meter, Bands: m.Bands})
		}
	}
	return groups, meters
}

// wantListed wants the contents of samples, whatever of them there is, and nothing else.
func wantListed(t *testing.T, list []sample, groups []openflow.GroupDesc, meters []openflow.MeterConfig) {
	t.Helper()
	gotGroups, otherGroups := ReadGroups(groups)
	gotMeters, otherMeters := ReadMeters(meters)
	if len(otherGroups)+len(otherMeters) > 0 || len(gotGroups)+len(gotMeters) != len(list) {
		t.Errorf("%d groups and %d meters of %d; others %v, %v", len(gotGroups), len(gotMeters), len(list), otherGroups,
			otherMeters)
	}
	n := &Numbers{Meters: gotMeters, Groups: gotGroups}
	for _, s := range list {
		var got Object
		if _, is := s.object.(*Meter); is {
			if m := n.Meter(s.number); m != nil {
				got = m
			}
		} else if g := n.Group(s.number); g != nil {
			got = g
		}
		if got == nil || got.Key() != s.object.Key() {
			t.Errorf("%s: listed as %v, want %s", s.name, got, s.object)
		}
	}
}

// TestListed: what a switch lists has the content that was written, in any order, with fields that mean nothing set to
// anything.
func TestListed(t *testing.T) {
	list := samples(t)
	groups, meters := listed(list)
	wantListed(t, list, groups, meters)
	slices.Reverse(groups)
	for i := range meters {
		m := &meters[i]
		m.Flags |= openflow.MeterFlagStats
		if m.Flags&openflow.MeterFlagPktps == 0 {
			m.Flags &^= openflow.MeterFlagKbps // the unit that there is without a flag
		}
		if m.Flags&openflow.MeterFlagBurst == 0 {
			m.Bands = slices.Clone(m.Bands)
			for k := range m.Bands {
				m.Bands[k].Burst = m.Bands[k].Rate
			}
		}
		slices.Reverse(m.Bands)
	}
	for i := range groups {
		g := &groups[i]
		for k := range g.Buckets {
			b := &g.Buckets[k]
			if !watches(g) {
				b.WatchPort, b.WatchGroup = 0, 0
			}
			if g.Kind != openflow.GroupTypeSelect {
				b.Weight = 1
			}
			b.Actions = slices.Clone(b.Actions)
			slices.Reverse(b.Actions)
		}
	}
	wantListed(t, list, groups, meters)
}

// TestListedByOthers: what nobody of ours writes is named with the reason, and so is what uses it.
func TestListedByOthers(t *testing.T) {
	bucket := func(texts ...string) []openflow.Bucket {
		return []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: actions(t, texts...)}}
	}
	watch := func(group uint32) []openflow.Bucket {
		return []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: group}}
	}
	groups := []openflow.GroupDesc{
		{Group: 1, Buckets: bucket("experimenter:0x00002320:0x0001")},
		{Group: 2, Buckets: bucket("group:1")},
		{Group: 3, Buckets: bucket("group:99")},
		{Group: 4, Buckets: bucket("group:6", "group:6")},
		{Group: 5, Kind: openflow.GroupTypeFastFailover, Buckets: bucket("output:1")},
		{Group: 6, Buckets: bucket("output:1")},
		{Group: 6, Buckets: bucket("output:2")}, // counts
		{Group: 7, Buckets: bucket("group:6")},
		{Group: 20, Kind: openflow.GroupTypeFastFailover, Buckets: watch(21)},
		{Group: 21, Buckets: append(bucket("group:22"), bucket("group:6")...)},
		{Group: 22, Buckets: append(bucket("group:6"), bucket("group:20", "group:6")...)},
		{Group: 23, Buckets: bucket("group:22")},
		{Group: 24, Buckets: bucket("group:24")},
		{Group: 25, Buckets: bucket("group:23")},
		{Group: 26, Buckets: watch(99)}, // means nothing in this type
		{Group: 27, Buckets: watch(27)},
	}
	got, other := ReadGroups(groups)
	wants := map[uint32]string{
		1: "buckets have no such action", 2: "uses group 1, which is none of ours",
		3: "uses group 99, which the switch does not list",
		4: "bucket 0 sends to two groups", 5: "it watches nothing",
		20: "circle of groups that use each other: 20, 21, 22, 20", 21: ": 20, 21, 22, 20", 22: ": 20, 21, 22, 20",
		23: ": 20, 21, 22, 20", 24: "circle of groups that use each other: 24, 24", 25: ": 20, 21, 22, 20",
	}
	for number, want := range wants {
		if err := other[number]; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("group %d: %v, want %s", number, err, want)
		}
	}
	if len(other) != len(wants) || len(got) != 4 || got[26] == nil || got[27] == nil {
		t.Errorf("others %v; groups %v", other, got)
	}
	if out := got[7].Out(); !slices.Equal(out, []uint32{2}) {
		t.Errorf("group 7 outputs to %d, want 2", out)
	}

	meters, others := ReadMeters([]openflow.MeterConfig{
		{Meter: 1, Flags: 3, Bands: []openflow.Band{drop(1, 0)}}, {Meter: 2}, {Meter: 3, Bands: []openflow.Band{drop(1, 0)}},
	})
	refused(t, "two units", meters[1] == nil, others[1])
	refused(t, "no band", meters[2] == nil, others[2])
	if len(others) != 2 || len(meters) != 1 {
		t.Errorf("meters %v, others %v", meters, others)
	}
}

// TestLongCircle: a circle of any length, and a chain of any length into it, end.
func TestLongCircle(t *testing.T) {
	const circle, chain = 20000, 20000
	var groups []openflow.GroupDesc
	for i := range uint32(circle + chain) {
		next := i + 1
		if next == circle {
			next = 0
		} else if next == circle+chain {
			next = 5
		}
		groups = append(groups, openflow.GroupDesc{Group: i, Buckets: []openflow.Bucket{
			{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: []openflow.Action{openflow.Group(next)}}}})
	}
	got, other := ReadGroups(groups)
	if len(got) != 0 || len(other) != circle+chain {
		t.Fatalf("%d groups, %d others", len(got), len(other))
	}
	for number, err := range other {
		if want := ": 0, 1, 2, 3, 4, 5, 6, 7, 19992 others, 0"; !strings.HasSuffix(err.Error(), want) {
			t.Fatalf("group %d: %v, want %s", number, err, want)
		}
	}
	groups[circle-1].Buckets = nil // a chain of 40,000, of which the last 32 are taken
	if got, other = ReadGroups(groups); len(got) != ChainMax || len(other) != circle+chain-ChainMax {
		t.Errorf("%d groups, %d others", len(got), len(other))
	}
}

// FuzzListing: of any listing what is ours is written again to the same listing, and nothing is lost.
func FuzzListing(f *testing.F) {
	list := samples(f)
	groups, meters := listed(list)
	for _, body := range []openflow.ReplyBody{&openflow.GroupDescList{Groups: groups},
		&openflow.MeterConfigList{Meters: meters}} {
		b, err := (&openflow.MultipartReply{Body: body}).Append(nil, openflow.V13)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m openflow.MultipartReply
		if m.Parse(openflow.V13, b) != nil {
			return
		}
		switch body := m.Body.(type) {
		case *openflow.GroupDescList:
			fuzzGroups(t, body.Groups)
		case *openflow.MeterConfigList:
			got, other := ReadMeters(body.Meters)
			for _, m := range body.Meters {
				if got[m.Meter] == nil && other[m.Meter] == nil {
					t.Errorf("meter %d is nowhere", m.Meter)
				}
			}
			for number, m := range got {
				mod := m.Message(Add, number, nil).(*openflow.MeterMod)
				if again, err := readMeter(&openflow.MeterConfig{Flags: mod.Flags, Bands: mod.Bands}); err != nil ||
					again.Key() != m.Key() {
					t.Errorf("%s is read again as %v, %v", m, again, err)
				}
			}
		}
	})
}

func fuzzGroups(t *testing.T, list []openflow.GroupDesc) {
	got, other := ReadGroups(list)
	for _, g := range list {
		if got[g.Group] == nil && other[g.Group] == nil {
			t.Errorf("group %d is nowhere", g.Group)
		}
	}
	numberOf := make(map[string]uint32)
	for number, g := range got {
		numberOf[g.Key()] = number
	}
	var again []openflow.GroupDesc
	for number, g := range got {
		m := g.Message(Add, number, func(o Object) uint32 { return numberOf[o.Key()] }).(*openflow.GroupMod)
		again = append(again, openflow.GroupDesc{Kind: m.Kind, Group: number, Buckets: m.Buckets})
	}
	same, none := ReadGroups(again)
	for number, g := range got {
		if same[number] == nil || same[number].Key() != g.Key() {
			t.Errorf("group %d, %s, is read again as %v; %v", number, g, same[number], none[number])
		}
	}
}
