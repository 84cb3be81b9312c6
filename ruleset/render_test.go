package ruleset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// made is a Meter or a Group, which must be one.
func made[T any](t testing.TB) func(T, error) T {
	return func(o T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
}

// backup outputs to the first of some ports that is up.
func backup(t testing.TB, ports ...uint32) *object.Group {
	t.Helper()
	var buckets []object.Bucket
	for _, port := range ports {
		buckets = append(buckets, object.Bucket{WatchPort: port, Actions: []openflow.Action{openflow.Output(port)}})
	}
	return made[*object.Group](t)(object.NewGroup(openflow.GroupTypeFastFailover, buckets...))
}

// copies sends a copy to each of some groups, and one back.
func copies(t testing.TB, groups ...*object.Group) *object.Group {
	t.Helper()
	buckets := []object.Bucket{{Actions: []openflow.Action{openflow.Output(openflow.PortInPort)}}}
	for _, g := range groups {
		buckets = append(buckets, object.Bucket{Group: g})
	}
	return made[*object.Group](t)(object.NewGroup(openflow.GroupTypeAll, buckets...))
}

func limit(t testing.TB, rate uint32) *object.Meter {
	t.Helper()
	return made[*object.Meter](t)(object.NewMeter(object.PacketsPerSecond, openflow.Band{Type: openflow.BandDrop, Rate: rate}))
}

// numbering gives objects numbers from a first one on, in the order of a list, and knows them by these.
func numbering(first uint32, list []object.Object) (of func(object.Object) uint32, numbers *object.Numbers) {
	numbers = &object.Numbers{Meters: map[uint32]*object.Meter{}, Groups: map[uint32]*object.Group{}}
	byKey := map[string]uint32{}
	for i, o := range list {
		number := first + uint32(i)
		byKey[o.Key()] = number
		switch o := o.(type) {
		case *object.Meter:
			numbers.Meters[number] = o
		case *object.Group:
			numbers.Groups[number] = o
		}
	}
	return func(o object.Object) uint32 { return byKey[o.Key()] }, numbers
}

// TestObjectsOfBehaviours: a behaviour names its objects by content: its key does not depend on numbers, and is that of
// what is rendered with any numbers, and listed with them.
func TestObjectsOfBehaviours(t *testing.T) {
	first, second := backup(t, 1, 2), backup(t, 3, 9)
	all, slow := copies(t, first, second), limit(t, 7)
	use := made[*Behaviour](t)
	list := func() []openflow.Instruction {
		return []openflow.Instruction{openflow.UseMeter(2), openflow.Apply(openflow.Group(0), openflow.Output(8),
			openflow.Group(1)),
			{Type: openflow.InstructionWriteActions, Actions: []openflow.Action{openflow.Group(0)}}}
	}
	b := use(Use(5, list(), all, first, slow))
	again := use(Use(5, []openflow.Instruction{openflow.UseMeter(0), openflow.Apply(openflow.Group(2),
		openflow.Output(8), openflow.Group(1)),
		{Type: openflow.InstructionWriteActions, Actions: []openflow.Action{openflow.Group(2)}}},
		limit(t, 7), backup(t, 1, 2), copies(t, backup(t, 1, 2), backup(t, 3, 9))))
	if !b.Equal(again) {
		t.Error("objects in another order make another behaviour")
	}
	for i, other := range []*Behaviour{
		use(Use(5, list(), all, first, limit(t, 8))), use(Use(5, list(), all, second, slow)),
		use(Use(5, list(), copies(t, first), first, slow)), Do(5, list()),
		use(Use(5, list()[1:], all, first)),
	} {
		if other.Equal(b) {
			t.Errorf("behaviour %d is the same", i)
		}
	}
	if want := []uint32{1, 2, 3, 5, 8, 9}; !slices.Equal(b.Out(), want) {
		t.Errorf("ports %d, want %d", b.Out(), want)
	}

	order := b.Objects()
	if len(order) != 4 || order[0] != object.Object(slow) || order[3].Key() != all.Key() {
		t.Errorf("objects %v", order)
	}
	for _, at := range []uint32{100, 3} {
		of, numbers := numbering(at, order)
		got, err := b.Render(openflow.V13, of)
		want := fmt.Sprintf("[meter:%d apply:[group:%d,output:8,group:%d] write:[group:%d]]", of(slow), of(all), of(first), of(all))
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%v, %v, want %s", got, err, want)
		}
		if key := AppendKeyOf(nil, got, numbers); string(key) != b.Key() {
			t.Errorf("what was rendered with numbers from %d has another key", at)
		}
		if key := AppendKeyOf(nil, got, nil); string(key) == b.Key() || string(key) != string(AppendKey(nil, got)) {
			t.Errorf("numbers that mean nothing are taken for objects")
		}
	}
}

