package discovery

import (
	"github.com/weirnet/weir/netview"
)

const (
	surelyFar = 3 // far probes heard without a near one: then something is in between
	maxShared = 8 // links to and from one port; on a segment with more ports of ours the others are blocked
)

// shared is true if one of a link's ends hears, or is heard by, a third port of ours.
func (e *edge) shared() bool {
	for _, p := range [...]*port{e.src, e.dst} {
		for _, list := range [...][]*edge{p.in, p.out} {
			for _, o := range list {
				if o.near && o.heard == 0 { // what may have been replaced
					continue
				}
				if o.src != e.src && o.src != e.dst || o.dst != e.src && o.dst != e.dst {
					return true
				}
			}
		}
	}
	return false
}

// state is how sure a link is.
func (e *edge) state() netview.LinkState {
	switch {
	case e.shared():
		return netview.LinkShared
	case !e.near:
		return netview.LinkIndirect
	case e.live() && e.heard > 0:
		return netview.LinkConfirmed
	}
	return netview.LinkUnconfirmed
}

// restate writes the states of the links at some ports, and of those at their other ends, which have one neighbour more
// or less.
func (c *Core) restate(ports ...*port) {
	for _, p := range ports {
		for _, e := range p.edges() {
			c.writeStates(e)
			c.tellIndirect(e)
		}
	}
}

// writeStates writes the states of the links at a link's ends.
func (c *Core) writeStates(e *edge) {
	for _, p := range [...]*port{e.dst, e.src} {
		for _, o := range p.edges() {
			c.putLink(o.key(), true, o.state())
		}
	}
}

// tellIndirect raises the alarm about a link that is surely not a cable, or ends it.
func (c *Core) tellIndirect(e *edge) {
	between := e.shared() || !e.near && e.fars >= surelyFar
	switch {
	case between == e.told || c.cfg.Alarms == nil:
	case between:
		e.told = true
		text := "something that is no switch of ours forwards between " + e.src.at.String() + " and " + e.dst.at.String()
		if e.shared() {
			text = "more than two ports of ours are on one segment: " + e.src.at.String() + ", " + e.dst.at.String() + " and others"
		}
		c.cfg.Alarms.Raise(netview.AlarmIndirectLink, e.key().String(), text)
	default:
		c.endIndirect(e)
	}
}

// endIndirect ends the alarm about a link.
func (c *Core) endIndirect(e *edge) {
	if e.told {
		e.told = false
		c.cfg.Alarms.Clear(netview.AlarmIndirectLink, e.key().String())
	}
}
