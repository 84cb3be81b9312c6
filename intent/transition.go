package intent

import (
	"iter"

	"github.com/weirnet/weir/intent/conflict"
	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/timerq"
)

// mode is the order in which the rules of a rule set are installed.
type mode uint8

const (
	install   mode = iota // all except the ingress rules, then these
	immediate             // all at once: the previous path does not work
	restore               // all at once: switches have most of them since before the restart
	hitless               // stage by stage (transitions.stages)
)

// strategy is how a rule set is installed.
type strategy struct {
	next       *ruleset.Set // of hitless: the final rule set, if this one is interim
	mode       mode
	requested  bool // of hitless: because the content was replaced
	final      bool // of hitless: it follows an interim rule set
	superseded bool // of hitless: the content has changed meanwhile, decide again when this is done
}

// transition is the change of one intent in progress: the entry's rule set, installed stage by
// stage, and the previous rule sets, removed when it is confirmed.
type transition struct {
	strategy
	pathing.Transition
	done     bool  // the rule set is confirmed, or nil
	await    bits  // the rules of this stage that are not confirmed
	nextDue  int64 // when to start next, once this rule set is confirmed; Unix nanoseconds
	retiring []retiring
}

// transitions are the changes of all intents that are in progress. They order the rules of a rule set stage
// by stage, and the removal of those before it, as these are confirmed and as time passes. They decide
// nothing: what is to be decided again when a rule set is confirmed is in superseded.
type transitions struct {
	step      *step
	entries   *entries
	registry  *paths.Registry
	status    *paths.Status
	conflicts *conflict.Index
	tags      *tags
	progress  *progress
	decisions *decisions
	waiting   *waiting
	timers    *timerq.Times[uint32]

	moves      *pathing.Moves // the places of planned ones
	interim    int            // those by way of an interim rule set (transition.next)
	superseded []uint32       // complete, and the content has changed meanwhile
	free       []*transition
}

// start makes g the desired rule set; nil: none. Stages are those of its rules, for a hitless
// transition. The previous rule set is removed when g is confirmed, or, without g, when packets in flight
// have arrived. With g, the entry has a transition afterwards with orders that are not confirmed, since no
// last stage is empty.
func (t *transitions) start(n uint32, g *ruleset.Set, how strategy, stages []uint16) {
	e := t.entries.At(n)
	tr := e.transition
	if tr == nil {
		tr = t.next()
		e.transition = tr
	}
	t.moves.Free(&tr.Transition)
	if e.rules != nil {
		t.leavePaths(n, e.rules, tr.retiring)
		tr.retiring = append(tr.retiring, retiring{rules: e.rules})
	}
	if tr.next != nil {
		t.interim--
	}
	if how.next != nil {
		t.interim++
	}
	tr.strategy, tr.done, tr.await = how, g == nil, bits{}
	tr.Start(pathing.Order{Stages: stages, IngressLast: how.mode == install}, t.step.now)
	e.rules = g
	t.progress.forget(n)
	if how.mode != restore || !e.has(saved) { // a restored rule set is saved already
		t.decisions.mark(n, e)
	}
	if g != nil {
		t.install(n, e)
	}
}

// install indexes the desired rule set of a new transition and orders its first stage.
func (t *transitions) install(n uint32, e *coreEntry) {
	g, tr := e.rules, e.transition
	e.version++
	g.Version = e.version
	t.conflicts.Add(g)
	t.tags.hold(g)
	t.takePaths(n, g)
	for i := range tr.retiring {
		tr.retiring[i].dropReplaced(g)
	}
	t.orderStages(e)
	t.progress.begun(n, e)
}

// orderStages orders the rules of the current stage, or, while that has none, of the next.
func (t *transitions) orderStages(e *coreEntry) {
	tr := e.transition
	t.orderStage(e)
	for !tr.Awaits() && tr.Next() {
		t.orderStage(e)
	}
}

// orderStage orders the rules of the current stage.
func (t *transitions) orderStage(e *coreEntry) {
	g, tr := e.rules, e.transition
	rule := 0
	for i := range g.Legs {
		hops := g.HopsOf(i)
		var path *paths.Path // nil: nothing depends on where the ingress is
		if tr.mode == install {
			path = t.registry.Of(g.Legs[i].Route)
		}
		for k := range hops {
			if tr.Writes(rule, path != nil && path.Ingress(k)) {
				t.step.install(g, rule)
				tr.await.set(uint16(rule))
				tr.Await(1)
			}
			rule++
		}
	}
}

