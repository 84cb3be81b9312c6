package node_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// TestForget forgets a switch with intents that enter it, pass it and are being withdrawn at it,
// then a host: what depended on them is clean, also after a restart; and the switch comes back as a
// new one, with all its entries.
func TestForget(t *testing.T) {
	const gone = "0000000000000003"
	var ln atomic.Pointer[pipe.Listener]
	var engine *intent.Engine
	set := func(c *node.Config) {
		l := pipe.Listen("weir")
		ln.Store(l)
		c.Pipes = l
		c.Intents = func(e *intent.Engine) { engine = e }
	}
	i := start(t, set)
	n, closing := emulated(t, "ring:4,hosts=1",
		func(ctx context.Context, _ string) (net.Conn, error) { return ln.Load().Dial(ctx) })
	defer closing()
	found(i, n)
	ask := func(id string, from, to client.Host, k int) intent.Request {
		s := spec.Spec{ID: id, Kind: spec.PointToPoint, Priority: 7,
			Src: []spec.End{end(t, from.At.DPID, from.At.Port)}, Dst: []spec.End{end(t, to.At.DPID, to.At.Port)}}
		s.Selector.SetUint(openflow.FieldEthType, 0x0800)
		s.Selector.SetUint(openflow.FieldIPv4Dst, uint64(0x0a090000+k))
		s.Selector.SetUint(openflow.FieldIPv4Src, uint64(0x0a0a0000+k))
		return intent.Request{Op: intent.Create, Spec: s}
	}
	at := make(map[string]client.Host)
	for _, h := range i.hosts() {
		at[h.At.DPID[15:]] = h
	}
	reqs := []intent.Request{ask("stays", at["1"], at["3"], 100), ask("ends", at["3"], at["1"], 101),
		ask("withdrawn", at["1"], at["3"], 102)}
	for k := range 8 {
		reqs = append(reqs, ask(fmt.Sprint("by", k), at["2"], at["4"], k))
	}
	if _, err := engine.Submit(t.Context(), reqs, true); err != nil {
		t.Fatal(err)
	}
	allInstalled(i, engine, len(reqs))
	passing := 0
	for _, in := range allInstalled(i, engine, len(reqs)) {
		if len(in.Spec.ID) == 3 && in.Rules.Legs[0].Route.Hops[1].DPID == 3 {
			passing++
		}
	}
	forget := func(withdraw, dry bool) (*client.Forgotten, error) {
		return i.api.Forget(t.Context(), "switch", gone, withdraw, dry)
	}
	var problem *client.Problem
	if _, err := forget(false, false); !errors.As(err, &problem) || problem.Status != http.StatusConflict ||
		!strings.Contains(problem.Detail, "weir drain") {
		t.Fatalf("a switch that is connected: %v", err)
	}
	sw := n.Switches()[2]
	if err := errors.Join(sw.Control().CutOff(0, true), sw.Control().Disconnect(0)); err != nil {
		t.Fatal(err)
	}
	i.await("the session's end", func() bool { return i.connected() == 3 })
	if _, err := engine.Submit(t.Context(), []intent.Request{{Op: intent.Withdraw, ID: "withdrawn"}}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := i.api.Drain(t.Context(), "port", gone+"/3"); err != nil {
		t.Fatal(err)
	}
	i.apply("switches: {3: {name: old}}\n")
	revision := i.switchesRevision()
	dry, err := forget(true, true)
	if err != nil {
		t.Fatal(err)
	}
	if s := dry.Intents; !dry.DryRun || dry.Connected || dry.Name != "old" || dry.Links.Count != 2 ||
		dry.Hosts.Count != 1 || s.Ends.Count != 2 || s.Passing.Count != passing ||
		!slices.Equal(s.Withdrawing.First, []string{"withdrawn"}) || dry.Withdrawn != 2 ||
		!slices.Equal(dry.Drains, []string{"port " + gone + "/3"}) ||
		!slices.Equal(dry.Named, []string{"switches." + gone}) {
		t.Errorf("a dry run: %+v", dry)
	}
	if now := i.switchesRevision(); now != revision || engine.Counts().ByState[intent.Withdrawing] != 1 {
		t.Errorf("a dry run changes things: %s, %s", revision, now)
	}
	if _, err := forget(false, false); err != nil {
		t.Fatal(err)
	}
	clean := func(i *instance, what string) {
		t.Helper()
		i.await(what, func() bool {
			c := engine.Counts().ByState
			return c[intent.Installed] == 8 && c[intent.Waiting] == 2 && c[intent.Withdrawing] == 0
		})
		if _, err := i.api.Switch(t.Context(), gone); !errors.As(err, &problem) || problem.Status != http.StatusNotFound {
			t.Errorf("%s: the switch: %v", what, err)
		}
		for _, l := range i.links() {
			if l.Src.DPID == gone || l.Dst.DPID == gone {
				t.Errorf("%s: a link of it: %v", what, l)
			}
		}
		for _, h := range i.hosts() {
			if h.At.DPID == gone {
				t.Errorf("%s: a host of it: %v", what, h)
			}
		}
		i.await("its alarms to end", func() bool {
			alarms := must[client.Page[client.Alarm]](i)(i.api.Alarms(t.Context(), false))
			return !slices.ContainsFunc(alarms.Items, func(a client.Alarm) bool { return strings.Contains(a.Object, gone) })
		})
		if d := must[client.Page[client.Drain]](i)(i.api.Drains(t.Context())); len(d.Items) != 0 {
			t.Errorf("%s: drains: %v", what, d.Items)
		}
	}
	clean(i, "forgotten")
	if err := i.stop(); err != nil {
		t.Fatal(err)
	}
	i = start(t, func(c *node.Config) { set(c); c.DataDir = i.cfg.DataDir })
	i.await("the others", func() bool { return i.connected() == 3 })
	clean(i, "after a restart")
	if _, err := engine.Submit(t.Context(), []intent.Request{{Op: intent.Withdraw, ID: "ends"}}, true); err != nil {
		t.Fatal(err)
	}
	if err := sw.Control().CutOff(0, false); err != nil {
		t.Fatal(err)
	}
	all := allInstalled(i, engine, 9)
	i.await("what nobody wants to be removed", func() bool { return held(n) == rules(all) })
	host := at["1"].ID
	f, err := i.api.Forget(t.Context(), "host", host, false, false)
	if err != nil || f.Kind != "host" {
		t.Fatalf("%+v: %v", f, err)
	}
	if _, err := i.api.Host(t.Context(), host); !errors.As(err, &problem) || problem.Status != http.StatusNotFound {
		t.Errorf("a host that was forgotten: %v", err)
	}
	if _, err := i.api.Forget(t.Context(), "host", host, false, false); !errors.As(err, &problem) ||
		problem.Status != http.StatusNotFound {
		t.Errorf("again: %v", err)
	}
}

// switchesRevision is that of the view.
func (i *instance) switchesRevision() string {
	return must[client.Page[client.Switch]](i)(i.api.Switches(i.t.Context())).Revision
}

// emulated starts an emulated network; end ends it, before the instances do.
func emulated(t *testing.T, words string, dial func(context.Context, string) (net.Conn, error)) (n *emu.Network, end func()) {
	t.Helper()
	top, err := topo.Parse(words, 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err = emu.New(emu.Config{Topology: top, Versions: []openflow.Version{openflow.V13},
		Controllers: []string{"weir"}, Seed: 1, Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return n, func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = n.Close(ctx)
	}
}
