package intent

import (
	"slices"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/program"
)

// Bounds of planned changes: the same as those of app/forward's pairs.
const (
	// MovesAtOnce is how many intents are on their way to another path at a time because of a drain or a shorter path.
	MovesAtOnce = 512
	// BackPerSecond is how many are moved to paths that are shorter again.
	BackPerSecond = 64
)

// planner has the intents that are to be moved though their path works: it passes what is drained, or could be shorter.
type planner struct {
	queue    []uint32
	moving   int
	links    time.Time // when a link changed last
	longer   bool      // a path may be longer than it has to be
	backlog  []uint32  // whose path may be, if it has been looked for since
	nextBack time.Time
}

// disturbed notes that links have changed.
func (p *planner) disturbed(now time.Time) {
	p.links, p.longer, p.backlog, p.nextBack = now, true, nil, time.Time{}
}

func (p *planner) wake(c *Core) time.Time {
	switch {
	case !p.longer || len(p.queue) > 0 || p.moving > 0: // what ends these is a step too
		return time.Time{}
	case p.backlog == nil:
		return p.links.Add(c.settings.Calm)
	}
	return p.nextBack
}

// strained queues the users of a way that passes what is drained.
func (c *Core) strained(w *way) {
	if !w.drain {
		return
	}
	list := slices.Clone(w.users.list)
	slices.Sort(list)
	for _, n := range slices.Compact(list) {
		if e := c.entries.at(n); takes(e.program, &w.route) && !e.has(candidate) {
			e.marks |= candidate
			c.planned.queue = append(c.planned.queue, n)
		}
	}
}

// plan begins planned changes that there is room for.
func (c *Core) plan() {
	p := &c.planned
	if p.longer && len(p.queue) == 0 && p.moving == 0 && !c.more() && !c.now.Before(p.links.Add(c.settings.Calm)) && !c.now.Before(p.nextBack) {
		c.shorten()
	}
	for len(p.queue) > 0 && p.moving < MovesAtOnce {
		n := p.queue[0]
		p.queue = p.queue[1:]
		e := c.entries.at(n)
		e.marks &^= candidate
		c.improve(n, e)
	}
	if len(p.queue) == 0 {
		p.queue = nil
	}
}

// shorten queues some of those whose path could be shorter.
func (c *Core) shorten() {
	p := &c.planned
	if p.backlog == nil {
		p.backlog = c.roundabout()
	}
	n := min(len(p.backlog), BackPerSecond)
	for _, number := range p.backlog[:n] {
		if e := c.entries.at(number); !e.has(candidate) {
			e.marks |= candidate
			p.queue = append(p.queue, number)
		}
	}
	if p.backlog = p.backlog[n:]; len(p.backlog) == 0 {
		p.longer, p.backlog = false, nil
		return
	}
	p.nextBack = c.now.Add(time.Second)
}

// roundabout are the users of ways that could be shorter; those of trees all, since that takes a closer look. Ways over links that are unconfirmed stay.
func (c *Core) roundabout() []uint32 {
	list := []uint32{}
	for _, w := range c.routes.list {
		if w == nil || w.users.count() == 0 {
			continue
		}
		cost := w.judge(c.m, c.settled)
		if w.down || w.unsure || w.drain {
			continue
		}
		hops := w.route.Hops
		if best, ok := c.m.Cost(hops[0].DPID, hops[len(hops)-1].DPID); w.joins != nil || ok && uint64(best) < cost {
			list = append(list, w.users.list...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// improve moves an intent whose path works to a better one, if there is one.
func (c *Core) improve(n uint32, e *entry) {
	if e.content == "" || e.has(leaving) || e.kind == spec.Path || e.has(adopted) || !c.works(e) || c.avoids(n) || e.change != nil && e.change.next != nil {
		return
	}
	s := parsed(e.content)
	g, p := c.compile(n, &s, c.m)
	if p.code != NoCode || c.costOf(g) >= c.costOf(e.program) || c.obstacle(n, g).code != NoCode {
		return
	}
	c.counts.Moves++
	c.move(n, e, g)
	if ch := e.change; ch != nil && !ch.done {
		ch.counted = true
		c.planned.moving++
		c.timers.push(c.now.Add(c.settings.Patience), n)
	}
}

// avoids tells whether switches refused rules of an intent lately.
func (c *Core) avoids(n uint32) bool {
	ref := c.refusals[n]
	return ref != nil && len(ref.avoid) > 0
}

// costOf is what the ways of a program cost together.
func (c *Core) costOf(g *program.Program) (sum uint64) {
	for i := range g.Legs {
		if i == 0 || g.Legs[i].Route != g.Legs[i-1].Route {
			sum += c.routes.of(g.Legs[i].Route).judge(c.m, c.settled)
		}
	}
	return sum
}

// uncount takes a change out of those under way.
func (c *Core) uncount(ch *change) {
	if ch.counted {
		ch.counted = false
		c.planned.moving--
	}
}
