package intent

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// changesAtOnce is how many changes of the view go into one step, about.
const changesAtOnce = 4096

// outcomesKept is for how many outcomes memory is kept.
const outcomesKept = 1 << 18

// follower keeps the topology of the view.
type follower struct {
	view *netview.View
	rev  netview.Revision
	m    *topology.Map
}

func (w *follower) changed() <-chan struct{} { return w.view.Changed(w.rev) }

func (w *follower) behind() bool { return w.m == nil || w.view.Snapshot().Revision() != w.rev }

// next is what has changed since the last call; nil if nothing has.
func (w *follower) next() *Facts {
	if !w.behind() {
		return nil
	}
	if w.m != nil {
		if changes, upto, ok := w.view.Changes(w.rev, changesAtOnce); ok {
			snap := w.view.Snapshot()
			w.rev, w.m = upto, w.m.Next(snap, changes)
			return &Facts{Changes: changes, Snap: snap, Map: w.m}
		}
	}
	snap := w.view.Snapshot()
	w.rev, w.m = snap.Revision(), topology.Build(snap)
	return &Facts{Whole: true, Snap: snap, Map: w.m}
}

// turn takes all that has happened, does all that follows from it at once, and returns when to wake.
func (e *Engine) turn(now time.Time) time.Time {
	for {
		in := Input{Facts: e.follow.next()}
		e.front.mu.Lock()
		e.commits, e.front.out = e.front.out, e.commits[:0]
		e.front.mu.Unlock()
		e.mu.Lock()
		if e.heard, e.outcomes = e.outcomes, e.heard[:0]; cap(e.outcomes) > outcomesKept {
			e.outcomes = nil
		}
		asks := e.asks
		e.asks = nil
		e.mu.Unlock()
		in.Commits, in.Outcomes = e.commits, e.heard
		ready := e.core.Step(&in, now)
		e.do(ready, in.Facts, now)
		clear(e.commits)
		clear(e.heard)
		for _, ask := range asks {
			ask(e.core)
		}
		if ready.More {
			giveWay()
		} else if e.config.Ordered != nil {
			e.config.Ordered()
			e.config.Ordered = nil
		}
		if !e.follow.behind() && !ready.More {
			return earlier(ready.Wake, e.decision.due(now))
		}
	}
}

// do does what the core says.
func (e *Engine) do(ready *Ready, facts *Facts, now time.Time) {
	e.front.mu.Lock()
	if facts != nil {
		e.front.learn(facts)
	}
	e.front.publish(ready.Updates)
	e.front.seen(e.commits)
	e.front.core = e.core.counts
	e.front.mu.Unlock()
	if len(ready.Orders) > 0 {
		e.config.Orders(ready.Orders)
	}
	e.decision.take(e.core, now)
}

// finish has nobody wait any more.
func (e *Engine) finish() {
	e.mu.Lock()
	e.over, e.outcomes, e.asks = true, nil, nil
	e.mu.Unlock()
	e.front.mu.Lock()
	e.front.closed = true
	e.front.mu.Unlock()
}

// earlier is the earlier of two times that may be zero, for never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
