package node_test

import (
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/ruleset"
)

// ways asks for the paths between two ends.
func ways(i *instance, src, dst string, k int) []client.Path {
	i.t.Helper()
	return must[client.Page[client.Path]](i)(i.api.Paths(i.t.Context(), src, dst, k, "")).Items
}

// isWay reports whether a path between hosts has the hops of an intent's first route.
func isWay(p *client.Path, in *intent.Intent) bool {
	return slices.EqualFunc(p.Hops, in.Rules.Legs[0].Route.Hops, func(a client.Hop, b *ruleset.Hop) bool {
		return a.DPID == b.DPID.String() && *a.In == b.In && *a.Out == b.Out()[0]
	})
}

// checkPathsSayIntents looks at the paths between the first two hosts: each intent between them is
// told at the path that it takes, and nowhere else.
func checkPathsSayIntents(i *instance, list []intent.Intent) {
	i.t.Helper()
	hosts := i.hosts()
	at := func(p client.Point) netview.Point { return end(i.t, p.DPID, p.Port).Point }
	src, dst := at(hosts[0].At), at(hosts[1].At)
	paths, between := ways(i, hosts[0].ID, hosts[1].ID, 8), 0
	for k := range list {
		in := &list[k]
		joins := in.Spec.Src[0].Point == src && in.Spec.Dst[0].Point == dst
		if joins {
			between++
		}
		for p := range paths {
			if told := slices.Contains(paths[p].Intents, in.Spec.ID); told != (joins && isWay(&paths[p], in)) {
				i.t.Errorf("intent %s by %v is told: %v, at path %+v", in.Spec.ID, in.Rules.Legs[0].Route, told, paths[p])
			}
		}
		if joins && !slices.ContainsFunc(paths, func(p client.Path) bool { return slices.Contains(p.Intents, in.Spec.ID) }) {
			i.t.Errorf("intent %s is told at no path", in.Spec.ID)
		}
	}
	if between == 0 {
		i.t.Errorf("none of %d intents is between %s and %s", len(list), src, dst)
	}
	switches := ways(i, hosts[0].At.DPID, hosts[1].At.DPID, 8)
	if !slices.ContainsFunc(switches, func(p client.Path) bool { return len(p.Intents) >= between }) {
		i.t.Errorf("no path between the two switches is told to have %d intents or more: %+v", between, switches)
	}
}

// checkPathOfPair asks for an intent of two hosts: its path is the one in use, and comes first.
func checkPathOfPair(i *instance, e *intent.Engine, others int) {
	i.t.Helper()
	hosts := i.hosts()
	a, b := hosts[3], hosts[8]
	pair := spec.Spec{ID: "pair", Kind: spec.HostToHost, Priority: 9, Src: []spec.End{{Host: hostID(i, a.MAC)}},
		Dst: []spec.End{{Host: hostID(i, b.MAC)}}}
	if _, err := e.Submit(i.t.Context(), []intent.Request{{Op: intent.Create, Spec: pair}}, true); err != nil {
		i.t.Fatal(err)
	}
	allInstalled(i, e, others+1)
	in, _ := e.Get("pair")
	for _, k := range []int{1, 4} {
		paths := ways(i, a.ID, b.ID, k)
		if len(paths) == 0 || len(paths) > k || !paths[0].InUse || !isWay(&paths[0], &in) ||
			!slices.Contains(paths[0].Intents, "pair") {
			i.t.Fatalf("of %d: %+v, want first that of the intent, %v", k, paths, in.Rules.Legs[0].Route)
		}
		if back := ways(i, b.ID, a.ID, k); !back[0].InUse || !slices.Contains(back[0].Intents, "pair") {
			i.t.Errorf("the way back: %+v", back)
		}
		for _, p := range paths[1:] {
			if p.InUse || slices.Contains(p.Intents, "pair") {
				i.t.Errorf("in use too: %+v", p)
			}
		}
	}
}

func hostID(i *instance, mac string) netview.HostID {
	m, err := packet.ParseMAC(mac)
	if err != nil {
		i.t.Fatal(err)
	}
	return netview.HostID{MAC: m}
}
