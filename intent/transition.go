package intent

import (
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
)

// mode is the order in which the rules of a rule set are installed.
type mode uint8

const (
	install   mode = iota // all except the ingress rules, then these
	immediate             // all at once: the previous path does not work
	restore               // all at once: switches have most of them since before the restart
	hitless               // stage by stage (Core.stages)
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

// startTransition makes g the desired rule set; nil: none. Stages are those of its rules, for a hitless
// transition. The previous rule set is removed when g
// is confirmed, or, without g, when packets in flight have arrived. It decides nothing: with g, the
// entry has a transition afterwards with orders that are not confirmed, since no last stage is empty.
func (c *Core) startTransition(n uint32, g *ruleset.Set, how strategy, stages []uint16) {
	e := c.entries.at(n)
	tr := e.transition
	if tr == nil {
		tr = c.newTransition()
		e.transition = tr
	}
	c.planner.moves.Free(&tr.Transition)
	if e.rules != nil {
		c.removePathUsers(n, e)
		c.addRetiring(n, e.rules, tr.retiring)
		tr.retiring = append(tr.retiring, retiring{rules: e.rules})
	}
	if tr.next != nil {
		c.interim--
	}
	if how.next != nil {
		c.interim++
	}
	tr.strategy, tr.done, tr.await = how, g == nil, bits{}
	tr.Start(pathing.Order{Stages: stages, IngressLast: how.mode == install}, c.now)
	e.rules = g
	delete(c.lost, n)
	if how.mode != restore || !e.has(saved) { // a restored rule set is saved already
		c.markUnsaved(n, e)
	}
	if g != nil {
		c.installRules(n, e)
	}
}

// installRules indexes the desired rule set of a new transition and orders its first stage.
func (c *Core) installRules(n uint32, e *coreEntry) {
	g, tr := e.rules, e.transition
	e.version++
	g.Version = e.version
	c.conflicts.add(g)
	c.addRules(g)
	c.addPathUsers(n, g)
	for i := range tr.retiring {
		tr.retiring[i].dropReplaced(g)
	}
	c.orderStages(e)
	e.state, e.code = c.stateOf(n, e)
	c.emit(n, e, "")
}

// orderStages orders the rules of the current stage, or, while that has none, of the next.
func (c *Core) orderStages(e *coreEntry) {
	tr := e.transition
	c.orderStage(e)
	for !tr.Awaits() && tr.Next() {
		c.orderStage(e)
	}
}

// orderStage orders the rules of the current stage.
func (c *Core) orderStage(e *coreEntry) {
	g, tr := e.rules, e.transition
	rule := 0
	for i := range g.Legs {
		hops := g.Legs[i].Route.Hops
		var path *sharedPath // nil: nothing depends on where the ingress is
		if tr.mode == install {
			path = c.paths.forRoute(g.Legs[i].Route)
		}
		for k := range hops {
			if tr.Writes(rule, path != nil && path.ingress(k)) {
				c.orders = append(c.orders, ruleset.Order{Rules: g, Rule: uint16(rule)})
				tr.await.set(uint16(rule))
				tr.Await(1)
			}
			rule++
		}
	}
}

// advance orders the next stage, all rules of this one being confirmed, or completes the transition.
func (c *Core) advance(n uint32, e *coreEntry) {
	if tr := e.transition; tr.Next() {
		c.orderStages(e)
	} else {
		c.completed(n, e)
	}
	c.emitState(n)
}

// completed handles the confirmation of the whole rule set: its predecessors are scheduled for
// removal. If the content has changed meanwhile, the intent is queued to be decided again.
func (c *Core) completed(n uint32, e *coreEntry) {
	tr := e.transition
	tr.done = true
	c.planner.moves.Free(&tr.Transition)
	if tr.superseded && tr.next != nil { // the final rule set is obsolete
		tr.next = nil
		c.interim--
	}
	if tr.next != nil {
		due := c.now.Add(c.lingerTime(e.rules))
		tr.nextDue = due.UnixNano()
		c.timers.Add(due, n)
		return
	}
	c.scheduleRetiring(n, tr)
	if tr.superseded {
		c.undecided = append(c.undecided, n)
		return
	}
	c.forget(n, e)
}

// decideSuperseded decides about the intents whose content has changed during a transition that is
// complete now.
func (c *Core) decideSuperseded() {
	for _, n := range c.undecided {
		if tr := c.entries.at(n).transition; tr != nil && tr.done && tr.superseded { // else decided since
			tr.superseded = false
			c.decide(n, byRequest)
		}
	}
	c.undecided = c.undecided[:0]
}

// endTransition drops a transition with nothing left to do.
func (c *Core) endTransition(e *coreEntry) {
	if tr := e.transition; tr != nil && tr.done && tr.next == nil && len(tr.retiring) == 0 {
		c.planner.moves.Free(&tr.Transition)
		e.transition = nil
		if len(c.freeTransitions) < 1024 {
			*tr = transition{retiring: tr.retiring[:0]}
			c.freeTransitions = append(c.freeTransitions, tr)
		}
	}
}

func (c *Core) newTransition() *transition {
	if n := len(c.freeTransitions); n > 0 {
		tr := c.freeTransitions[n-1]
		c.freeTransitions = c.freeTransitions[:n-1]
		return tr
	}
	return &transition{}
}
