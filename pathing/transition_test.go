package pathing

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// between is the rules of a path that follows another, from the ingress on.
func between(from, to []topology.Hop) (rules []Rule) {
	for i, h := range to {
		r := Rule{Ingress: i == 0, After: len(to) - 1 - i}
		if at := slices.IndexFunc(from, func(old topology.Hop) bool { return old.DPID == h.DPID }); at >= 0 {
			if r.Finds = Other; from[at].Out == h.Out {
				r.Finds = Same
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// along is a path over some switches; the port to each of them has its number.
func along(switches ...netview.DPID) (hops []topology.Hop) {
	for i, s := range switches {
		h := topology.Hop{DPID: s, Out: 1000}
		if i+1 < len(switches) {
			h.Out = uint32(switches[i+1])
		}
		hops = append(hops, h)
	}
	return hops
}

func TestStages(t *testing.T) {
	for _, c := range []struct {
		from, to []topology.Hop
		want     []uint16
		turns    bool
	}{
		{along(1, 2, 4), along(1, 3, 4), []uint16{1, 0, 0}, false},
		{along(1, 2, 3, 4), along(1, 2, 4), []uint16{0, 1, 0}, false},
		{along(1, 2, 3, 4, 5), along(1, 3, 6, 4, 5), []uint16{2, 1, 0, 0, 0}, false},
		{along(1, 2, 3, 4), along(1, 3, 2, 4), []uint16{3, 2, 1, 0}, true},
		{along(1, 2), along(3, 1, 2), []uint16{1, 0, 0}, false},
		{along(1, 2, 3), along(1, 2, 3), []uint16{0, 0, 0}, false},
		{nil, along(1, 2, 3), []uint16{1, 0, 0}, false},
	} {
		if got := Stages(between(c.from, c.to)); !slices.Equal(got, c.want) {
			t.Errorf("from %v to %v: stages %v, want %v", c.from, c.to, got, c.want)
		}
		if got := Turns(c.from, c.to); got != c.turns {
			t.Errorf("from %v to %v: turns %v, want %v", c.from, c.to, got, c.turns)
		}
	}
}

// TestNoPacketIsLostBetweenStages draws pairs of paths between two switches, and sends a packet after each
// rule that is written, in any order within its stage: it comes to the end of both, and, unless the paths
// turn, passes no switch twice.
func TestNoPacketIsLostBetweenStages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() []topology.Hop {
		inner := r.Perm(6)[:r.IntN(5)]
		list := []netview.DPID{1}
		for _, i := range inner {
			list = append(list, netview.DPID(2+i))
		}
		return along(append(list, 9)...)
	}
	for range 3000 {
		from, to := draw(), draw()
		holds := make(map[netview.DPID]uint32)
		for _, h := range from {
			holds[h.DPID] = h.Out
		}
		var tr Transition
		tr.Start(Order{Stages: Stages(between(from, to))}, t0)
		for more := true; more; more = tr.Next() {
			for _, i := range r.Perm(len(to)) {
				if !tr.Writes(i, i == 0) {
					continue
				}
				holds[to[i].DPID] = to[i].Out
				at, passed := uint32(1), 0
				for ; at != 1000 && passed <= 20; passed++ {
					next, there := holds[netview.DPID(at)]
					if !there {
						t.Fatalf("from %v to %v: lost at %d in stage %d", from, to, at, tr.Stage())
					}
					at = next
				}
				if at != 1000 {
					t.Fatalf("from %v to %v: circles in stage %d", from, to, tr.Stage())
				}
			}
		}
		for _, h := range to {
			if holds[h.DPID] != h.Out {
				t.Fatalf("from %v to %v: switch %d was not written", from, to, h.DPID)
			}
		}
	}
}

// TestTransition follows one stage by stage: what belongs to each, when the next may be written, and when
// it is late.
func TestTransition(t *testing.T) {
	var tr Transition
	tr.Start(Order{Stages: []uint16{2, 0, 1, 0}, Spacing: time.Second}, t0)
	var moves Moves
	if moves.Take(&tr); !tr.Planned() || moves.Taken() != 1 || moves.Room() != MovesMax-1 {
		t.Errorf("planned %v, %d taken, room for %d", tr.Planned(), moves.Taken(), moves.Room())
	}
	now := t0
	for stage, want := range [][]int{{1, 3}, {2}, {0}} {
		var got []int
		for i := range 4 {
			if tr.Writes(i, i == 0) {
				got = append(got, i)
				tr.Await(1)
			}
		}
		if int(tr.Stage()) != stage || !slices.Equal(got, want) || tr.Last() != (stage == 2) {
			t.Fatalf("stage %d writes %v, want stage %d with %v", tr.Stage(), got, stage, want)
		}
		for i := range want {
			if last := tr.Confirm(); last != (i == len(want)-1) || tr.Awaits() == last {
				t.Fatalf("stage %d: confirmation %d is the last: %v", stage, i, last)
			}
		}
		due := now.Add(time.Second)
		if first, again := tr.Due(now), tr.Due(now.Add(time.Hour)); stage < 2 && (!first.Equal(due) || !again.Equal(due)) ||
			stage == 2 && !first.IsZero() {
			t.Errorf("stage %d: the next is due at %v, and %v", stage, first, again)
		}
		now = due
		if tr.Next() != (stage < 2) {
			t.Fatalf("stage %d: another one follows: %v", stage, !tr.Last())
		}
	}
	if tr.Late(t0.Add(StepTimeout-1)) || !tr.Late(t0.Add(StepTimeout)) {
		t.Errorf("late after %v", StepTimeout)
	}
	if !moves.Free(&tr) || moves.Free(&tr) || tr.Planned() || moves.Taken() != 0 {
		t.Errorf("a place was given back twice, or not at all: %d taken", moves.Taken())
	}
	tr.Start(Order{IngressLast: true}, t0)
	if tr.StageOf(0, true) != 1 || tr.StageOf(1, false) != 0 || tr.Last() {
		t.Error("a new path: the ingress is not the last stage of two")
	}
	tr.Start(Order{}, t0)
	if tr.StageOf(0, true) != 0 || !tr.Last() {
		t.Error("after a failure: more than one stage")
	}
}

func TestLinger(t *testing.T) {
	for _, c := range []struct {
		us      uint64
		unknown bool
		want    time.Duration
	}{{0, false, LingerMin}, {0, true, LingerUnknown}, {700, false, LingerMin}, {300_000, false, 600 * time.Millisecond},
		{300_000, true, LingerUnknown}, {900_000, true, 1800 * time.Millisecond}, {1 << 50, false, time.Minute}} {
		if got := Linger(c.us, c.unknown); got != c.want {
			t.Errorf("%d µs, unknown %v: %v, want %v", c.us, c.unknown, got, c.want)
		}
	}
}
