package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// portsLeft are the ports that went since the last step, or under whose numbers others are now. Rows are compared one after the other as
// they come: the snapshot may be of later.
func (c *Core) portsLeft(f *Facts) map[netview.Point]bool {
	var left map[netview.Point]bool
	take := func(dpid netview.DPID, now *netview.Switch) {
		was := c.rows[dpid]
		if now == nil {
			delete(c.rows, dpid)
		} else {
			c.rows[dpid] = now
		}
		if was == nil {
			return
		}
		for _, number := range netview.PortsLeft(was, now) {
			if left == nil {
				left = make(map[netview.Point]bool)
			}
			left[netview.Point{DPID: dpid, Port: number}] = true
		}
	}
	if f.Whole {
		for sw := range f.Snap.Switches() {
			take(sw.DPID, sw)
		}
		for dpid := range c.rows {
			if _, there := f.Snap.Switch(dpid); !there {
				take(dpid, nil)
			}
		}
		return left
	}
	for i := range f.Changes {
		if ch := &f.Changes[i]; ch.Kind == netview.KindSwitch && ch.Deleted {
			take(ch.Switch.DPID, nil)
		} else if ch.Kind == netview.KindSwitch {
			take(ch.Switch.DPID, ch.Switch)
		}
	}
	return left
}

// learnPorts has those looked at first whose packets go through ports that are not what they were. It looks at all ways: ports go rarely.
func (c *Core) learnPorts(left map[netview.Point]bool) {
	if len(left) == 0 {
		return
	}
	var list []uint32
	for _, w := range c.routes.list {
		if w != nil && w.users.count() > 0 && w.through(left) {
			list = append(list, w.users.list...)
		}
	}
	slices.Sort(list)
	for _, n := range slices.Compact(list) {
		e := c.entries.at(n)
		if e.program == nil || e.has(leaving) || !c.anyWay(e.program, func(w *way) bool { return w.through(left) }) {
			continue
		}
		c.uprooted[n] = true
		c.broken = append(c.broken, n)
	}
}

// through reports whether packets come in or go out by one of these ports.
func (w *way) through(ports map[netview.Point]bool) bool {
	return slices.ContainsFunc(w.route.Hops, func(h *program.Hop) bool {
		return ports[netview.Point{DPID: h.DPID, Port: h.In}] ||
			slices.ContainsFunc(h.Out, func(out uint32) bool { return ports[netview.Point{DPID: h.DPID, Port: out}] })
	})
}

// uproot looks again at an intent of which a port is not what it was. The rules that it has no more go at once: what they send to the
// port's number goes somewhere else by now, and may circle there.
func (c *Core) uproot(n uint32, e *entry) {
	c.decide(n, broken)
	if e.change == nil {
		return
	}
	for i := range e.change.past {
		if p := &e.change.past[i]; p.due.IsZero() || p.due.After(c.now) {
			p.due = c.now
		}
	}
	c.retire(n, e)
}
