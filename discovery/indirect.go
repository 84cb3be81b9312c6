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
	case !e.near, e.unproven:
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

// tellIndirect raises the alarm about a link that is surely not a cable, or may be none, or ends it.
func (c *Core) tellIndirect(e *edge) {
	var kind netview.AlarmKind
	text := ""
	switch {
	case e.shared():
		kind, text = netview.AlarmIndirectLink, "more than two ports of ours are on one segment: "+e.src.at.String()+", "+e.dst.at.String()+" and others"
	case !e.near && e.fars >= surelyFar:
		kind, text = netview.AlarmIndirectLink, "something that is no switch of ours forwards between "+e.src.at.String()+" and "+e.dst.at.String()
	case e.near && e.unproven:
		kind, text = netview.AlarmUnprovenLink, "discovery frames pass between "+e.src.at.String()+" and "+e.dst.at.String()+
			", which were silent and had carrier before: nothing was plugged in, so hosts there may relay them, and the link is not used"
	}
	if kind == e.told || c.cfg.Alarms == nil {
		return
	}
	c.endIndirect(e)
	if e.told = kind; kind != "" {
		c.cfg.Alarms.Raise(kind, e.key().String(), text)
	}
}

// endIndirect ends the alarm about a link.
func (c *Core) endIndirect(e *edge) {
	if e.told != "" {
		c.cfg.Alarms.Clear(e.told, e.key().String())
		e.told = ""
	}
}
