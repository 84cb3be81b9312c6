package paths

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// Network is what paths are evaluated on. Its owner changes all of it together.
type Network struct {
	Snap    *netview.Snapshot
	Map     *topology.Map
	Settled bool // discovery has looked everywhere
}

// Status keeps the state of the paths of a registry.
type Status struct {
	registry *Registry
	network  *Network
	scan     scan // the look at paths over changed links that is not complete yet
}

// NewStatus returns the status of the paths of a registry, on a network, which it reads whenever it is
// asked.
func NewStatus(r *Registry, n *Network) *Status { return &Status{registry: r, network: n} }

// Evaluate updates the state of a path, and returns its cost. Links that the map has never had count as
// unconfirmed until discovery has settled, so that decisions survive a restart.
func (s *Status) Evaluate(path *Path) (cost topology.Cost) {
	m, settled := s.network.Map, s.network.Settled
	path.unconfirmed, path.down, path.draining, path.evaluatedOn = false, false, false, m
	path.EachEdge(func(j Edge) {
		from, to := path.route.Hops[j.From], path.route.Hops[j.To]
		in := s.registry.inPorts.Numbered(to.ID)
		l := in.State.linkFrom(netview.Point{DPID: from.DPID, Port: j.Out}, in.Point, m)
		switch {
		case !l.known && !settled:
			path.unconfirmed = true
			cost.Unconfirmed++
			return
		case !l.up:
			path.down = true
			return
		}
		path.unconfirmed = path.unconfirmed || l.cost.Unconfirmed > 0
		path.draining = path.draining || l.cost.Draining > 0
		cost = cost.Plus(l.cost)
	})
	return cost
}

// Refresh evaluates a path, unless its state is that of the map.
func (s *Status) Refresh(path *Path) {
	if path.evaluatedOn != s.network.Map {
		s.Evaluate(path)
	}
}

// Reset forgets what is known of links, when any may have changed: all paths are to be evaluated.
func (s *Status) Reset() {
	for at := range s.registry.inPorts.All() {
		at.State.measured = false
	}
}

// Linger returns how long packets may be in flight on the paths of a rule set.
func (s *Status) Linger(g *ruleset.Set) time.Duration {
	longest, unknown := uint64(0), false
	for r := range g.Routes() {
		sum := uint64(0)
		for _, hop := range r.Hops[1:] { // for a tree all links, which is an upper bound
			in := s.registry.inPorts.Numbered(hop.ID)
			if !in.State.measured {
				in.State.measure(in.Point, s.network.Snap)
			}
			sum += in.State.latency
			unknown = unknown || in.State.uncertain
		}
		longest = max(longest, sum)
	}
	return pathing.Linger(longest, unknown)
}
