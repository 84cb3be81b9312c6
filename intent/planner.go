package intent

import (
	"slices"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// planner schedules hitless re-routes of intents whose path works, but passes a drained link or
// could be shorter.
type planner struct {
	queue      []uint32
	moves      pathing.Moves
	restorer   *pathing.Restorer
	backlog    []uint32 // intents whose path may be longer than necessary; nil: not computed since the last one ended
	nextRevert time.Time
}

// restart restarts the wait-to-restore timer: any link may have changed.
func (p *planner) restart(now time.Time) {
	p.restorer.Restart(now)
	p.backlog = nil
}

// linksChanged tells the planner of changes of links.
func (p *planner) linksChanged(m *topology.Map, changes []netview.Change, now time.Time) {
	if p.restorer.LinksChanged(m, changes, now) {
		p.backlog = nil
	}
}

func (p *planner) wake(now time.Time) time.Time {
	switch {
	case len(p.queue) > 0 || p.moves.Taken() > 0: // their completion causes a step
		return time.Time{}
	case p.backlog != nil:
		return p.nextRevert
	}
	return p.restorer.Wake(now)
}

// due reports whether the next batch of suboptimal paths is to be looked at.
func (p *planner) due(now time.Time) bool {
	if p.backlog != nil {
		return !now.Before(p.nextRevert)
	}
	return p.restorer.Take(now)
}

// queueIfDrained queues the users of a path that passes a draining link.
func (c *Core) queueIfDrained(path *sharedPath) {
	if !path.draining {
		return
	}
	for _, n := range inOrder(slices.Clone(path.users.list)) {
		if e := c.entries.at(n); usesRoute(e.rules, &path.route) {
			c.addCandidate(n, e)
		}
	}
}

// addCandidate queues an intent for a hitless re-route, unless it is queued.
func (c *Core) addCandidate(n uint32, e *coreEntry) {
	if !e.has(candidate) {
		e.flags |= candidate
		c.planner.queue = append(c.planner.queue, n)
	}
}

// plan starts queued transitions, up to pathing.MovesMax.
func (c *Core) plan() {
	p := &c.planner
	if len(p.queue) == 0 && p.moves.Taken() == 0 && !c.more() && p.due(c.now) {
		c.queueSuboptimal()
	}
	for len(p.queue) > 0 && p.moves.Room() > 0 {
		n := p.queue[0]
		p.queue = p.queue[1:]
		e := c.entries.at(n)
		e.flags &^= candidate
		c.optimise(n, e)
	}
	if len(p.queue) == 0 {
		p.queue = nil
	}
}

// queueSuboptimal queues a batch of those whose path could be shorter.
func (c *Core) queueSuboptimal() {
	p := &c.planner
	if p.backlog == nil {
		p.backlog = c.suboptimal()
	}
	n := min(len(p.backlog), pathing.RevertPerSecond)
	for _, number := range p.backlog[:n] {
		c.addCandidate(number, c.entries.at(number))
	}
	if p.backlog = p.backlog[n:]; len(p.backlog) == 0 {
		p.backlog = nil
		return
	}
	p.nextRevert = c.now.Add(time.Second)
}

// suboptimal returns the users of paths that could be shorter, and all users of trees, which need a
// closer look. Paths over unconfirmed links are left out.
func (c *Core) suboptimal() []uint32 {
	list := []uint32{}
	judge := pathing.Judge{Map: c.m, Backoff: c.planner.restorer.Backoff(c.now)}
	for _, path := range c.paths.list {
		if path == nil || path.users.count() == 0 {
			continue
		}
		cost := c.paths.evaluate(path, c.m, c.settled)
		if path.down || path.unconfirmed || path.draining {
			continue
		}
		hops := path.route.Hops
		if path.treeEdges != nil || judge.Suboptimal(hops[0].DPID, hops[len(hops)-1].DPID, cost) {
			list = append(list, path.users.list...)
		}
	}
	return inOrder(list)
}

// optimise moves an intent whose path works to a better one, if there is one.
func (c *Core) optimise(n uint32, e *coreEntry) {
	if e.content == "" || e.has(withdrawing) || e.kind == spec.Path || e.has(restorable) || !c.works(e) || c.avoided(n) != nil ||
		e.transition != nil && e.transition.next != nil {
		return
	}
	s := spec.Read(e.content)
	g, p := c.compile(n, &s, topology.Filter{})
	if p.code != NoCode || !c.costOf(g).Less(c.costOf(e.rules)) || c.obstacle(n, g).code != NoCode {
		return
	}
	c.counts.Moves++
	c.startHitless(n, e, g, false)
	c.planner.moves.Take(&e.transition.Transition)
	c.timers.Add(c.now.Add(pathing.StepTimeout), n)
}

// costOf returns the sum of the costs of a rule set's paths.
func (c *Core) costOf(g *ruleset.Set) (sum topology.Cost) {
	for r := range routes(g) {
		sum = sum.Plus(c.paths.evaluate(c.paths.forRoute(r), c.m, c.settled))
	}
	return sum
}
