package northbound

import (
	"slices"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
	"github.com/weirnet/weir/topology"
)

// Paths implements api.PathFinder. The first path is the one that the system takes; of disjoint
// ones, there are two at most, of the least cost together, so that the first may be another.
func (n *Answers) Paths(_ *netview.Snapshot, q api.PathQuery) []api.Path {
	found := n.find(q)
	if len(found) == 0 {
		return nil
	}
	return n.withIntents(q, found)
}

// find finds paths without a look at intents.
func (n *Answers) find(q api.PathQuery) []api.Path {
	m := n.Maps.Latest()
	first, ok := n.taken(m, q)
	if !ok {
		return nil
	}
	if q.K <= 1 || q.Src == q.Dst {
		return []api.Path{first}
	}
	src, _ := m.Node(q.Src)
	dst, _ := m.Node(q.Dst)
	if q.Disjoint != api.ShareAll {
		kind := route.EdgeDisjoint
		if q.Disjoint == api.ShareNothing {
			kind = route.NodeDisjoint
		}
		pair, ok := m.Table().Disjoint(src, dst, kind)
		if !ok {
			return []api.Path{first}
		}
		return []api.Path{sameUse(onLinks(m, pair[0]), first), sameUse(onLinks(m, pair[1]), first)}
	}
	found := []api.Path{first}
	for _, a := range m.Table().Shortest(src, dst, q.K) {
		if next := onLinks(m, a); len(found) < q.K && !slices.Equal(next.Links, first.Links) {
			found = append(found, next)
		}
	}
	return found
}

// taken is the path that packets take. Between two hosts that is the one installed, which stays
// while it is used even if a shorter one has come up; without one, and between switches, the
// shortest.
func (n *Answers) taken(m *topology.Map, q api.PathQuery) (api.Path, bool) {
	var hash uint64
	if q.SrcHost != nil && q.DstHost != nil {
		hash = forward.Hash(q.SrcHost.MAC, q.DstHost.MAC)
		if n.Forward != nil {
			if hops, ok := n.Forward.InstalledPath(q.SrcHost, q.DstHost); ok {
				used := overHops(hops, uint64(len(hops)-1)*netview.CostDefault)
				used.InUse = true
				return used, true
			}
		}
	}
	hops, ok := m.PathBetween(netview.Point{DPID: q.Src}, netview.Point{DPID: q.Dst}, hash, nil)
	if !ok {
		return api.Path{}, false
	}
	cost, _ := m.Cost(q.Src, q.Dst)
	return overHops(hops, cost.Metric), true
}

// overHops is a path over hops as links.
func overHops(hops []topology.Hop, cost uint64) api.Path {
	p := api.Path{Cost: cost}
	for i := 0; i+1 < len(hops); i++ {
		p.Links = append(p.Links, netview.LinkKey{
			Src: netview.Point{DPID: hops[i].DPID, Port: hops[i].Out},
			Dst: netview.Point{DPID: hops[i+1].DPID, Port: hops[i+1].In},
		})
	}
	return p
}

// onLinks is a path of the graph as links.
func onLinks(m *topology.Map, a route.Alternative) api.Path {
	var p api.Path
	for _, e := range a.Edges {
		key := m.Link(e)
		c, _, _ := m.LinkCost(key)
		p.Links, p.Cost = append(p.Links, key), p.Cost+c.Metric
	}
	return p
}

// sameUse is a path, in use if it is the one that is taken.
func sameUse(p, taken api.Path) api.Path {
	p.InUse = taken.InUse && slices.Equal(p.Links, taken.Links)
	return p
}
