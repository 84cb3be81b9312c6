package forward

import (
	"testing"
	"time"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
)

// TestFlappingLink flaps a link of a ring: pairs leave it, and neither they nor new ones take it before
// it has been up for long; in the end they are back on it.
func TestFlappingLink(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		n := newNetwork(t, 1, v, Config{})
		n.join(5, shapes["ring"].edges)
		n.allPairs(t)
		at := n.linkPort(1, 2)
		a, b := netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1}
		hops := func() int {
			path, ok := n.f.routes.between(nil, a, b, pairs.Of(1, 2, 0))
			if !ok {
				t.Fatal("no path")
			}
			return len(path)
		}
		if hops() != 2 {
			t.Fatalf("%d switches from 1 to 2, want 2", hops())
		}
		before, began := n.f.Counts().Moved.Load(), n.f.clock.now()
		for n.f.clock.now().Sub(began) < 5*time.Minute {
			n.cut(at, true)
			n.settle()
			n.cut(at, false)
			n.settle()
		}
		moved := n.f.Counts().Moved.Load() - before
		if pairs := uint64(len(n.hosts) * (len(n.hosts) - 1)); moved == 0 || moved > pairs {
			t.Errorf("%d moves of %d pairs, want each to move once at most", moved, pairs)
		}
		if got := hops(); got != 5 {
			t.Errorf("a new path has %d switches, want 5: round the link that flaps", got)
		}
		n.cut(n.linkPort(3, 4), true)
		n.settle()
		if got := hops(); got != 2 {
			t.Errorf("a new path has %d switches, want 2: there is none round the link that flaps", got)
		}
		n.cut(n.linkPort(3, 4), false)
		for ended := n.f.clock.now(); n.f.clock.now().Sub(ended) < pathing.HoldMax+2*pathing.WaitToRestore; {
			n.settle()
		}
		longest := 0
		for _, p := range n.f.paths.All() {
			longest = max(longest, len(p.Hops))
		}
		if got := hops(); got != 2 || longest != 3 {
			t.Errorf("the link has been up for long: a new path has %d switches, the longest %d; want 2 and 3", got, longest)
		}
	}
}

// TestFlappingPeriods flaps a link of a ring, with periods from 1 ms to a minute. While it does, little is
// written: pairs leave the link, go back once at most, and leave it again. When it ends no pair is lost: each
// packet arrives, and switches hold the rules of the paths that there are; and long after that all pairs are back.
func TestFlappingPeriods(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, period := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond,
			300 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second,
			45 * time.Second, time.Minute} {
			n := newNetwork(t, 1, v, Config{})
			n.join(5, shapes["ring"].edges)
			n.allPairs(t)
			n.rest()
			at, part := n.linkPort(1, 2), time.Duration(0)
			pass := func(d time.Duration) {
				for part += d; n.step(); {
				}
				for ; part >= time.Second; part -= time.Second {
					n.second()
					for n.step() {
					}
				}
			}
			on, moved := n.f.Crossing(at).Bound, n.f.Counts().Moved.Load()
			n.pairMods = 0
			for range min(10*time.Minute/period, 1000) {
				n.cut(at, true)
				pass(period / 2)
				n.cut(at, false)
				pass(period / 2)
			}
			moved = n.f.Counts().Moved.Load() - moved
			if most := 3 * on; on == 0 || moved == 0 || int(moved) > most || n.pairMods > most*2*len(n.ids) {
				t.Errorf("OpenFlow %s, period %s: %d pairs moved %d times, with %d messages", v, period, on, moved, n.pairMods)
			}
			for _, h := range n.hosts {
				h.take()
			}
			n.allPairs(t)
			n.softAgree(t)
			pass(pathing.HoldMax + 2*pathing.WaitToRestore)
			n.allPairs(t)
			n.softAgree(t)
			if back := n.f.Crossing(at).Bound; back != on {
				t.Errorf("OpenFlow %s, period %s: %d of %d pairs are back long after the last failure", v, period, back, on)
			}
		}
	}
}
