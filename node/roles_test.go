package node_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/node"
)

// alarmed are the objects of active alarms of a kind.
func (i *instance) alarmed(kind string) (list []string) {
	i.t.Helper()
	for _, a := range must[client.Page[client.Alarm]](i)(i.api.Alarms(i.t.Context(), false)).Items {
		if a.Kind == kind {
			list = append(list, a.Object)
		}
	}
	return list
}

// masterOf is how many connected switches the instance shows as its own.
func (i *instance) masterOf() (n int) {
	i.t.Helper()
	for _, sw := range i.switches() {
		if sw.Connected && sw.Master == i.cfg.Name {
			n++
		}
	}
	return n
}

// takenBy has what a switch is sent on each connection counted from now on.
func takenBy(t *testing.T, sw *emu.Switch, connections int) []*said {
	list := make([]*said, connections)
	for c := range list {
		list[c] = new(said)
		if _, err := sw.Control().Capture(c, list[c].see()); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestAnotherMaster: an instance of another store becomes the master of switches that have one. The one before says so, shows
// nobody as their master, writes nothing to them, and has them back when they connect to it again.
func TestAnotherMaster(t *testing.T) {
	address := freeAddress(t)
	first := start(t, usual)
	n := network(t, "linear:3", first.at.OpenFlow, address)
	first.await("its switches", func() bool { return first.masterOf() == 3 })
	first.await("rules", func() bool { return first.treed(3) })
	second := start(t, usual, func(c *node.Config) { c.Domain, c.OpenFlow.Listen = 2, address })
	second.await("the switches of the second", func() bool { return second.masterOf() == 3 })
	first.await("the first to know", func() bool { return len(first.alarmed("other-master")) == 3 && first.masterOf() == 0 })
	if a := second.alarmed("other-master"); len(a) != 0 {
		t.Errorf("the second has alarms about %v", a)
	}
	written := takenBy(t, n.Switches()[0], 2)
	for _, h := range n.Hosts() {
		h.Do(func(s *host.Host, now time.Duration, out host.Output) { s.Announce(now, out) })
	}
	second.await("the hosts", func() bool { return len(second.hosts()) == 3 })
	if _, mods, _ := written[0].count(); mods != 0 {
		t.Errorf("who is not the master has sent %d flow-mods", mods)
	}

	if err := n.Switches()[0].Control().Disconnect(0); err != nil {
		t.Fatal(err)
	}
	first.await("one back", func() bool { return first.masterOf() == 1 && len(first.alarmed("other-master")) == 2 })
	second.await("the second to know", func() bool { return slices.Equal(second.alarmed("other-master"), []string{dpid(1)}) })
}

// TestRoleEqual: two instances of two domains that ask for no role both have their intents installed at the same switches, and
// say that nothing fences them.
func TestRoleEqual(t *testing.T) {
	address := freeAddress(t)
	equal := func(c *node.Config) { c.OpenFlow.Role = "equal" }
	first := start(t, usual, equal)
	second := start(t, usual, equal, func(c *node.Config) { c.Domain, c.OpenFlow.Listen = 2, address })
	n := network(t, "linear:3", first.at.OpenFlow, address)
	for number, i := range []*instance{first, second} {
		i.await("its switches", func() bool { return i.masterOf() == 3 })
		if a := i.alarmed("unfenced"); len(a) != 1 {
			t.Errorf("alarms about %v", a)
		}
		from, to := n.Hosts()[0].Spec().At, n.Hosts()[2].Spec().At
		_, err := i.api.CreateIntent(t.Context(), &client.IntentRequest{ID: "wish", Kind: client.PointToPoint,
			Src:      client.PointEnds(client.Point{DPID: dpid(1), Port: from.Port}),
			Dst:      client.PointEnds(client.Point{DPID: dpid(3), Port: to.Port}),
			Selector: client.Selector{"eth_src": fmt.Sprintf("06:00:00:00:00:%02x", number+1)}}, client.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		i.await("its intent", func() bool {
			x, err := i.api.Intent(t.Context(), "wish")
			return err == nil && x.State == "installed"
		})
	}
}
