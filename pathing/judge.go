package pathing

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// Judge decides whether a path that works is worth leaving for a better one. A path stays that costs what
// the best does: one that was chosen otherwise among equal ones, before a restart or by an older version,
// is kept.
type Judge struct {
	Map     *topology.Map
	Backoff topology.Filter // the links that flap
}

// Drained reports whether a path of some cost between two switches crosses something that drains, and
// another costs less. One over links that flap is better than that.
func (j Judge) Drained(from, to netview.DPID, cost topology.Cost) bool {
	return cost.Draining > 0 && j.better(from, to, cost, topology.Filter{})
}

// Suboptimal reports whether a path of some cost between two switches could be shorter. One over
// unconfirmed links stays: the switches at their ends may not be reached.
func (j Judge) Suboptimal(from, to netview.DPID, cost topology.Cost) bool {
	return cost.Draining == 0 && cost.Unconfirmed == 0 && j.better(from, to, cost, j.Backoff)
}

func (j Judge) better(from, to netview.DPID, cost topology.Cost, without topology.Filter) bool {
	best, ok := j.Map.CostAround(from, to, without)
	return ok && best.Less(cost)
}
