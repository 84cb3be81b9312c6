package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// learn takes what has changed in the network.
func (c *Core) learn(f *Facts) {
	settling := f.Snap.Settled() && !c.settled
	left := c.portsLeft(f)
	c.snap, c.settled = f.Snap, f.Snap.Settled()
	if f.Map != c.m {
		clear(c.detours)
	}
	c.m = f.Map
	if f.Whole || settling {
		c.learnAll()
		c.learnPorts(left)
		return
	}
	c.learnPorts(left)
	var links, switches, hosts bool
	for i := range f.Changes {
		switch f.Changes[i].Kind {
		case netview.KindLink:
			links = true
		case netview.KindSwitch:
			switches = true
		case netview.KindHost:
			hosts = true
		}
	}
	if links {
		c.learnLinks(f.Changes)
	}
	if switches {
		c.learnSwitches(f.Changes)
	}
	if hosts {
		c.learnHosts(f.Changes)
	}
}

// learnAll looks at everything again.
func (c *Core) learnAll() {
	for _, w := range c.routes.list {
		if w != nil {
			w.judge(c.m, c.settled)
			c.strained(w)
		}
	}
	c.broken, c.queue = nil, nil
	for n := range c.entries.last() {
		if c.entries.at(n).content != "" {
			c.queue = append(c.queue, n)
		}
	}
	clear(c.awaited)
	for _, n := range c.stuck {
		c.entries.at(n).marks &^= pathless
	}
	c.stuck = nil
	c.planned.disturbed(c.now)
}

// learnLinks judges the ways over links that have changed: who has lost his goes another, before all else, in the order of numbers.
func (c *Core) learnLinks(changes []netview.Change) {
	var touched, broken, other []uint32
	keys, up := linksOf(changes)
	for _, key := range keys {
		cost, known := c.m.LinkCost(key)
		for _, id := range c.routes.byPort[key.Src] {
			switch w := c.routes.list[id]; {
			case w.users.count() == 0: // judged when somebody takes it
				w.judged = nil
			case cost == route.Down && (known || c.settled) && w.passes(key):
				w.down = true
				broken = append(broken, w.users.list...)
			default:
				touched = append(touched, id)
			}
		}
	}
	slices.Sort(touched)
	for _, id := range slices.Compact(touched) {
		w := c.routes.list[id]
		unsure, down, drain := w.unsure, w.down, w.drain
		w.judge(c.m, c.settled)
		switch {
		case w.down:
			broken = append(broken, w.users.list...)
		case w.unsure != unsure || down:
			other = append(other, w.users.list...)
		}
		if w.drain && !drain {
			c.strained(w)
		}
	}
	slices.Sort(broken)
	c.broken = append(c.broken, slices.Compact(broken)...)
	slices.Sort(other)
	for _, n := range slices.Compact(other) {
		c.show(n)
	}
	if up {
		c.hope()
	}
	c.planned.disturbed(c.now)
}

// linksOf are the links that have changed, each once, and whether any can be used. What one direction is, the other may cost.
func linksOf(changes []netview.Change) (keys []netview.LinkKey, up bool) {
	for i := range changes {
		ch := &changes[i]
		if ch.Kind != netview.KindLink {
			continue
		}
		keys = append(keys, ch.Link.LinkKey, ch.Link.Reverse())
		up = up || !ch.Deleted && ch.Link.Usable
	}
	slices.SortFunc(keys, netview.LinkKey.Compare)
	return slices.Compact(keys), up
}

// learnSwitches looks again at what waited for a switch, or a port of one.
func (c *Core) learnSwitches(changes []netview.Change) {
	for i := range changes {
		ch := &changes[i]
		if ch.Kind != netview.KindSwitch || ch.Deleted {
			continue
		}
		if list := c.awaited[ch.Switch.DPID]; len(list) > 0 {
			delete(c.awaited, ch.Switch.DPID)
			c.enqueue(list)
		}
	}
}

// learnHosts looks again at intents of hosts that have come, or moved.
func (c *Core) learnHosts(changes []netview.Change) {
	var list []uint32
	for i := range changes {
		if ch := &changes[i]; ch.Kind == netview.KindHost && !ch.Deleted {
			if u := c.hosts[ch.Host.HostID]; u != nil {
				list = append(list, u.list...)
			}
		}
	}
	slices.Sort(list)
	for _, n := range slices.Compact(list) {
		if e := c.entries.at(n); e.program == nil && (e.code == HostUnknown || e.code == NoPath || e.code == LinkDown) || e.program != nil && !e.has(adopted) && !e.has(leaving) && c.moved(e) {
			c.again(n)
		}
	}
}
