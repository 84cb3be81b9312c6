package object

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestOneKeyOneContent: random contents have equal keys exactly if they are equal in the canonical form, and whatever
// makes no difference to a switch makes none to the key.
func TestOneKeyOneContent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	byKey, byText := map[string]string{}, map[string]string{}
	var made []*Group
	for range 5000 {
		var o Object
		if r.IntN(4) == 0 {
			o = randomMeter(t, r)
		} else {
			g := randomGroup(t, r, made)
			if made = append(made, g); len(made) > 8 {
				made = made[1:]
			}
			o = g
		}
		text := o.String()
		if known, had := byKey[o.Key()]; had && known != text {
			t.Fatalf("one key: %s and %s", known, text)
		}
		if key, had := byText[text]; had && key != o.Key() {
			t.Fatalf("two keys: %s", text)
		}
		byKey[o.Key()], byText[text] = text, o.Key()
	}
	if len(byKey) < 1000 {
		t.Errorf("%d contents only", len(byKey))
	}
}

// TestOwnedMeters: meters with one content are as many as their owners, and work alike.
func TestOwnedMeters(t *testing.T) {
	free := meter(t, KilobitsPerSecond, drop(1000, 10))
	one, again, two := free.Owned(1), free.Owned(1), free.Owned(2)
	if one.Key() != again.Key() || one.Key() == two.Key() || one.Key() == free.Key() || *one.Digest() == *two.Digest() {
		t.Error("owners do not tell meters apart")
	}
	other := meter(t, KilobitsPerSecond, drop(1001, 10)).Owned(1)
	if !SameWork(one, two) || !SameWork(free, one) || SameWork(one, other) {
		t.Error("what meters do depends on their owners")
	}
	flags := openflow.MeterFlagKbps | openflow.MeterFlagBurst
	read, _ := ReadMeters([]openflow.MeterConfig{{Meter: 5, Flags: flags, Bands: one.Bands()}})
	if !SameWork(read[5], one) {
		t.Error("what a switch lists is not what was written")
	}
}

func randomMeter(t *testing.T, r *rand.Rand) *Meter {
	t.Helper()
	unit, burst := Unit(r.IntN(2)), uint32(r.IntN(2))
	var bands []openflow.Band
	for _, rate := range r.Perm(4)[:1+r.IntN(3)] {
		b := drop(uint32(rate+1), burst*uint32(1+r.IntN(2)))
		if r.IntN(2) == 0 {
			b = remark(b.Rate, b.Burst, uint8(1+r.IntN(2)))
		}
		bands = append(bands, b)
	}
	m := meter(t, unit, bands...)
	r.Shuffle(len(bands), func(i, k int) { bands[i], bands[k] = bands[k], bands[i] })
	if again := meter(t, unit, bands...); again.Key() != m.Key() {
		t.Fatalf("another order of bands has another key: %s", m)
	}
	return m
}

func randomGroup(t *testing.T, r *rand.Rand, others []*Group) *Group {
	t.Helper()
	other := func() *Group {
		if len(others) == 0 || r.IntN(2) == 0 {
			return nil
		}
		if g := others[r.IntN(len(others))]; g.chain < 4 && g.fan < 20 {
			return g
		}
		return nil
	}
	kind := openflow.GroupType(r.IntN(4))
	buckets := make([]Bucket, 1+r.IntN(3))
	if kind == openflow.GroupTypeIndirect {
		buckets = buckets[:1]
	}
	for i := range buckets {
		b := &buckets[i]
		if b.Group = other(); b.Group == nil {
			b.Actions = append(b.Actions, openflow.Output(uint32(1+r.IntN(3))))
		}
		for _, a := range [...]openflow.Action{{Type: openflow.ActionPopVLAN}, openflow.SetField(openflow.FieldIPDSCP,
			uint64(r.IntN(2))),
			openflow.SetField(openflow.FieldVLANPCP, 3), {Type: openflow.ActionSetQueue, ID: uint32(r.IntN(2))}} {
			if r.IntN(3) == 0 {
				b.Actions = append(b.Actions, a)
			}
		}
		if kind == openflow.GroupTypeSelect {
			b.Weight = uint16(1 + r.IntN(3))
		}
		if kind == openflow.GroupTypeFastFailover {
			if b.WatchGroup = other(); b.WatchGroup == nil {
				b.WatchPort = uint32(1 + r.IntN(3))
			}
		}
	}
	g := group(t, kind, buckets...)
	if again := group(t, kind, sameSaidOtherwise(r, kind, buckets)...); again.Key() != g.Key() || *again.Digest() != *g.Digest() {
		t.Fatalf("%s has another key when it is said otherwise: %s", g, again)
	}
	return g
}

