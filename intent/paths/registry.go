package paths

import (
	"iter"

	"github.com/weirnet/weir/hashtab"
	"github.com/weirnet/weir/intent/numbered"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// Registry has all paths and trees, each once, the ports that they come in by, and who takes them.
type Registry struct {
	paths   numbered.Slots[*Path]
	byHash  hashtab.Table[uint32, struct{}] // numbers of paths
	hops    map[topology.Hop]*ruleset.Hop   // hops of paths, those with one out port
	inPorts inPorts                         // of the hops
	idle    int                             // paths without users, cached

	retiring hashtab.Table[uint32, struct{}] // by route: the intents with retiring rule sets along it, each once
}

// minIdle is how many paths without users are cached at least.
const minIdle = 4096

// NewRegistry returns an empty one.
func NewRegistry() *Registry {
	return &Registry{hops: make(map[topology.Hop]*ruleset.Hop), inPorts: newInPorts()}
}

// Len returns the number of paths, with those that are cached.
func (r *Registry) Len() int { return r.byHash.Len() }

// find returns the path of a hash for which is returns true; nil without one.
func (r *Registry) find(hash uint64, is func(*Path) bool) (found *Path) {
	r.byHash.Find(hash, func(id uint32) bool {
		if path := r.paths.At(id); is(path) {
			found = path
		}
		return found == nil
	})
	return found
}

// Along returns the path along some hops.
func (r *Registry) Along(hops []topology.Hop) *Path {
	h := uint64(len(hops))
	for i := range hops {
		h = hashHop(h, hops[i].DPID, hops[i].In, hops[i].Out)
	}
	h = mix(h, 0x6c62272e07bb0142)
	found := r.find(h, func(path *Path) bool { return path.treeEdges == nil && path.Follows(hops) })
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
func (r *Registry) hop(at topology.Hop) *ruleset.Hop {
	h := r.hops[at]
	if h == nil {
		h = ruleset.HopOf(ruleset.Hop{DPID: at.DPID, In: at.In,
			ID: r.inPorts.idOf(netview.Point{DPID: at.DPID, Port: at.In})}, at.Out)
		r.hops[at] = h
	}
	return h
}

// Tree returns the path of a tree. It takes ownership of the slices and of the hops that
// no other path has.
func (r *Registry) Tree(hops []*ruleset.Hop, edges []Edge) *Path {
	if edges == nil {
		edges = []Edge{}
	}
	h := hashHops(hops)
	whole := ruleset.Route{Hops: hops}
	found := r.find(h, func(path *Path) bool { return path.treeEdges != nil && path.route.Equal(&whole) })
	if found != nil {
		return found
	}
	return r.add(&Path{route: whole, treeEdges: &edges}, h)
}

// add registers a new path. New hops get the id of their in port.
func (r *Registry) add(path *Path, hash uint64) *Path {
	path.route.ID = r.paths.Add(path)
	r.byHash.Add(hash, path.route.ID, struct{}{})
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

// Sweep drops paths without users when there are many. No caller may hold one that it is going to
// use.
func (r *Registry) Sweep() {
	if r.idle <= max(minIdle, r.Len()/2) {
		return
	}
	kept := 0
	for id, w := range r.paths.List() {
		if w == nil || w.users.Count() > 0 {
			continue
		}
		if r.HasRetiring(w) { // rules along it are still being removed
			kept++
			continue
		}
		r.byHash.Remove(hashHops(w.route.Hops), w.route.ID)
		r.paths.Remove(uint32(id))
	}
	r.idle = kept
	r.inPorts.sweep(func(id uint32) bool { return r.paths.List()[id] == nil })
	r.sweepHops()
}

// sweepHops drops the hops that no path has.
func (r *Registry) sweepHops() {
	clear(r.hops)
	for _, w := range r.paths.List() {
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

// Of returns the path of a route; nil if it was dropped.
func (r *Registry) Of(p *ruleset.Route) *Path {
	if path := r.paths.At(p.ID); path != nil && &path.route == p {
		return path
	}
	return nil
}

// At returns the path of a number.
func (r *Registry) At(number uint32) *Path { return r.paths.At(number) }

// All yields all paths, in the order of their numbers.
func (r *Registry) All() iter.Seq[*Path] {
	return func(yield func(*Path) bool) {
		for _, path := range r.paths.List() {
			if path != nil && !yield(path) {
				return
			}
		}
	}
}

// Into returns the numbers of the paths that come in by the port of a hop. They are not to be changed.
func (r *Registry) Into(hop *ruleset.Hop) []uint32 { return r.inPorts.ofHop(hop).paths }

// Any reports whether is returns true for a path of a rule set.
func (r *Registry) Any(g *ruleset.Set, is func(*Path) bool) bool {
	for route := range g.Routes() {
		if is(r.Of(route)) {
			return true
		}
	}
	return false
}
