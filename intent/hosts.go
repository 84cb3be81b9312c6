package intent

import (
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// hostsChanged re-evaluates the intents of hosts that have appeared or moved, and those without a
// path to a host that was deleted.
func (c *Core) hostsChanged(changes []netview.Change) {
	var list []uint32
	for i := range changes {
		if ch := &changes[i]; ch.Kind == netview.KindHost {
			if u := c.hostUsers[ch.Host.HostID]; u != nil {
				list = append(list, u.list...)
			}
		}
	}
	for _, n := range inOrder(list) {
		e := c.entries.at(n)
		waits := e.rules == nil && (e.code == HostUnknown || e.code == NoPath || e.code == LinkDown)
		if waits || e.rules != nil && !e.has(restorable) && !e.has(withdrawing) && c.hostMoved(e) {
			c.reevaluate(n)
		}
	}
}

// hostMoved reports whether a host of an intent is known to be elsewhere.
func (c *Core) hostMoved(e *coreEntry) bool {
	if e.kind != spec.HostToHost {
		return false
	}
	s := spec.Read(e.content)
	hops := e.rules.Legs[0].Route.Hops
	first, last := hops[0], hops[len(hops)-1]
	src, ok1 := c.snap.Host(s.Src[0].Host)
	dst, ok2 := c.snap.Host(s.Dst[0].Host)
	return ok1 && src.At != (netview.Point{DPID: first.DPID, Port: first.In}) ||
		ok2 && dst.At != (netview.Point{DPID: last.DPID, Port: last.Out[0]})
}

// watchHosts registers the hosts that an intent depends on.
func (c *Core) watchHosts(n uint32, s *spec.Spec) {
	if s.Kind != spec.HostToHost {
		return
	}
	for _, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		u := c.hostUsers[id]
		if u == nil {
			u = &userList{}
			c.hostUsers[id] = u
		}
		u.add(n)
	}
}

func (c *Core) unwatchHosts(n uint32, e *coreEntry) {
	if e.kind != spec.HostToHost {
		return
	}
	s := spec.Read(e.content)
	for _, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		u := c.hostUsers[id]
		u.remove(n, func(m uint32) bool { return m != n && c.hasHost(m, id) })
		if u.count() == 0 {
			delete(c.hostUsers, id)
		}
	}
}

// hasHost reports whether an intent has a host as an end.
func (c *Core) hasHost(n uint32, id netview.HostID) bool {
	e := c.entries.at(n)
	if e.content == "" || e.has(withdrawing) || e.kind != spec.HostToHost {
		return false
	}
	s := spec.Read(e.content)
	return s.Src[0].Host == id || s.Dst[0].Host == id
}
