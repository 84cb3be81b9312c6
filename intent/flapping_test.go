package intent

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
)

// pass has time pass until some moment: switches answer at once.
func (n *network) pass(until time.Time) {
	for {
		next := n.engine.Step(time.Time{})
		busy := len(n.orders)+len(n.intent.waiting)+len(n.chosen.waiting) > 0 || n.engine.Waiting()
		n.intent.commit(nil)
		n.chosen.commit(nil)
		n.answer()
		switch {
		case busy:
		case next.IsZero() || next.After(until):
			n.now = until
			return
		case next.After(n.now):
			n.now = next
		}
	}
}

// TestFlappingLink flaps the direct link between the ends of some intents, with periods from 1 ms to a
// minute: they leave it, and go back once at most before it has ended; new ones leave it out, unless
// there is no other path. In the end all are on it.
func TestFlappingLink(t *testing.T) {
	need.OneGoroutine(t)
	const flows = 5
	for _, period := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 300 * time.Millisecond, time.Second,
		5 * time.Second, 20 * time.Second, 45 * time.Second, time.Minute} {
		n := square(t)
		n.cable(1, 3, 4, 3)
		for i := range uint32(flows) {
			n.submit(false, Request{Op: Create, Spec: flow(fmt.Sprint("f", i), at(1, 9), at(4, 9), i)})
		}
		n.rest()
		direct := link(1, 3, 4, 3)
		hops := func(id string) int {
			in, ok := n.engine.Get(id)
			if !ok || in.Rules == nil {
				t.Fatalf("period %v: %s is %s", period, id, n.state(id))
			}
			return len(in.Rules.Legs[0].Route.Hops)
		}
		if hops("f0") != 2 {
			t.Fatalf("%d switches, want the direct path", hops("f0"))
		}
		before := n.engine.core.counts
		for end := n.now.Add(max(2*pathing.WaitToRestore+time.Second, min(1000*period, 20*time.Minute))); n.now.Before(end); {
			n.put(direct, false, netview.LinkConfirmed)
			n.pass(n.now.Add(period / 2))
			n.put(direct, true, netview.LinkConfirmed)
			n.pass(n.now.Add(period / 2))
		}
		now := n.engine.core.counts
		rerouted, moved := now.Reroutes-before.Reroutes, now.Moves-before.Moves
		if rerouted > 2*flows || rerouted < flows || moved > flows {
			t.Errorf("period %v: %d intents re-routed %d times and moved %d times", period, flows, rerouted, moved)
		}
		n.submit(false, Request{Op: Create, Spec: flow("new", at(1, 9), at(4, 9), 99)})
		n.pass(n.now.Add(time.Millisecond))
		if got := hops("new"); got != 3 {
			t.Errorf("period %v: a new path has %d switches, want 3: round the link that flaps", period, got)
		}
		n.put(link(2, 2, 4, 1), false, netview.LinkConfirmed)
		n.put(link(3, 2, 4, 2), false, netview.LinkConfirmed)
		n.pass(n.now.Add(time.Millisecond))
		if got := hops("new"); got != 2 {
			t.Errorf("period %v: a path has %d switches, want 2: there is none round the link that flaps", period, got)
		}
		n.put(link(2, 2, 4, 1), true, netview.LinkConfirmed)
		n.submit(false, Request{Op: Create, Spec: flow("newer", at(1, 9), at(4, 9), 98)})
		n.pass(n.now.Add(time.Millisecond))
		if got := hops("newer"); got != 3 {
			t.Errorf("period %v: a newer path has %d switches, want 3", period, got)
		}
		n.pass(n.now.Add(pathing.HoldMax + 2*pathing.WaitToRestore))
		for _, id := range []string{"f0", "f4", "new", "newer"} {
			if got := hops(id); got != 2 || n.state(id) != "installed" {
				t.Errorf("period %v: long after the last failure %s has %d switches and is %s", period, id, got, n.state(id))
			}
		}
		n.checkWanted(t.Fatalf)
	}
}