// sameSaidOtherwise are buckets that do the same.
func sameSaidOtherwise(r *rand.Rand, kind openflow.GroupType, buckets []Bucket) (list []Bucket) {
	scale := uint16(1 + r.IntN(5))
	for _, b := range buckets {
		if kind == openflow.GroupTypeSelect && r.IntN(3) == 0 {
			list = append(list, Bucket{Actions: []openflow.Action{openflow.Output(9)}}) // of weight 0
		}
		b.Actions = slices.Clone(b.Actions)
		r.Shuffle(len(b.Actions), func(i, k int) { b.Actions[i], b.Actions[k] = b.Actions[k], b.Actions[i] })
		for k := range b.Actions {
			if b.Actions[k].Type == openflow.ActionOutput {
				b.Actions[k].MaxLen = uint16(r.IntN(2) * 100)
			}
		}
		b.Weight *= scale
		if b.WatchPort == 0 && r.IntN(2) == 0 {
			b.WatchPort = openflow.PortAny
		}
		list = append(list, b)
	}
	return list
}

// TestEachPartCounts: contents that differ in one thing differ in their keys.
func TestEachPartCounts(t *testing.T) {
	const ff, share = openflow.GroupTypeFastFailover, openflow.GroupTypeSelect
	do := func(texts ...string) []openflow.Action { return actions(t, texts...) }
	a, b := group(t, ff, Bucket{WatchPort: 1}), group(t, ff, Bucket{WatchPort: 2})
	list := []Object{
		meter(t, PacketsPerSecond, drop(1, 0)), meter(t, KilobitsPerSecond, drop(1, 0)), meter(t, PacketsPerSecond, drop(2, 0)),
		meter(t, PacketsPerSecond, drop(1, 1)), meter(t, PacketsPerSecond, drop(1, 2)), meter(t, PacketsPerSecond,
			remark(1, 0, 1)),
		meter(t, PacketsPerSecond, remark(1, 0, 2)), meter(t, PacketsPerSecond, drop(1, 0), drop(2, 0)),
		a, b, group(t, ff, Bucket{WatchPort: 1, Actions: do("output:1")}), group(t, ff, Bucket{WatchPort: 1,
			Actions: do("output:2")}),
		group(t, ff, Bucket{WatchPort: 2}, Bucket{WatchPort: 1}), group(t, ff, Bucket{WatchPort: 1}, Bucket{WatchPort: 2}),
		group(t, ff, Bucket{WatchGroup: a}), group(t, ff, Bucket{WatchGroup: b}), group(t, ff, Bucket{WatchPort: 1, Group: a}),
		group(t, ff, Bucket{WatchPort: 1, Group: b}), group(t, ff, Bucket{WatchGroup: a, Group: b}), group(t, ff,
			Bucket{WatchGroup: b, Group: a}),
		group(t, ff, Bucket{WatchPort: 1, WatchGroup: a}),
		group(t, share, Bucket{Weight: 1}), group(t, share, Bucket{Weight: 1}, Bucket{Weight: 1}),
		group(t, share, Bucket{Weight: 1}, Bucket{Weight: 2}), group(t, share, Bucket{Weight: 2}, Bucket{Weight: 1}),
		group(t, share, Bucket{Weight: 1, WatchPort: 1}),
		group(t, openflow.GroupTypeAll), group(t, openflow.GroupTypeAll, Bucket{}), group(t, openflow.GroupTypeIndirect,
			Bucket{}),
		group(t, openflow.GroupTypeAll, Bucket{Actions: do("output:controller:1")}),
		group(t, openflow.GroupTypeAll, Bucket{Actions: do("output:controller:2")}),
	}
	keys := map[string]Object{}
	for _, o := range list {
		if same := keys[o.Key()]; same != nil {
			t.Errorf("%s and %s have one key", same, o)
		}
		keys[o.Key()] = o
	}
}

// TestContentsAreTheirOwn: what was given may be changed afterwards.
func TestContentsAreTheirOwn(t *testing.T) {
	bands, list := []openflow.Band{drop(2, 0), drop(1, 0)}, actions(t, "output:1", "set_field:5->ip_dscp")
	buckets := []Bucket{{Actions: list}}
	m, g := meter(t, KilobitsPerSecond, bands...), group(t, openflow.GroupTypeIndirect, buckets...)
	texts := m.String() + g.String()
	if want := "meter kbps {drop,rate=1} {drop,rate=2}group indirect {actions=[set_field:5->ip_dscp,output:1]}"; texts != want {
		t.Errorf("%s, want %s", texts, want)
	}
	bands[0].Rate, list[0].Port, buckets[0].WatchPort = 9, 9, 9
	for i := range list[1].Data {
		list[1].Data[i] = 0
	}
	if got := m.String() + g.String(); got != texts {
		t.Errorf("%s, was %s", got, texts)
	}
}