// TestObjectsThatAreNot: instructions that name what is not there, or of another kind, make no behaviour.
func TestObjectsThatAreNot(t *testing.T) {
	slow, first := limit(t, 7), backup(t, 1)
	for _, c := range []struct {
		i    openflow.Instruction
		want string
	}{
		{openflow.UseMeter(2), "name object 2 of 2"}, {openflow.Apply(openflow.Group(7)), "name object 7 of 2"},
		{openflow.UseMeter(1), "use object 1, group ff {watch_port=1,actions=[output:1]}, as the other kind"},
		{openflow.Apply(openflow.Group(0)), "use object 0, meter pktps {drop,rate=7}, as the other kind"},
	} {
		if b, err := Use(1, []openflow.Instruction{c.i}, slow, first); err == nil || b != nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.i, err, c.want)
		}
	}
	b, err := Use(1, []openflow.Instruction{openflow.Apply(openflow.Output(3))}, slow, first)
	if err != nil || len(b.Objects()) != 0 || !b.Equal(Outputs(1, 3)) {
		t.Errorf("objects that no instruction names: %v, %v", b, err)
	}
}

// TestRenderedForOpenFlow10: a group that only backs up is an action there, and known again; others are refused.
func TestRenderedForOpenFlow10(t *testing.T) {
	first := backup(t, 1, 2)
	apply := []openflow.Instruction{openflow.Apply(openflow.Group(0), openflow.Output(3))}
	b := made[*Behaviour](t)(Use(1, apply, first))
	got, err := b.Render(openflow.V10, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "[apply:[experimenter:0x00002320:0x000c000000000000000000020002000000000000000000000001000200000000,output:3]]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if key := AppendKeyOf(nil, got, new(object.Numbers)); string(key) != b.Key() {
		t.Error("what was rendered has another key")
	}
	if fmt.Sprint(b.Instructions()) != fmt.Sprint(apply) {
		t.Errorf("rendering changed the behaviour to %v", b.Instructions())
	}
	for _, c := range []struct {
		i    openflow.Instruction
		o    object.Object
		want string
	}{
		{openflow.UseMeter(0), limit(t, 7), "OpenFlow 1.0 has no meters"},
		{apply[0], copies(t, first), "group of type all: OpenFlow 1.0 has no groups"},
	} {
		b := made[*Behaviour](t)(Use(1, []openflow.Instruction{c.i}, c.o))
		if got, err := b.Render(openflow.V10, nil); err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want %s", c.o, got, err, c.want)
		}
	}
}

// TestRenderBudget: what has no objects is rendered as it is, and entries with objects are compared by keys without
// allocating.
func TestRenderBudget(t *testing.T) {
	need.NoRace(t)
	plain := Outputs(1, 2)
	of, numbers := numbering(1, []object.Object{backup(t, 1, 2), limit(t, 7)})
	b := made[*Behaviour](t)(Use(1, []openflow.Instruction{openflow.UseMeter(0), openflow.Apply(openflow.Group(1))},
		limit(t, 7), backup(t, 1, 2)))
	listed, err := b.Render(openflow.V13, of)
	if err != nil {
		t.Fatal(err)
	}
	room := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() {
		if got, err := plain.Render(openflow.V13, of); err != nil || &got[0] != &plain.Instructions()[0] {
			t.Error("another list")
		}
		if room = AppendKeyOf(room[:0], listed, numbers); string(room) != b.Key() {
			t.Error("another key")
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
