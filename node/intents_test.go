package node_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session/pipe"
)

// allInstalled waits until all intents are.
func allInstalled(i *instance, e *intent.Engine, want int) []intent.Intent {
	i.t.Helper()
	i.await("intents to be installed", func() bool {
		c := e.Counts()
		return c.ByState[intent.Installed] == want
	})
	list, _ := e.List(0, want+1, nil)
	return list
}

func sameHops(a, b *ruleset.Set) bool {
	return slices.EqualFunc(a.Legs, b.Legs, func(x, y ruleset.Leg) bool { return x.Route.Equal(y.Route) })
}

// TestIntentsOfEmulatedSwitches installs intents, cuts a link under them, and starts the instance
// again with nothing but its directory: paths that were in use stay, and next to nothing is
// written.
func TestIntentsOfEmulatedSwitches(t *testing.T) {
	const count = 60
	top, err := topo.Parse("torus:3x3,hosts=1", 1)
	if err != nil {
		t.Fatal(err)
	}
	var ln atomic.Pointer[pipe.Listener] // of the instance that runs
	var engine *intent.Engine
	set := func(c *node.Config) {
		l := pipe.Listen("weir")
		ln.Store(l)
		c.Pipes = l
		c.Discovery.LLDPPeriod = node.Defaults().Discovery.LLDPPeriod
		c.Intents = func(e *intent.Engine) { engine = e }
	}
	i := start(t, set)
	n, err := emu.New(emu.Config{
		Topology: top, Versions: []openflow.Version{openflow.V13}, Controllers: []string{"weir"}, Seed: 1,
		Dial: func(ctx context.Context, _ string) (net.Conn, error) { return ln.Load().Dial(ctx) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = n.Close(ctx)
	}()
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	found(i, n)
	hosts := i.hosts()
	var reqs []intent.Request
	for k := range count {
		from, to := hosts[k%9], hosts[(k+1+k/9)%9]
		s := spec.Spec{ID: fmt.Sprintf("f%d", k), Kind: spec.PointToPoint, Priority: 7,
			Src: []spec.End{end(t, from.At.DPID, from.At.Port)}, Dst: []spec.End{end(t, to.At.DPID, to.At.Port)}}
		s.Selector.SetUint(openflow.FieldEthType, 0x0800)
		s.Selector.SetUint(openflow.FieldIPv4Dst, uint64(0x0a090000+k))
		s.Selector.SetUint(openflow.FieldIPv4Src, uint64(0x0a0a0000+k))
		reqs = append(reqs, intent.Request{Op: intent.Create, Spec: s})
	}
	answers, err := engine.Submit(t.Context(), reqs, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if a.Status != intent.Accepted {
			t.Fatalf("%+v", a)
		}
	}
	before := allInstalled(i, engine, count)
	checkPathsSayIntents(i, before)
	l := n.Links()[0]
	l.SetUp(false)
	i.await("a re-route", func() bool { return engine.Counts().Core.Reroutes > 0 })
	after := allInstalled(i, engine, count)
	moved := 0
	for k := range before {
		if !sameHops(before[k].Rules, after[k].Rules) {
			moved++
		}
	}
	if moved == 0 {
		t.Error("a link was cut, and nobody moved")
	}
	i.await("what was left to be removed", func() bool { return held(n) == rules(after) })
	if err := i.stop(); err != nil {
		t.Fatal(err)
	}
	adds := flowMods(n)
	second := start(t, func(c *node.Config) { set(c); c.DataDir = i.cfg.DataDir })
	second.await("all switches", func() bool { return second.connected() == 9 })
	again := allInstalled(second, engine, count)
	for k := range again {
		if !sameHops(after[k].Rules, again[k].Rules) || after[k].Spec.ID != again[k].Spec.ID {
			t.Errorf("intent %s took %v, and takes %v after the start", after[k].Spec.ID,
				after[k].Rules.Legs[0].Route, again[k].Rules.Legs[0].Route)
		}
	}
	if wrote := flowMods(n) - adds; wrote > rules(again)/100 {
		t.Errorf("%d flow-mods after the start, there are %d rules", wrote, rules(again))
	}
	second.await("what is held to be what is wanted", func() bool { return held(n) == rules(again) })
	checkPathOfPair(second, engine, count)
}

// rules are how many rules intents want.
func rules(list []intent.Intent) (sum int) {
	for _, in := range list {
		sum += in.Rules.Len()
	}
	return sum
}

// end is a connect point.
func end(t testing.TB, dpid string, port uint32) spec.End {
	t.Helper()
	n, err := strconv.ParseUint(dpid, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return spec.End{Point: netview.Point{DPID: netview.DPID(n), Port: port}}
}

// held is how many entries of intents switches have.
func held(n *emu.Network) (sum int) {
	for _, sw := range n.Switches() {
		for _, f := range sw.Flows(openflow.V13) {
			if plan.Decode(f.Cookie).Kind == plan.KindIntent {
				sum++
			}
		}
	}
	return sum
}

// flowMods are those that switches took.
func flowMods(n *emu.Network) int { return int(n.Totals().FlowMods) }
