package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// pathRegistry has all paths and trees, each once, and the in ports that they pass.
type pathRegistry struct {
	slots[*sharedPath] // nil for a free id

	byHash  index
	hops    map[topology.Hop]*ruleset.Hop // hops of paths, those with one out port
	inPorts inPorts                       // of the hops
	idle    int                           // paths without users, cached

	retiring index // by route: the intents with retiring rule sets along it, each once
}

// minIdle is how many paths without users are cached at least.
const minIdle = 4096

func newPathRegistry() *pathRegistry {
	return &pathRegistry{hops: make(map[topology.Hop]*ruleset.Hop), inPorts: newInPorts()}
}

func (r *pathRegistry) len() int { return r.byHash.Len() }

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func hashHop(h uint64, dpid netview.DPID, in, out uint32) uint64 {
	return mix(mix(h, uint64(dpid)), uint64(in)<<32|uint64(out))
}

// hashOf returns the hash of a route by its ID.
func hashOf(r *ruleset.Route) uint64 { return mix(uint64(r.ID), 0x6c62272e07bb0142) }

func hashHops(hops []*ruleset.Hop) uint64 {
	h := uint64(len(hops))
	for _, hop := range hops {
		for k, out := range hop.Out {
			h = hashHop(h, hop.DPID+netview.DPID(k)<<56, hop.In, out)
		}
	}
	return mix(h, 0x6c62272e07bb0142)
}

// find returns the path of a hash for which is returns true; nil without one.
func (r *pathRegistry) find(hash uint64, is func(*sharedPath) bool) (found *sharedPath) {
	r.byHash.Find(hash, func(id uint32) bool {
		if path := r.list[id]; is(path) {
			found = path
		}
		return found == nil
	})
	return found
}

// forHops returns the path along some hops.
func (r *pathRegistry) forHops(hops []topology.Hop) *sharedPath {
	h := uint64(len(hops))
	for i := range hops {
		h = hashHop(h, hops[i].DPID, hops[i].In, hops[i].Out)
	}
	h = mix(h, 0x6c62272e07bb0142)
	found := r.find(h, func(path *sharedPath) bool { return path.treeEdges == nil && samePath(path.route.Hops, hops) })
	if found != nil {
		return found
	}
	path := newPath(len(hops))
	for i := range hops {
		path.route.Hops[i] = r.hop(hops[i])
	}
	return r.add(path, h)
}

// hop returns the hop with one in port and one out port, which many routes share.
func (r *pathRegistry) hop(at topology.Hop) *ruleset.Hop {
	h := r.hops[at]
	if h == nil {
		h = ruleset.HopOf(ruleset.Hop{DPID: at.DPID, In: at.In,
			ID: r.inPorts.idOf(netview.Point{DPID: at.DPID, Port: at.In})}, at.Out)
		r.hops[at] = h
	}
	return h
}

func samePath(a []*ruleset.Hop, b []topology.Hop) bool {
	return slices.EqualFunc(a, b, func(h *ruleset.Hop, at topology.Hop) bool {
		return h.DPID == at.DPID && h.In == at.In && h.Out[0] == at.Out && len(h.Out) == 1
	})
}

// forTree returns the path object of a tree. It takes ownership of the slices and of the hops that
// no other path has.
func (r *pathRegistry) forTree(hops []*ruleset.Hop, joins []edge) *sharedPath {
	if joins == nil {
		joins = []edge{}
	}
	h := hashHops(hops)
	whole := ruleset.Route{Hops: hops}
	found := r.find(h, func(path *sharedPath) bool { return path.treeEdges != nil && path.route.Equal(&whole) })
	if found != nil {
		return found
	}
	return r.add(&sharedPath{route: whole, treeEdges: &joins}, h)
}

// add registers a new path. New hops get the id of their in port.
func (r *pathRegistry) add(path *sharedPath, hash uint64) *sharedPath {
	path.route.ID = r.slots.add(path)
	r.byHash.add(hash, path.route.ID)
	for _, h := range path.route.Hops {
		if h.ID == 0 {
			h.ID = r.inPorts.idOf(netview.Point{DPID: h.DPID, Port: h.In})
		}
		at := r.inPorts.ofHop(h)
		at.paths = append(at.paths, path.route.ID)
	}
	r.idle++
	return path
}

// addUser registers an intent with a path.
func (r *pathRegistry) addUser(path *sharedPath, n uint32) {
	if path.users.count() == 0 {
		r.idle--
	}
	path.users.add(n)
}

// removeUser undoes addUser; uses reports which others still use the path.
func (r *pathRegistry) removeUser(path *sharedPath, n uint32, uses func(uint32) bool) {
	path.users.remove(n, uses)
	if path.users.count() == 0 {
		r.idle++
	}
}

// sweep drops paths without users when there are many. No caller may hold one that it is going to
// use.
func (r *pathRegistry) sweep() {
	if r.idle <= max(minIdle, r.len()/2) {
		return
	}
	kept := 0
	for id, w := range r.list {
		if w == nil || w.users.count() > 0 {
			continue
		}
		if r.hasRetiring(w) { // rules along it are still being removed
			kept++
			continue
		}
		r.byHash.Remove(hashHops(w.route.Hops), w.route.ID)
		r.slots.remove(uint32(id))
	}
	r.idle = kept
	r.inPorts.sweep(func(id uint32) bool { return r.list[id] == nil })
	r.sweepHops()
}

// hasRetiring reports whether an intent may have a retiring rule set along a path.
func (r *pathRegistry) hasRetiring(path *sharedPath) (found bool) {
	r.retiring.Find(hashOf(&path.route), func(uint32) bool { found = true; return false })
	return found
}

// sweepHops drops the hops that no path has.
func (r *pathRegistry) sweepHops() {
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

// forRoute returns the path of a route; nil if it was dropped.
func (r *pathRegistry) forRoute(p *ruleset.Route) *sharedPath {
	if path := r.at(p.ID); path != nil && &path.route == p {
		return path
	}
	return nil
}
