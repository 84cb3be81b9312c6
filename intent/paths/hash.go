package paths

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
)

// hashOf returns the hash of a route by its ID.
func hashOf(r *ruleset.Route) uint64 { return pathing.Hash(r.ID).Sum() }

func hashHops(hops []*ruleset.Hop) uint64 {
	h := pathing.HashOf(len(hops))
	for _, hop := range hops {
		for k, out := range hop.Out() {
			h = h.Hop(hop.DPID+netview.DPID(k)<<56, hop.In, out)
		}
		if hop.Tag != 0 {
			h = h.With(uint64(hop.Tag))
		}
	}
	return h.Sum()
}
