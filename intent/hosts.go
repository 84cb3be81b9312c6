package intent

import (
	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// hostIndex has the intents between hosts, by host. An intent is there from its content's commit until
// the next, or until it is withdrawn.
type hostIndex struct {
	entries *entries
	network *paths.Network
	users   map[netview.HostID]*paths.Users
}

// watch registers the hosts that an intent depends on.
func (x *hostIndex) watch(n uint32, s *spec.Spec) {
	if s.Kind != spec.HostToHost {
		return
	}
	for _, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		u := x.users[id]
		if u == nil {
			u = &paths.Users{}
			x.users[id] = u
		}
		u.Add(n)
	}
}

// unwatch undoes watch; the entry has still the content that was watched.
func (x *hostIndex) unwatch(n uint32, e *coreEntry) {
	if e.kind != spec.HostToHost {
		return
	}
	s := spec.Read(e.content)
	for _, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		u := x.users[id]
		u.Remove(n, func(m uint32) bool { return m != n && x.has(m, id) })
		if u.Count() == 0 {
			delete(x.users, id)
		}
	}
}

// has reports whether an intent has a host as an end.
func (x *hostIndex) has(n uint32, id netview.HostID) bool {
	e := x.entries.At(n)
	if e.content == "" || e.has(withdrawing) || e.kind != spec.HostToHost {
		return false
	}
	s := spec.Read(e.content)
	return s.Src[0].Host == id || s.Dst[0].Host == id
}

// of returns the intents of hosts that have changed, in the order of their numbers.
func (x *hostIndex) of(changes []netview.Change) (list []uint32) {
	for i := range changes {
		if ch := &changes[i]; ch.Kind == netview.KindHost {
			if u := x.users[ch.Host.HostID]; u != nil {
				list = append(list, u.List()...)
			}
		}
	}
	return inOrder(list)
}

// moved reports whether a host of an intent with a rule set is known to be elsewhere.
func (x *hostIndex) moved(e *coreEntry) bool {
	if e.kind != spec.HostToHost {
		return false
	}
	s := spec.Read(e.content)
	hops := e.rules.Legs[0].Route.Hops
	first, last := hops[0], hops[len(hops)-1]
	src, ok1 := x.network.Snap.Host(s.Src[0].Host)
	dst, ok2 := x.network.Snap.Host(s.Dst[0].Host)
	return ok1 && src.At != (netview.Point{DPID: first.DPID, Port: first.In}) ||
		ok2 && dst.At != (netview.Point{DPID: last.DPID, Port: last.Out()[0]})
}
