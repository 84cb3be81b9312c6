package intent

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/intent/conflict"
	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/timerq"
	"github.com/weirnet/weir/topology"
)

// decider chooses the rule set of an intent, and how it takes the place of the one before. It is asked
// about one intent at a time.
type decider struct {
	step        *step
	entries     *entries
	network     *paths.Network
	registry    *paths.Registry
	status      *paths.Status
	conflicts   *conflict.Index
	tags        *tags
	hosts       *hostIndex
	refusals    *refusals
	waiting     *waiting
	compiler    *compiler
	progress    *progress
	transitions *transitions
	timers      *timerq.Times[uint32]

	reader spec.Reader // scratch: the content being compiled
}

// apply applies a durable content.
func (d *decider) apply(n uint32, content string) {
	e := d.entries.At(n)
	switch {
	case content == "":
		d.withdraw(n, e)
		return
	case content == e.content:
		d.progress.emit(n, e, d.textOf(n, e))
		return
	case e.content != "":
		if e.has(restorable) { // order the saved rule set first, so that the replacement knows the installed rules
			d.restore(n, e)
		}
		d.hosts.unwatch(n, e)
		d.refusals.forget(n)
	}
	s := d.reader.Read(content)
	e.content, e.kind = content, s.Kind
	d.tags.contentIs(n, e, s)
	d.hosts.watch(n, s)
	if tr := e.transition; tr != nil && !tr.done && tr.mode == hitless {
		tr.superseded = true
		d.timers.Add(d.step.now.Add(pathing.StepTimeout), n)
		d.progress.refresh(n)
		return
	}
	if e.state == 0 {
		e.state = Submitted
	}
	d.decideOn(n, e, s, byRequest)
}

// cause is the reason of a decision.
type cause uint8

const (
	byRequest cause = iota // new content
	byFailure              // the current path failed
)

// decide computes the rule set of an intent and starts the transition to it.
func (d *decider) decide(n uint32, because cause) {
	e := d.entries.At(n)
	d.decideOn(n, e, d.reader.Read(e.content), because)
}

// decideOn is decide with the spec.
func (d *decider) decideOn(n uint32, e *coreEntry, s *spec.Spec, because cause) {
	g, p := d.compiler.compile(n, s, d.refusals.around(n))
	if p.code == NoCode {
		p = d.obstacle(g)
	}
	switch {
	case p.code != NoCode:
		d.fail(n, e, p)
	// with next set it was interim only
	case e.rules != nil && sameRules(e.rules, g) && (e.transition == nil || e.transition.next == nil):
		d.progress.refresh(n)
	case e.rules == nil:
		d.step.counts.Installs++
		d.transitions.start(n, g, strategy{mode: install}, nil)
	case because == byRequest && d.works(e):
		d.step.counts.Moves++
		d.transitions.startHitless(n, e, g, true)
	case e.transition != nil && !e.transition.done && e.transition.mode == install:
		d.transitions.start(n, g, strategy{mode: install}, nil)
	default:
		d.step.counts.Reroutes++
		d.transitions.start(n, g, strategy{mode: immediate}, nil)
	}
}

// works reports whether an intent's rule set is confirmed and its links are up, as far as is known.
func (d *decider) works(e *coreEntry) bool {
	return e.rules != nil && (e.transition == nil || e.transition.done) && !d.registry.Any(e.rules, (*paths.Path).Down)
}

// sameRules reports whether two rule sets have the same rules.
func sameRules(a, b *ruleset.Set) bool {
	return a.Priority == b.Priority && slices.EqualFunc(a.Legs, b.Legs, func(x, y ruleset.Leg) bool {
		return x.Route == y.Route && string(x.Match) == string(y.Match)
	})
}

// obstacle returns why a rule set cannot be installed though there is a path: one of its switches
// has refused a rule, or rules of another intent conflict.
func (d *decider) obstacle(g *ruleset.Set) problem {
	if p := d.refusals.obstacle(g); p.code != NoCode {
		return p
	}
	found := d.conflicts.With(g)
	if found.Number == 0 {
		return problem{}
	}
	p := problem{code: Conflicting, other: found.Number}
	if id := idOf(d.entries.At(found.Number).content); found.Overlap {
		p.text = fmt.Sprintf("intent %s has packets of both in the same priority, where both pass port %s: "+
			"give one of them another priority", id, found.At)
	} else {
		p.text = "intent " + id + " has rules of the same match in the same place"
	}
	return p
}

// reevaluate checks an intent against the current network, and changes its path if necessary.
// uprooted: a port of its path was removed.
func (d *decider) reevaluate(n uint32, uprooted bool) {
	e := d.entries.At(n)
	switch {
	case e.content == "" || e.has(withdrawing):
	case e.has(restorable):
		d.restore(n, e)
	case e.rules == nil:
		d.decide(n, byRequest)
	case uprooted:
		d.rerouteFromPorts(n, e)
	case d.registry.Any(e.rules, (*paths.Path).Down):
		d.reroute(n, e)
	case d.hosts.moved(e):
		d.decide(n, byFailure)
	default:
		d.progress.refresh(n)
	}
}

