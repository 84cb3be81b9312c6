package node_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// emulate runs an instance and an emulated network, which may be changed before, whose switches are connected to it by
// pipes.
func emulate(t testing.TB, spec string, v openflow.Version, change ...func(*topo.Topology)) (*instance, *emu.Network) {
	t.Helper()
	return emulateWith(t, spec, v, nil, change...)
}

// emulateWith is emulate with a configuration that may be changed; nil: it is not.
func emulateWith(t testing.TB, spec string, v openflow.Version, configure func(*node.Config),
	change ...func(*topo.Topology)) (*instance, *emu.Network) {
	t.Helper()
	top, err := topo.Parse(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(top)
	}
	ln := pipe.Listen("weir")
	i := start(t, func(c *node.Config) {
		c.Pipes = ln
		if configure != nil {
			configure(c)
		}
		c.Discovery.LLDPPeriod = node.Defaults().Discovery.LLDPPeriod // in a hurry, a busy machine loses links
	})
	n, err := emu.New(emu.Config{
		Topology: top, Versions: []openflow.Version{v}, Controllers: []string{"weir"}, Seed: 1,
		Dial: func(ctx context.Context, _ string) (net.Conn, error) { return ln.Dial(ctx) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := n.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := n.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return i, n
}

// found waits until the instance has found all switches, all links in both directions, and all
// hosts.
func found(i *instance, n *emu.Network) {
	i.t.Helper()
	i.await("all switches", func() bool { return i.connected() == len(n.Switches()) })
	i.await("all links", func() bool {
		confirmed := 0
		for _, l := range i.links() {
			if l.Up && l.State == "confirmed" {
				confirmed++
			}
		}
		return confirmed == 2*len(n.Links())
	})
	i.await("the tree at all switches", func() bool { return i.treed(len(n.Switches())) })
	for _, h := range n.Hosts() { // what they announced at first came before the tree
		h.Do(func(s *host.Host, now time.Duration, out host.Output) { s.Announce(now, out) })
	}
	i.await("all hosts", func() bool { return len(i.hosts()) == len(n.Hosts()) })
}

// treed reports whether so many switches have confirmed all rules that are desired, the tree's
// among them.
func (i *instance) treed(switches int) bool {
	have := map[string]bool{}
	for _, f := range i.flows("") {
		if f.State != "installed" {
			return false
		}
		if f.Owner == "forward" && !f.Soft {
			have[f.DPID] = true
		}
	}
	return len(have) == switches
}

// treedBut10 reports whether all switches hold what they can of the tree, where OpenFlow 1.0 cannot say masks of addresses and
// fields of IPv6, which are refused.
func (i *instance) treedBut10(switches int) bool {
	have := map[string]bool{}
	for _, f := range i.flows("") {
		if f.State == "pending" {
			return false
		}
		if f.Owner == "forward" && f.State == "installed" && f.Match["eth_type"] == "0x0806" {
			have[f.DPID] = true
		}
	}
	return len(have) == switches
}

// pingAll has every host ping every other, by IPv4, and waits for the ends of all pings: one answer
// to each at least. Where paths are being repaired, several requests are needed.
func pingAll(i *instance, n *emu.Network, requests int) {
	i.t.Helper()
	var pings []func() host.PingReport
	for _, from := range n.Hosts() {
		for _, to := range n.Hosts() {
			if from == to {
				continue
			}
			var p *host.Ping
			from.Do(func(s *host.Host, now time.Duration, _ host.Output) {
				var err error
				if p, err = s.Ping(host.PingSpec{Dst: to.Spec().IPv4.Addr(), Count: requests,
					Interval: 200 * time.Millisecond, Timeout: patience / 3}, now); err != nil {
					i.t.Fatal(err)
				}
			})
			pings = append(pings, func() (r host.PingReport) {
				from.Do(func(*host.Host, time.Duration, host.Output) { r = p.Report() })
				return r
			})
		}
	}
	for _, report := range pings {
		i.await("the end of a ping", func() bool { return report().Done })
		if r := report(); r.Received == 0 || requests == 1 && r.Lost != 0 {
			i.t.Fatalf("%+v", r)
		}
	}
}

// TestEveryHostReachesEveryHost has an instance find emulated networks with loops, and hosts talk
// over them.
func TestEveryHostReachesEveryHost(t *testing.T) {
	for _, spec := range []string{"linear:3", "ring:5", "torus:3x3", "tree:2,3"} {
		for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
			t.Run(spec+"/"+v.String(), func(t *testing.T) {
				i, n := emulate(t, spec, v)
				found(i, n)
				pingAll(i, n, 1)
				if got := n.Totals(); got.Drops[emu.LostByOverload] != 0 || got.Drops[emu.LostPacketIn] != 0 {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}

// TestEmulatedFaults has a link be cut and a switch lose its power: the instance sees it, hosts
// talk around it, and when it is back everything is found again.
func TestEmulatedFaults(t *testing.T) {
	i, n := emulate(t, "ring:5", openflow.V13)
	found(i, n)
	pingAll(i, n, 1)
	up := func() int {
		count := 0
		for _, l := range i.links() {
			if l.Up {
				count++
			}
		}
		return count
	}
	l := n.Links()[0]
	l.SetUp(false)
	i.await("the cut link to be gone", func() bool { return up() == 2*len(n.Links())-2 })
	pingAll(i, n, 10)
	l.SetUp(true)
	found(i, n)

	sw := n.Switches()[2]
	sw.Down()
	i.await("the switch to be gone", func() bool { return i.connected() == len(n.Switches())-1 })
	i.await("its links to be gone", func() bool { return up() == 2*len(n.Links())-4 })
	sw.Up()
	found(i, n)
	pingAll(i, n, 10)
}
