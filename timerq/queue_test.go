package timerq

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// thing is a value that knows its place.
type thing struct{ place int }

// naive is a list that is searched.
type naive struct {
	list  []slot[uint64, *thing]
	added uint64
}

func (n *naive) set(at uint64, v *thing) {
	n.remove(v)
	n.added++
	n.list = append(n.list, slot[uint64, *thing]{at, n.added, v})
}

func (n *naive) remove(v *thing) {
	n.list = slices.DeleteFunc(n.list, func(s slot[uint64, *thing]) bool { return s.value == v })
}

func (n *naive) first() slot[uint64, *thing] {
	return slices.MinFunc(n.list, func(a, b slot[uint64, *thing]) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
}

// TestQueueAgainstNaive compares the heap with a list over random operations.
func TestQueueAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	q, twin := New[uint64](func(v *thing, place int) { v.place = place }), naive{}
	all := make([]thing, 50)
	for range 50_000 {
		v := &all[r.IntN(len(all))]
		switch r.IntN(5) {
		case 0, 1:
			at := r.Uint64N(30)
			q.Set(v.place, at, v)
			twin.set(at, v)
		case 2:
			q.Remove(v.place)
			twin.remove(v)
		case 3:
			now := r.Uint64N(30)
			want := len(twin.list) > 0 && twin.first().at <= now
			got, ok := q.Due(now)
			if ok != want || ok && got != twin.first().value {
				t.Fatalf("due at %d: %v %v, want %v", now, got, ok, want)
			}
			twin.remove(got)
		}
		at, first, ok := q.First()
		if q.Len() != len(twin.list) || ok != (len(twin.list) > 0) {
			t.Fatalf("%d values, first %v, want %d", q.Len(), ok, len(twin.list))
		}
		if ok && (at != twin.first().at || first != twin.first().value) {
			t.Fatalf("first at %d, want %d", at, twin.first().at)
		}
		for i := range all {
			if p := all[i].place; p != 0 && q.slots[p-1].value != &all[i] {
				t.Fatalf("a value believes to stand at %d", p)
			}
		}
	}
}

// TestTimes: values come by time, of equal times in the order of adding, and not before their time.
func TestTimes(t *testing.T) {
	start := time.Now()
	r := rand.New(rand.NewPCG(3, 3))
	type value struct {
		at time.Time
		n  int
	}
	var q Times[value]
	if !q.Next().IsZero() {
		t.Fatal("an empty queue has a next time")
	}
	var list []value
	for i := range 1000 {
		v := value{start.Add(time.Duration(r.IntN(100)-50) * time.Second), i}
		q.Add(v.at, v)
		list = append(list, v)
	}
	slices.SortStableFunc(list, func(a, b value) int { return a.at.Compare(b.at) })
	for _, want := range list {
		if _, ok := q.Due(want.at.Add(-1)); ok {
			t.Fatal("due before its time")
		}
		at, v, ok := q.First()
		if !ok || v != want || !at.Equal(want.at) || !q.Next().Equal(want.at) {
			t.Fatalf("first is %v at %v, want %v", v, at, want)
		}
		if v, ok := q.Due(want.at); !ok || v != want {
			t.Fatalf("%v is due, want %v", v, want)
		}
	}
	if q.Len() != 0 {
		t.Fatalf("%d are left", q.Len())
	}
}

// TestQueueBudget: a queue that has been as long before allocates nothing.
func TestQueueBudget(t *testing.T) {
	need.NoRace(t)
	q := New[uint64](func(v *thing, place int) { v.place = place })
	all := make([]thing, 100)
	churn := func() {
		for i := range all {
			q.Set(all[i].place, uint64(i*37%100), &all[i])
		}
		for i := range 50 {
			q.Remove(all[2*i].place)
		}
		for q.Len() > 0 {
			q.Pop()
		}
	}
	if n := testing.AllocsPerRun(10, churn); n != 0 {
		t.Fatalf("%v allocations, want none", n)
	}
}

func BenchmarkQueue(b *testing.B) {
	q := New[uint64](func(v *thing, place int) { v.place = place })
	all := make([]thing, 1000)
	b.ReportAllocs()
	for i := range b.N {
		v := &all[i%1000]
		q.Set(v.place, uint64(i)*0x9e3779b97f4a7c15>>40, v)
		if i%2 == 0 {
			q.Pop()
		}
	}
}
