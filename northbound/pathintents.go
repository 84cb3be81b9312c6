package northbound

import (
	"slices"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// mostTaking bounds the intents that are looked at for an answer about paths.
const mostTaking = 1000

// withIntents adds to paths which intents take them. Between two hosts, the path of an intent of
// just these two, of all that they send each other, is the one that they use: it comes first.
// Others that are not among the paths come behind the first while there is room.
func (n *Answers) withIntents(q api.PathQuery, found []api.Path) []api.Path {
	if n.Intents == nil || q.Src == q.Dst && q.SrcHost == nil {
		return found
	}
	looked := 0
	n.Intents.EachRoute(func(r *ruleset.Route) bool { return joins(r, &q) }, func(in *intent.Intent, r *ruleset.Route) bool {
		found = addIntent(found, &q, in, r)
		looked++
		return looked < mostTaking
	})
	return found
}

// addIntent notes an intent at the path that it takes.
func addIntent(found []api.Path, q *api.PathQuery, in *intent.Intent, r *ruleset.Route) []api.Path {
	at := slices.IndexFunc(found, func(p api.Path) bool { return leads(r, p.Links) })
	all := ofHosts(in, q)
	if at < 0 {
		if q.SrcHost == nil || q.DstHost == nil || q.Disjoint != api.ShareAll ||
			in.Spec.Kind == spec.MultipointToPoint || in.Spec.Kind == spec.PointToMultipoint ||
			!all && len(found) >= q.K {
			return found
		}
		links := linksOf(r)
		at = min(1, len(found))
		found = slices.Insert(found, at, api.Path{Links: links, Cost: uint64(len(links)) * netview.CostDefault})
	}
	found[at].Intents = append(found[at].Intents, in.Spec.ID)
	if !all {
		return found
	}
	for i := range found {
		found[i].InUse = i == at
	}
	if q.Disjoint != api.ShareAll {
		return found
	}
	first := found[at]
	found = slices.Insert(slices.Delete(found, at, at+1), 0, first)
	return found[:min(len(found), max(q.K, 1))]
}

// ofHosts reports whether an intent has all that two hosts send each other.
func ofHosts(in *intent.Intent, q *api.PathQuery) bool {
	if q.SrcHost == nil || q.DstHost == nil || in.Spec.Kind != spec.HostToHost || len(in.Spec.Selector.OXM) > 0 {
		return false
	}
	a, b := in.Spec.Src[0].Host, in.Spec.Dst[0].Host
	return a == q.SrcHost.HostID && b == q.DstHost.HostID || b == q.SrcHost.HostID && a == q.DstHost.HostID
}

// joins reports whether a route leads from one end to the other: between hosts from port to port.
func joins(r *ruleset.Route, q *api.PathQuery) bool {
	from := slices.IndexFunc(r.Hops, func(h *ruleset.Hop) bool {
		return h.DPID == q.Src && (q.SrcHost == nil || h.In == q.SrcHost.At.Port)
	})
	return from >= 0 && slices.ContainsFunc(r.Hops[from:], func(h *ruleset.Hop) bool {
		return h.DPID == q.Dst && (q.DstHost == nil || slices.Contains(h.Out(), q.DstHost.At.Port))
	})
}

// leads reports whether a route passes all of some links.
func leads(r *ruleset.Route, links []netview.LinkKey) bool {
	for _, l := range links {
		out := slices.ContainsFunc(r.Hops,
			func(h *ruleset.Hop) bool { return h.DPID == l.Src.DPID && slices.Contains(h.Out(), l.Src.Port) })
		if !out || !slices.ContainsFunc(r.Hops, func(h *ruleset.Hop) bool { return h.DPID == l.Dst.DPID && h.In == l.Dst.Port }) {
			return false
		}
	}
	return true
}

// linksOf are the links of a route that is a path.
func linksOf(r *ruleset.Route) (links []netview.LinkKey) {
	for i := 1; i < len(r.Hops); i++ {
		from, to := r.Hops[i-1], r.Hops[i]
		links = append(links, netview.LinkKey{Src: netview.Point{DPID: from.DPID, Port: from.Out()[0]},
			Dst: netview.Point{DPID: to.DPID, Port: to.In}})
	}
	return links
}
