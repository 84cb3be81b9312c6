package node

import (
	"sync/atomic"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// paths finds paths for the API, in the topology that applications use.
type paths struct{ now atomic.Pointer[topology.Map] }

// Paths is of api.PathFinder. The first path is the one that the system takes.
func (p *paths) Paths(_ *netview.Snapshot, q api.PathQuery) []api.Path {
	m := p.now.Load()
	if m == nil {
		return nil
	}
	var hash uint64
	if q.SrcHost != nil && q.DstHost != nil {
		hash = forward.Hash(q.SrcHost.MAC, q.DstHost.MAC)
	}
	hops, ok := m.PathBetween(netview.Point{DPID: q.Src}, netview.Point{DPID: q.Dst}, hash, nil)
	if !ok {
		return nil
	}
	first := api.Path{}
	for i := 0; i+1 < len(hops); i++ {
		first.Links = append(first.Links, netview.LinkKey{
			Src: netview.Point{DPID: hops[i].DPID, Port: hops[i].Out},
			Dst: netview.Point{DPID: hops[i+1].DPID, Port: hops[i+1].In},
		})
	}
	cost, _ := m.Cost(q.Src, q.Dst)
	first.Cost = uint64(cost)
	return []api.Path{first}
}
