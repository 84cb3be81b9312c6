package intent

import (
	"time"

	"github.com/weirnet/weir/topology"
	"github.com/weirnet/weir/trace"
)

// outcomesKept is for how many outcomes memory is retained.
const outcomesKept = 1 << 18

// allChanges is more than a view keeps: the core takes all at once, so that it never has a map that is
// ahead of them.
const allChanges = 1 << 30

// networkUpdate returns what has changed since the last call; nil if nothing has.
func networkUpdate(f *topology.Follower) *NetworkUpdate {
	if !f.Behind() {
		return nil
	}
	u := f.Next(allChanges)
	return &NetworkUpdate{Resync: u.Reset, Changes: u.Changes, Snap: u.Snap, Map: u.Map}
}

// turn processes all input until nothing is left to do at once, and returns when to wake.
func (e *Engine) turn() time.Time {
	for {
		wake, more := e.portion()
		if !more {
			return wake
		}
		yieldProcessor()
	}
}

// portion is one step: all input, and a batch of what has to be looked at again.
func (e *Engine) portion() (wake time.Time, more bool) {
	now := e.config.Now()
	in := Input{Network: networkUpdate(e.follower)}
	e.commits, in.Wide = e.catalog.takeCommits(e.commits[:0])
	e.mu.Lock()
	if e.taken, e.outcomes = e.outcomes, e.taken[:0]; cap(e.outcomes) > outcomesKept {
		e.outcomes = nil
	}
	asks := e.queries
	e.queries = nil
	in.Wide = append(in.Wide, e.byHosts...)
	e.byHosts = nil
	e.mu.Unlock()
	in.Commits, in.Outcomes = e.commits, e.taken
	ready := e.core.Step(&in, now)
	e.apply(ready, in.Network, now)
	clear(e.commits)
	clear(e.taken)
	for _, ask := range asks {
		ask(e.core)
	}
	if !ready.More && e.config.Ordered != nil {
		e.config.Ordered()
		e.config.Ordered = nil
	}
	return earlier(ready.Wake, e.decisions.next), ready.More || e.follower.Behind()
}

// apply carries out the result of a step.
func (e *Engine) apply(ready *Ready, facts *NetworkUpdate, now time.Time) {
	e.guard.follow(e.core.tags.ids, facts)
	e.catalog.stepped(ready, e.commits, facts, e.core.counts)
	if len(ready.Orders) > 0 {
		trace.At(trace.Orders)
		e.config.Orders(ready.Orders)
	}
	e.decisions.saveDue(e.core, now)
}

// shutDown releases all callers that wait.
func (e *Engine) shutDown() {
	e.mu.Lock()
	e.closed, e.outcomes, e.queries = true, nil, nil
	e.mu.Unlock()
	e.catalog.close()
}

// earlier returns the earlier of two times that may be zero, for never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
