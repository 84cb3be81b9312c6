package intent

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
	"github.com/weirnet/weir/topology"
)

// refusal is what switches refused of one intent: its paths avoid them until due.
type refusal struct {
	avoid []netview.DPID
	code  Code
	text  string
	tries int
	due   time.Time
}

// mapOf is the map for an intent's paths: without the switches that refused its rules.
func (c *Core) mapOf(n uint32) *topology.Map {
	ref := c.refusals[n]
	if ref == nil || len(ref.avoid) == 0 {
		return c.m
	}
	key := fmt.Sprint(ref.avoid)
	m := c.detours[key]
	if m == nil {
		m = c.m.Without(ref.avoid...)
		c.detours[key] = m
	}
	return m
}

// obstacle is why a program cannot be installed though there is a path: a switch of it has refused, or another intent's rules are in its places.
func (c *Core) obstacle(n uint32, g *program.Program) problem {
	if ref := c.refusals[n]; ref != nil && len(ref.avoid) > 0 {
		for i := range g.Legs {
			for k := range g.Legs[i].Route.Hops {
				if slices.Contains(ref.avoid, g.Legs[i].Route.Hops[k].DPID) {
					return problem{code: ref.code, text: ref.text}
				}
			}
		}
	}
	c.places.open(g, c.programsOf)
	if who := c.places.holder(g); who != 0 {
		return problem{code: Conflicting, who: who, text: "intent " + idOf(c.entries.at(who).content) + " has rules of the same match in the same place"}
	}
	if who, at := c.overlapping(g); who != 0 {
		return problem{code: Conflicting, who: who, text: fmt.Sprintf("intent %s has packets of both in the same priority, where both pass port %s: "+
			"give one of them another priority", idOf(c.entries.at(who).content), at)}
	}
	return problem{}
}

// programsOf are the programs of an intent that have places: the one that is wanted, and those that go.
func (c *Core) programsOf(n uint32) (list []*program.Program) {
	e := c.entries.at(n)
	if e.program != nil && !e.has(adopted) {
		list = append(list, e.program)
	}
	if e.change != nil {
		for i := range e.change.past {
			list = append(list, e.change.past[i].program)
		}
	}
	return list
}

// fail says why an intent has no program, has the rules of an earlier one go, and notes what may help.
func (c *Core) fail(n uint32, e *entry, p problem) {
	if ref := c.refusals[n]; ref != nil && len(ref.avoid) > 0 && (p.code == NoPath || p.code == LinkDown) {
		p.code, p.text = ref.code, ref.text
	}
	if e.program != nil {
		c.begin(n, nil, urgent, nil)
		for i := range e.change.past {
			if q := &e.change.past[i]; q.due.IsZero() {
				q.due = c.now.Add(c.drainOf(q.program))
				c.timers.push(q.due, n)
			}
		}
	}
	e.state, e.code = Failed, p.code
	switch p.code {
	case HostUnknown:
		e.state = Waiting
	case SwitchUnknown, PortUnknown:
		e.state = Waiting
		if list := c.awaited[p.dpid]; !slices.Contains(list[max(0, len(list)-8):], n) {
			c.awaited[p.dpid] = append(list, n)
		}
	case NoPath, LinkDown:
		if !e.has(pathless) {
			e.marks |= pathless
			c.stuck = append(c.stuck, n)
		}
	case Conflicting:
		c.blocked[p.who] = append(c.blocked[p.who], n)
	case TableFull, Refused:
		c.timers.push(c.refusals[n].due, n)
	}
	c.tell(n, e, p.text)
}

// unblock looks again at those that failed because an intent was in their place.
func (c *Core) unblock(n uint32) {
	if list := c.blocked[n]; len(list) > 0 {
		delete(c.blocked, n)
		c.enqueue(list)
	}
}

// hope looks again at those that found no path, or another intent on theirs.
func (c *Core) hope() {
	for _, n := range c.stuck {
		c.entries.at(n).marks &^= pathless
	}
	list := c.stuck
	for _, blocked := range c.blocked {
		list = append(list, blocked...)
	}
	clear(c.blocked)
	c.enqueue(list)
	c.stuck = nil
}

// refused takes a switch's no.
func (c *Core) refused(n uint32, e *entry, o *Outcome) {
	c.counts.Refusals++
	_, hop := o.Program.At(int(o.Rule))
	ref := c.refusals[n]
	if ref == nil {
		ref = &refusal{}
		c.refusals[n] = ref
	}
	if !slices.Contains(ref.avoid, hop.DPID) {
		ref.avoid = append(ref.avoid, hop.DPID)
		slices.Sort(ref.avoid)
	}
	ref.code = Refused
	if o.Full {
		ref.code = TableFull
	}
	ref.text = fmt.Sprintf("switch %s: %s", hop.DPID, o.Reason)
	if !c.now.Before(ref.due) {
		ref.due = c.now.Add(min(c.settings.Retry<<min(ref.tries, 16), c.settings.RetryMost))
		ref.tries++
		c.timers.push(ref.due, n)
	}
	if ch := e.change; ch != nil && !ch.done && ch.how == planned && !ch.second {
		wanted := ch.asked || ch.again
		if c.back(n, e) {
			if ch := e.change; ch != nil {
				ch.asked, ch.again = wanted, wanted // to the new content by another path, or not at all
				c.timers.push(c.now.Add(c.settings.Patience), n)
			}
			c.show(n)
			return
		}
	}
	c.decide(n, broken)
}

// ring does what is due for an intent.
func (c *Core) ring(n uint32) {
	e := c.entries.at(n)
	if e.content == "" {
		return
	}
	if ch := e.change; ch != nil {
		late := c.now.UnixNano() >= ch.since+int64(c.settings.Patience)
		if late {
			c.uncount(ch)
		}
		switch {
		case ch.done && ch.next != nil && ch.nextDue <= c.now.UnixNano():
			g, wanted := ch.next, ch.asked
			c.begin(n, g, planned, make([]uint16, g.Len()))
			if e.change != nil {
				e.change.second, e.change.asked = true, wanted
			}
			c.show(n)
		case ch.again && !ch.done && late:
			ch.again = false
			c.decide(n, broken)
		}
		if e.change != nil {
			c.retire(n, e)
		}
	}
	c.reconsider(n, e)
}

// reconsider has paths pass again what refused, when its time has come. How often it was is forgotten after a while without a refusal.
func (c *Core) reconsider(n uint32, e *entry) {
	ref := c.refusals[n]
	switch {
	case ref == nil || ref.due.After(c.now):
		return
	case !c.now.Before(ref.due.Add(c.settings.RetryMost)):
		delete(c.refusals, n)
	case len(ref.avoid) > 0:
		ref.avoid = nil
		c.timers.push(ref.due.Add(c.settings.RetryMost), n)
	default:
		return
	}
	if e.program == nil && e.state == Failed && !e.has(leaving) {
		c.decide(n, asked)
	}
}
