package intent

import (
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// applyCommit applies a durable content.
func (c *Core) applyCommit(n uint32, content string) {
	e := c.entries.at(n)
	switch {
	case content == "":
		c.withdraw(n, e)
		return
	case content == e.content:
		c.emit(n, e, c.textOf(n, e))
		return
	case e.content != "":
		if e.has(restorable) { // order the saved rule set first, so that the replacement knows the installed rules
			c.restore(n, e)
		}
		c.unwatchHosts(n, e)
		delete(c.refusals, n)
	}
	s := c.reader.Read(content)
	e.content, e.kind = content, s.Kind
	c.watchHosts(n, s)
	if tr := e.transition; tr != nil && !tr.done && tr.mode == hitless {
		tr.superseded = true
		c.timers.Add(c.now.Add(pathing.StepTimeout), n)
		c.emitState(n)
		return
	}
	if e.state == 0 {
		e.state = Submitted
	}
	c.decideOn(n, e, s, byRequest)
}

// cause is the reason of a decision.
type cause uint8

const (
	byRequest cause = iota // new content
	byFailure              // the current path failed
)

// decide computes the rule set of an intent and starts the transition to it.
func (c *Core) decide(n uint32, because cause) {
	e := c.entries.at(n)
	c.decideOn(n, e, c.reader.Read(e.content), because)
}

// decideOn is decide with the spec.
func (c *Core) decideOn(n uint32, e *coreEntry, s *spec.Spec, because cause) {
	g, p := c.compile(n, s, c.around(n))
	if p.code == NoCode {
		p = c.obstacle(n, g)
	}
	switch {
	case p.code != NoCode:
		c.fail(n, e, p)
	// with next set it was interim only
	case e.rules != nil && sameRules(e.rules, g) && (e.transition == nil || e.transition.next == nil):
		c.emitState(n)
	case e.rules == nil:
		c.counts.Installs++
		c.startTransition(n, g, strategy{mode: install}, nil)
	case because == byRequest && c.works(e):
		c.counts.Moves++
		c.startHitless(n, e, g, true)
	case e.transition != nil && !e.transition.done && e.transition.mode == install:
		c.startTransition(n, g, strategy{mode: install}, nil)
	default:
		c.counts.Reroutes++
		c.startTransition(n, g, strategy{mode: immediate}, nil)
	}
}

// works reports whether an intent's rule set is confirmed and its links are up, as far as is known.
func (c *Core) works(e *coreEntry) bool {
	return e.rules != nil && (e.transition == nil || e.transition.done) &&
		!c.anyPath(e.rules, func(path *sharedPath) bool { return path.down })
}

// anyPath reports whether is returns true for a path of a desired rule set.
func (c *Core) anyPath(g *ruleset.Set, is func(*sharedPath) bool) bool {
	for r := range routes(g) {
		if is(c.paths.forRoute(r)) {
			return true
		}
	}
	return false
}

// sameRules reports whether two rule sets have the same rules.
func sameRules(a, b *ruleset.Set) bool {
	return a.Priority == b.Priority && slices.EqualFunc(a.Legs, b.Legs, func(x, y ruleset.Leg) bool {
		return x.Route == y.Route && string(x.Match) == string(y.Match)
	})
}

// reevaluate checks an intent against the current network, and changes its path if necessary.
func (c *Core) reevaluate(n uint32) {
	e := c.entries.at(n)
	uprooted := c.portsChanged[n]
	delete(c.portsChanged, n)
	switch {
	case e.content == "" || e.has(withdrawing):
	case e.has(restorable):
		c.restore(n, e)
	case e.rules == nil:
		c.decide(n, byRequest)
	case uprooted:
		c.rerouteFromPorts(n, e)
	case c.anyPath(e.rules, func(path *sharedPath) bool { return path.down }):
		c.reroute(n, e)
	case c.hostMoved(e):
		c.decide(n, byFailure)
	default:
		c.emitState(n)
	}
}

// reroute finds a new path for an intent whose path is down. Between two connect points the old
// rule set has all that is needed, without its spec.
func (c *Core) reroute(n uint32, e *coreEntry) {
	g := e.rules
	if e.kind != spec.PointToPoint || e.transition != nil || len(c.refusals) > 0 {
		c.decide(n, byFailure)
		return
	}
	hops := g.Legs[0].Route.Hops
	first, last := hops[0], hops[len(hops)-1]
	from, to := netview.Point{DPID: first.DPID, Port: first.In}, netview.Point{DPID: last.DPID, Port: last.Out[0]}
	w, p := c.between(n, from, to, topology.Filter{})
	if p.code != NoCode {
		c.fail(n, e, p)
		return
	}
	c.legs = append(c.legs[:0], g.Legs...)
	for i := range c.legs {
		c.legs[i].Route = &w.route
	}
	next := ruleset.New(g.Kind, g.Number, g.Priority, c.legs...)
	if p := c.obstacle(n, next); p.code != NoCode {
		c.fail(n, e, p)
		return
	}
	c.counts.Reroutes++
	c.startTransition(n, next, strategy{mode: immediate}, nil)
}
