package changelog

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type change struct {
	revision uint64
	size     int
}

func newLog(limit, room int) Log[uint64, change] {
	return New(limit, room, func(c *change) uint64 { return c.revision }, func(c *change) int { return c.size })
}

// TestLogAgainstNaive compares the ring with a list over random appends.
func TestLogAgainstNaive(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		limit, room := 1+r.IntN(200), 1+r.IntN(2000)
		l := newLog(limit, room)
		var list []change
		var complete uint64
		for range 1000 {
			l.Current++
			for range r.IntN(3) {
				c := change{l.Current, r.IntN(40)}
				l.Append(c)
				list = append(list, c)
				sum := func() (n int) {
					for i := range list {
						n += list[i].size
					}
					return n
				}
				for len(list) > 1 && (len(list) > limit || sum() > room) {
					complete, list = list[0].revision, list[1:]
				}
			}
			var kept []change
			for i := range l.Len() {
				kept = append(kept, *l.At(i))
			}
			if !slices.Equal(kept, list) {
				t.Fatalf("seed %d: %v, want %v", seed, kept, list)
			}
			after := r.Uint64N(l.Current + 2)
			if got, want := l.Reaches(after), after >= complete && after <= l.Current; got != want {
				t.Fatalf("seed %d: reaches %d: %v, want %v", seed, after, got, want)
			}
			want := slices.IndexFunc(list, func(c change) bool { return c.revision > after })
			if want < 0 {
				want = len(list)
			}
			if got := l.First(after); got != want {
				t.Fatalf("seed %d: first after %d is %d, want %d", seed, after, got, want)
			}
		}
		for i := l.Len(); i < len(l.ring); i++ {
			if *l.At(i) != (change{}) {
				t.Fatalf("seed %d: a change that was dropped is kept", seed)
			}
		}
	}
}

// TestChanged: a reader that waits is woken with the next revision, one that is behind at once.
func TestChanged(t *testing.T) {
	l := newLog(10, 10)
	wait := l.Changed(0)
	if l.Changed(0) != wait {
		t.Error("two watchers have two channels")
	}
	select {
	case <-wait:
		t.Fatal("woken before there is a change")
	default:
	}
	l.Current = 1
	l.Wake()
	<-wait
	<-l.Changed(0)
	select {
	case <-l.Changed(1):
		t.Fatal("woken without a change")
	default:
	}
}
