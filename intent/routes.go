package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
	"github.com/weirnet/weir/topology"
)

// routes are all ways, each once, and which of them leave a switch by which port.
type routes struct {
	list   []*way // by id; nil for one that is forgotten
	free   []uint32
	byHash index
	hops   map[topology.Hop]*program.Hop // of ways: those with one port out
	byPort map[netview.Point][]uint32    // ids, of the ports that lead to another switch
	spots  map[netview.Point]*spot       // of the ways' hops
	idle   int                           // ways without users, kept because what was used may be used again
}

// idleLeast is how many ways without users are kept at least before they are swept.
const idleLeast = 4096

func newRoutes() *routes {
	return &routes{list: make([]*way, 1), byPort: make(map[netview.Point][]uint32), hops: make(map[topology.Hop]*program.Hop),
		spots: make(map[netview.Point]*spot)}
}

func (r *routes) len() int { return r.byHash.len }

func mixed(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func hashHop(h uint64, dpid netview.DPID, in, out uint32) uint64 {
	return mixed(mixed(h, uint64(dpid)), uint64(in)<<32|uint64(out))
}

func hashHops(hops []*program.Hop) uint64 {
	h := uint64(len(hops))
	for _, hop := range hops {
		for k, out := range hop.Out {
			h = hashHop(h, hop.DPID+netview.DPID(k)<<56, hop.In, out)
		}
	}
	return mixed(h, 0x6c62272e07bb0142)
}

// ofPath is the way along the hops of a path.
func (r *routes) ofPath(hops []topology.Hop) (found *way) {
	h := uint64(len(hops))
	for i := range hops {
		h = hashHop(h, hops[i].DPID, hops[i].In, hops[i].Out)
	}
	h = mixed(h, 0x6c62272e07bb0142)
	r.byHash.find(h, func(id uint32) bool {
		if w := r.list[id]; w.hash == h && w.joins == nil && samePath(w.route.Hops, hops) {
			found = w
		}
		return found == nil
	})
	if found != nil {
		return found
	}
	w := newWay(len(hops))
	for i := range hops {
		w.route.Hops[i] = r.hop(hops[i])
	}
	w.hash = h
	return r.add(w)
}

// hop is the hop of one port in and one out: many routes have it.
func (r *routes) hop(at topology.Hop) *program.Hop {
	h := r.hops[at]
	if h == nil {
		h = program.HopOf(program.Hop{DPID: at.DPID, In: at.In}, at.Out)
		r.hops[at] = h
	}
	return h
}

func samePath(a []*program.Hop, b []topology.Hop) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].DPID != b[i].DPID || a[i].In != b[i].In || a[i].Out[0] != b[i].Out || len(a[i].Out) != 1 {
			return false
		}
	}
	return true
}

// ofTree is the way of a tree; the slices belong to it from then on.
func (r *routes) ofTree(hops []*program.Hop, joins []join) (found *way) {
	if joins == nil {
		joins = []join{}
	}
	h := hashHops(hops)
	whole := program.Route{Hops: hops}
	r.byHash.find(h, func(id uint32) bool {
		if w := r.list[id]; w.hash == h && w.joins != nil && w.route.Equal(&whole) {
			found = w
		}
		return found == nil
	})
	if found != nil {
		return found
	}
	return r.add(&way{route: whole, joins: joins, hash: h})
}

func (r *routes) add(w *way) *way {
	if n := len(r.free); n > 0 {
		w.route.ID, r.free = r.free[n-1], r.free[:n-1]
		r.list[w.route.ID] = w
	} else {
		w.route.ID = uint32(len(r.list))
		r.list = append(r.list, w)
	}
	r.byHash.add(w.hash, w.route.ID)
	w.eachLink(func(k netview.LinkKey) { r.byPort[k.Src] = append(r.byPort[k.Src], w.route.ID) })
	r.addSpots(w)
	r.idle++
	return w
}

// addSpots notes where a way passes.
func (r *routes) addSpots(w *way) {
	w.spots = make([]*spot, len(w.route.Hops))
	for i, h := range w.route.Hops {
		at := netview.Point{DPID: h.DPID, Port: h.In}
		s := r.spots[at]
		if s == nil {
			s = &spot{at: at}
			r.spots[at] = s
		}
		s.ways = append(s.ways, w)
		w.spots[i] = s
	}
}

// use has an intent take a way.
func (r *routes) use(w *way, n uint32) {
	if w.users.count() == 0 {
		r.idle--
	}
	w.users.add(n)
}

// leave has an intent leave a way; uses says which others use it still.
func (r *routes) leave(w *way, n uint32, uses func(uint32) bool) {
	w.users.remove(n, uses)
	if w.users.count() == 0 {
		r.idle++
	}
}

// sweep forgets the ways without users when there are many. Nobody holds one that he is going to use.
func (r *routes) sweep() {
	if r.idle <= max(idleLeast, r.len()/2) {
		return
	}
	kept := 0
	for id, w := range r.list {
		if w == nil || w.users.count() > 0 {
			continue
		}
		if w.holders.count() > 0 { // rules along it are on their way out
			kept++
			continue
		}
		r.byHash.remove(w.hash, w.route.ID)
		r.list[id] = nil
		r.free = append(r.free, uint32(id))
	}
	for at, ids := range r.byPort {
		kept := ids[:0]
		for _, id := range ids {
			if r.list[id] != nil {
				kept = append(kept, id)
			}
		}
		if r.byPort[at] = kept; len(kept) == 0 {
			delete(r.byPort, at)
		}
	}
	r.idle = kept
	for at, s := range r.spots {
		if s.ways = slices.DeleteFunc(s.ways, func(w *way) bool { return r.of(&w.route) == nil }); len(s.ways) == 0 {
			delete(r.spots, at)
		}
	}
	r.sweepHops()
}

// sweepHops forgets the hops that no way has.
func (r *routes) sweepHops() {
	clear(r.hops)
	for _, w := range r.list {
		if w == nil {
			continue
		}
		for _, h := range w.route.Hops {
			if len(h.Out) == 1 {
				r.hops[topology.Hop{DPID: h.DPID, In: h.In, Out: h.Out[0]}] = h
			}
		}
	}
}

// of is the way of a route; nil if it is forgotten.
func (r *routes) of(p *program.Route) *way {
	if w := r.list[p.ID]; w != nil && &w.route == p {
		return w
	}
	return nil
}
