package intent

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// how says in which order the rules of a program are ordered.
type how uint8

const (
	fresh   how = iota // all but those where packets come in, then these
	urgent             // all at once: what was there does not work any more
	revived            // all at once: most are in the switches from an earlier life
	planned            // by the stages of a plan
)

// change is what is under way for one intent: the entry's program, stage by stage, and the rules of programs before it, which go when it is there.
type change struct {
	how     how
	done    bool   // the program is confirmed, or there is none
	counted bool   // it is among planner.moving
	asked   bool   // of planned: because the content was replaced
	second  bool   // of planned: it follows a program that only leads there
	again   bool   // the content has changed: decide anew when this is done
	stage   uint16 // of which orders are out
	last    uint16
	left    int              // orders of this stage without an answer
	await   bits             // the same, by rule
	stages  []uint16         // of planned: by rule
	since   int64            // of the beginning, in nanoseconds of Unix time
	next    *program.Program // to follow this one, which only leads there
	nextDue int64            // when, if this one is done, likewise
	past    []past
}

// past is a program whose rules go.
type past struct {
	program *program.Program
	due     time.Time // when; zero while the program after it is not confirmed
	ordered bool
	left    int
	await   bits
}

// begin makes a program the one that is wanted; nil: none. What was wanted goes when it is confirmed, or, without one, when packets on their way have
// arrived.
func (c *Core) begin(n uint32, g *program.Program, by how, stages []uint16) {
	e := c.entries.at(n)
	ch := e.change
	if ch == nil {
		ch = c.newChange()
		e.change = ch
	}
	c.uncount(ch)
	if e.program != nil {
		c.unuse(n, e)
		ch.past = append(ch.past, past{program: e.program})
	}
	delete(c.lost, n)
	ch.how, ch.done, ch.stages, ch.await, ch.left, ch.since = by, g == nil, stages, bits{}, 0, c.now.UnixNano()
	if ch.next != nil {
		c.uniting--
	}
	ch.next, ch.again, ch.asked, ch.second = nil, false, false, false
	e.program = g
	if by != revived || !e.has(saved) { // what was read is what would be written
		c.mark(n, e)
	}
	if g == nil {
		return
	}
	e.version++
	g.Version = e.version
	c.places.take(g)
	c.occupy(n, e, g)
	c.use(n, g)
	for i := range ch.past {
		ch.past[i].excuse(g)
	}
	ch.stage, ch.last = 0, 0
	switch by {
	case fresh:
		ch.last = 1
	case planned:
		ch.last = slices.Max(stages)
	}
	told := len(c.updates)
	c.order(n, e)
	c.advance(n, e)
	if told == len(c.updates) { // in the same state, by another program
		c.tell(n, e, "")
	}
}

// use notes who takes which way.
func (c *Core) use(n uint32, g *program.Program) {
	for i := range g.Legs {
		if i == 0 || g.Legs[i].Route != g.Legs[i-1].Route {
			w := c.routes.of(g.Legs[i].Route)
			c.routes.use(w, n)
			if w.judged != c.m {
				w.judge(c.m, c.settled)
			}
		}
	}
}

// unuse takes back what use noted.
func (c *Core) unuse(n uint32, e *entry) {
	g := e.program
	for i := range g.Legs {
		if i == 0 || g.Legs[i].Route != g.Legs[i-1].Route {
			r := g.Legs[i].Route
			c.routes.leave(c.routes.of(r), n, func(u uint32) bool { return u != n && takes(c.entries.at(u).program, r) })
		}
	}
}

// takes tells whether a program has a leg along a route.
func takes(g *program.Program, r *program.Route) bool {
	return g != nil && slices.ContainsFunc(g.Legs, func(l program.Leg) bool { return l.Route == r })
}

// order orders the rules of the change's stage.
func (c *Core) order(n uint32, e *entry) {
	g, ch := e.program, e.change
	rule := 0
	for i := range g.Legs {
		hops := g.Legs[i].Route.Hops
		var w *way
		if ch.how == fresh {
			w = c.routes.of(g.Legs[i].Route)
		}
		for k := range hops {
			if ch.stageOf(w, rule, k) == ch.stage {
				c.orders = append(c.orders, Order{Program: g, Rule: uint16(rule)})
				ch.await.set(uint16(rule))
				ch.left++
			}
			rule++
		}
	}
}

// stageOf is the stage of a rule, which is a hop of a way.
func (ch *change) stageOf(w *way, rule, hop int) uint16 {
	switch ch.how {
	case fresh:
		if w.ingress(hop) {
			return 1
		}
	case planned:
		return ch.stages[rule]
	}
	return 0
}

// advance goes on to the next stage when all of this one is confirmed.
func (c *Core) advance(n uint32, e *entry) {
	ch := e.change
	for !ch.done && ch.left == 0 {
		if ch.stage == ch.last {
			c.confirmed(n, e)
			break
		}
		ch.stage++
		c.order(n, e)
	}
	c.show(n)
}

// confirmed ends the orders of a program: what was before it can go.
func (c *Core) confirmed(n uint32, e *entry) {
	ch := e.change
	ch.done, ch.stages = true, nil
	c.uncount(ch)
	if ch.again && ch.next != nil { // what it leads to is not wanted any more
		ch.next = nil
		c.uniting--
	}
	if ch.next != nil {
		due := c.now.Add(c.drainOf(e.program))
		ch.nextDue = due.UnixNano()
		c.timers.push(due, n)
		return
	}
	for i := range ch.past {
		if p := &ch.past[i]; p.due.IsZero() {
			p.due = c.now.Add(c.drainOf(p.program))
			c.timers.push(p.due, n)
		}
	}
	if ch.again {
		ch.again = false
		c.decide(n, asked)
		return
	}
	c.forget(n, e)
}

// tidy forgets a change with nothing left to do.
func (c *Core) tidy(e *entry) {
	if ch := e.change; ch != nil && ch.done && ch.next == nil && len(ch.past) == 0 {
		c.uncount(ch)
		e.change = nil
		if len(c.spare) < 1024 {
			*ch = change{past: ch.past[:0]}
			c.spare = append(c.spare, ch)
		}
	}
}

func (c *Core) newChange() *change {
	if n := len(c.spare); n > 0 {
		ch := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return ch
	}
	return &change{}
}

// drainUnknown is how long at least the rules of a path stay that has a link whose latency is not known, as that of a link is until discovery has
// heard some twenty probes of it: packets may be on the way for as long as between two continents.
const drainUnknown = time.Second

// drainOf is how long packets may be on the way of a program: twice its latency, at least Settings.Drain.
func (c *Core) drainOf(g *program.Program) time.Duration {
	longest, least := uint64(0), c.settings.Drain
	for i := range g.Legs {
		if i > 0 && g.Legs[i].Route == g.Legs[i-1].Route {
			continue
		}
		hops, sum := g.Legs[i].Route.Hops, uint64(0)
		for k := 1; k < len(hops); k++ { // of a tree all links, which is more than any packet passes
			for l := range c.snap.LinksToPoint(netview.Point{DPID: hops[k].DPID, Port: hops[k].In}) {
				sum += l.LatencyUS
				if l.LatencyUS == 0 {
					least = max(least, drainUnknown)
				}
			}
		}
		longest = max(longest, sum)
	}
	return max(least, min(2*time.Duration(longest)*time.Microsecond, time.Minute))
}