// confirm handles the confirmation of a rule of the desired rule set. It reports whether it was awaited.
func (t *transitions) confirm(n uint32, e *coreEntry, rule uint16) bool {
	tr := e.transition
	if tr == nil || tr.done || !tr.await.clear(rule) {
		return false
	}
	if tr.Confirm() {
		t.advance(n, e)
	}
	return true
}

// advance orders the next stage, all rules of this one being confirmed, or completes the transition.
func (t *transitions) advance(n uint32, e *coreEntry) {
	if tr := e.transition; tr.Next() {
		t.orderStages(e)
	} else {
		t.completed(n, e)
	}
	t.progress.refresh(n)
}

// completed handles the confirmation of the whole rule set: its predecessors are scheduled for
// removal. If the content has changed meanwhile, the intent is to be decided again.
func (t *transitions) completed(n uint32, e *coreEntry) {
	tr := e.transition
	tr.done = true
	t.moves.Free(&tr.Transition)
	if tr.superseded && tr.next != nil { // the final rule set is obsolete
		tr.next = nil
		t.interim--
	}
	if tr.next != nil {
		due := t.step.now.Add(t.status.Linger(e.rules))
		tr.nextDue = due.UnixNano()
		t.timers.Add(due, n)
		return
	}
	t.scheduleRetiring(n, tr)
	if tr.superseded {
		t.superseded = append(t.superseded, n)
		return
	}
	t.forget(n, e)
}

// takeSuperseded yields the intents whose content has changed during a transition that is complete now,
// as far as nobody has decided about them since.
func (t *transitions) takeSuperseded() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, n := range t.superseded {
			if tr := t.entries.At(n).transition; tr != nil && tr.done && tr.superseded {
				tr.superseded = false
				if !yield(n) {
					return
				}
			}
		}
		t.superseded = t.superseded[:0]
	}
}

// transitionsKept is how many transitions memory is kept for: as many as begin in the second in which rules of
// others linger, when very many intents come and go.
const transitionsKept = 1 << 14

// end drops a transition with nothing left to do.
func (t *transitions) end(e *coreEntry) {
	if tr := e.transition; tr != nil && tr.done && tr.next == nil && len(tr.retiring) == 0 {
		t.moves.Free(&tr.Transition)
		e.transition = nil
		if len(t.free) < transitionsKept {
			*tr = transition{retiring: tr.retiring[:0]}
			t.free = append(t.free, tr)
		}
	}
}

// next returns a transition to use.
func (t *transitions) next() *transition {
	if n := len(t.free); n > 0 {
		tr := t.free[n-1]
		t.free = t.free[:n-1]
		return tr
	}
	return &transition{}
}

// onTimer does what is due for an intent but for removals, which are retire's. It reports whether the
// transition waits for a switch for too long, and is to be decided anew.
func (t *transitions) onTimer(n uint32, e *coreEntry) (stuck bool) {
	tr := e.transition
	late := tr.Late(t.step.now)
	if late {
		t.moves.Free(&tr.Transition)
	}
	switch {
	case tr.done && tr.next != nil && tr.nextDue <= t.step.now.UnixNano():
		t.start(n, tr.next, strategy{mode: hitless, final: true, requested: tr.requested}, nil)
	case tr.superseded && !tr.done && late:
		tr.superseded = false
		return true
	}
	return false
}

// takePaths registers an intent with the paths of its desired rule set.
func (t *transitions) takePaths(n uint32, g *ruleset.Set) {
	for r := range g.Routes() {
		path := t.registry.Of(r)
		t.registry.AddUser(path, n)
		t.status.Refresh(path)
	}
}

// leavePaths undoes takePaths: the rules along them are retiring now, as others of the intent are.
func (t *transitions) leavePaths(n uint32, g *ruleset.Set, others []retiring) {
	for r := range g.Routes() {
		t.registry.RemoveUser(t.registry.Of(r), n,
			func(u uint32) bool { return u != n && t.entries.At(u).rules.Takes(r) })
		if !holdsRoute(others, r) {
			t.registry.AddRetiring(r, n)
		}
	}
}