// reroute finds a new path for an intent whose path is down. Between two connect points the old
// rule set has all that is needed, without its spec.
func (d *decider) reroute(n uint32, e *coreEntry) {
	g := e.rules
	if e.kind != spec.PointToPoint || e.has(wide) || e.transition != nil || d.refusals.any() {
		d.decide(n, byFailure)
		return
	}
	hops := g.Legs[0].Route.Hops
	first, last := hops[0], hops[len(hops)-1]
	from, to := netview.Point{DPID: first.DPID, Port: first.In}, netview.Point{DPID: last.DPID, Port: last.Out()[0]}
	path, p := d.compiler.between(n, from, to, topology.Filter{})
	if p.code != NoCode {
		d.fail(n, e, p)
		return
	}
	next := d.compiler.along(g, path)
	if p := d.obstacle(next); p.code != NoCode {
		d.fail(n, e, p)
		return
	}
	d.step.counts.Reroutes++
	d.transitions.start(n, next, strategy{mode: immediate}, nil)
}

// rerouteFromPorts re-routes an intent of which a port was removed. The old rules are removed at once:
// what they send to the port's number may go elsewhere by now, and may loop.
func (d *decider) rerouteFromPorts(n uint32, e *coreEntry) {
	d.decide(n, byFailure)
	if e.transition != nil {
		d.transitions.retireNow(n, e)
	}
}

// restore orders the saved rule set of an intent if its links are up or unknown.
func (d *decider) restore(n uint32, e *coreEntry) {
	g := e.rules
	e.rules = nil
	d.entries.clearRestorable(e)
	d.tags.release(g)
	for r := range g.Routes() {
		path := d.registry.Of(r)
		if d.status.Evaluate(path); path.Down() {
			d.decide(n, byRequest)
			return
		}
	}
	e.rules = g
	elsewhere := d.hosts.moved(e)
	e.rules = nil
	if elsewhere || d.obstacle(g).code != NoCode {
		d.decide(n, byRequest)
		return
	}
	d.transitions.start(n, g, strategy{mode: restore}, nil)
}

// moveRetry is when a wide intent is looked at again that cannot be moved now.
const moveRetry = 5 * time.Second

// optimise moves an intent whose path works to a better one, if there is one, and one that must move (tags.mustMove)
// whatever the path costs.
func (d *decider) optimise(n uint32) {
	e := d.entries.At(n)
	mustMove := d.tags.mustMove(e)
	if e.content == "" || e.has(withdrawing) || e.kind == spec.Path && !mustMove {
		return
	}
	if e.has(restorable) || !d.works(e) || d.refusals.avoided(n) != nil || e.transition != nil && e.transition.next != nil {
		if mustMove {
			d.timers.Add(d.step.now.Add(moveRetry), n)
		}
		return
	}
	s := spec.Read(e.content)
	g, p := d.compiler.compile(n, &s, topology.Filter{})
	d.tags.stuck = d.tags.stuck || mustMove && p.code != NoCode
	if p.code != NoCode || !mustMove && !d.costOf(g).Less(d.costOf(e.rules)) || d.obstacle(g).code != NoCode {
		return
	}
	d.step.counts.Moves++
	d.transitions.startHitless(n, e, g, false)
	d.transitions.moves.Take(&e.transition.Transition)
	d.timers.Add(d.step.now.Add(pathing.StepTimeout), n)
}

// costOf returns the sum of the costs of a rule set's paths.
func (d *decider) costOf(g *ruleset.Set) (sum topology.Cost) {
	for r := range g.Routes() {
		sum = sum.Plus(d.status.Evaluate(d.registry.Of(r)))
	}
	return sum
}

// withdraw starts the removal of an intent: all its rules are removed at once.
func (d *decider) withdraw(n uint32, e *coreEntry) {
	if e.content == "" || e.has(withdrawing) {
		return
	}
	d.step.counts.Withdrawals++
	d.hosts.unwatch(n, e)
	d.refusals.forget(n)
	if e.has(restorable) { // never ordered: rules of it in switches are removed as unknown ones
		d.tags.release(e.rules)
		e.rules = nil
		d.entries.clearRestorable(e)
	}
	e.flags |= withdrawing
	e.state, e.code = Withdrawing, NoCode
	if e.rules != nil {
		d.transitions.start(n, nil, strategy{mode: immediate}, nil)
	}
	if e.transition == nil {
		d.transitions.drop(n, e)
		return
	}
	d.progress.emit(n, e, "")
	d.transitions.retireNow(n, e)
}
