package paths

import (
	"iter"
	"slices"

	"github.com/weirnet/weir/hashtab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// Registry has all paths and trees, each once, the ports that they come in by, and who takes them.
type Registry struct {
	paths   pathing.Registry[Path]
	hops    map[topology.Hop]*ruleset.Hop // hops of paths, those that output to one port
	do      map[string]*ruleset.Behaviour // of all hops, by key
	inPorts inPorts                       // of the hops
	idle    int                           // paths without users, cached

	retiring hashtab.Table[uint32, struct{}] // by route: the intents with retiring rule sets along it, each once
}

// minIdle is how many paths without users are cached at least.
const minIdle = 4096

// NewRegistry returns an empty one.
func NewRegistry() *Registry {
	return &Registry{hops: make(map[topology.Hop]*ruleset.Hop), do: make(map[string]*ruleset.Behaviour)}
}

// Len returns the number of paths, with those that are cached.
func (r *Registry) Len() int { return r.paths.Len() }

// Along returns the path along some hops.
func (r *Registry) Along(hops []topology.Hop) *Path {
	sum := pathing.HashOf(len(hops))
	for i := range hops {
		sum = sum.Hop(hops[i].DPID, hops[i].In, hops[i].Out)
	}
	h := sum.Sum()
	found := r.paths.Find(h, func(path *Path) bool { return path.treeEdges == nil && !path.Tagged() && path.Follows(hops) })
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
		h = &ruleset.Hop{DPID: at.DPID, In: at.In, ID: r.inPorts.Number(netview.Point{DPID: at.DPID, Port: at.In}),
			Do: r.shared(at.In, ruleset.Outputs(at.In, at.Out))}
		r.hops[at] = h
	}
	return h
}

// shared returns the behaviour that hops have in place of an equal one. Those that send packets back to their
// port in, which are few, know its number, and are not shared.
func (r *Registry) shared(in uint32, b *ruleset.Behaviour) *ruleset.Behaviour {
	if slices.Contains(b.Out(), in) {
		return b
	}
	if known := r.do[b.Key()]; known != nil {
		return known
	}
	r.do[b.Key()] = b
	return b
}

// Tree returns the path of a tree. It takes ownership of the slices and of the hops that
// no other path has.
func (r *Registry) Tree(hops []*ruleset.Hop, edges []Edge) *Path {
	if edges == nil {
		edges = []Edge{}
	}
	return r.same(&Path{route: ruleset.Route{Hops: hops}, treeEdges: &edges})
}

// same returns the path of a registry that has the same hops, or adds one.
func (r *Registry) same(path *Path) *Path {
	h := hashHops(path.route.Hops)
	found := r.paths.Find(h, func(p *Path) bool { return p.IsTree() == path.IsTree() && p.route.Equal(&path.route) })
	if found != nil {
		return found
	}
	return r.add(path, h)
}

// add registers a new path. New hops get the id of their in port, and a shared behaviour.
func (r *Registry) add(path *Path, hash uint64) *Path {
	path.route.ID = r.paths.Add(hash, path)
	for _, h := range path.route.Hops {
		if h.ID == 0 {
			h.ID = r.inPorts.Number(netview.Point{DPID: h.DPID, Port: h.In})
			h.Do = r.shared(h.In, h.Do)
		}
		r.inPorts.Add(h.ID, path.route.ID)
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
	r.Retain(nil)
}

// Retain drops the paths without users, but those for whose numbers taken returns true; nil: for none.
func (r *Registry) Retain(taken func(number uint32) bool) {
	kept := 0
	for id, w := range r.paths.All() {
		if w.users.Count() > 0 {
			continue
		}
		if r.HasRetiring(w) || taken != nil && taken(id) { // rules along it are still being removed
			kept++
			continue
		}
		r.paths.Remove(hashHops(w.route.Hops), id)
	}
	r.idle = kept
	r.inPorts.Sweep(func(id uint32) bool { return r.paths.At(id) == nil })
	r.sweepHops()
}

// sweepHops drops the hops and behaviours that no path has.
func (r *Registry) sweepHops() {
	clear(r.hops)
	clear(r.do)
	for _, w := range r.paths.All() {
		for _, h := range w.route.Hops {
			r.shared(h.In, h.Do)
			if out := h.Out(); len(out) == 1 && !w.Tagged() {
				r.hops[topology.Hop{DPID: h.DPID, In: h.In, Out: out[0]}] = h
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
		for _, path := range r.paths.All() {
			if !yield(path) {
				return
			}
		}
	}
}

// Into returns the numbers of the paths that come in by the port of a hop. They are not to be changed.
func (r *Registry) Into(hop *ruleset.Hop) []uint32 { return r.inPorts.Numbered(hop.ID).Paths }

// Any reports whether is returns true for a path of a rule set.
func (r *Registry) Any(g *ruleset.Set, is func(*Path) bool) bool {
	for route := range g.Routes() {
		if is(r.Of(route)) {
			return true
		}
	}
	return false
}
