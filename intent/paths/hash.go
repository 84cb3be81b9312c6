package paths

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

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
