//go:build real && linux

package controller_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/fit"
	"github.com/weirnet/weir/probe/nic"
)

const patience = 20 * time.Second

// openvSwitch is a bridge of a real Open vSwitch with two hosts, and our controller.
func openvSwitch(t *testing.T, l *netlab.Lab, version string) (c *controller.Controller, o *netlab.OVS, a, b *netlab.Host) {
	t.Helper()
	c = hub.StartReactive(t, [2]uint32{1, 2})
	o = l.StartOVS()
	o.AddBridge("s1", 1, version, "tcp:"+c.Address())
	a, b = o.AddHost("s1", 1), o.AddHost("s1", 2)
	a.Know(b)
	b.Know(a)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return c, o, a, b
}

// TestShareIsWhatTheWireShows has the controller's answers take as long as a capture of its
// connection says, from packet-in to flow-mod. Where the machine has other work, what takes the two times may
// be delayed apart: one round of three in which they are alike will do.
func TestShareIsWhatTheWireShows(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		c, _, a, b := openvSwitch(t, l, "1.3")
		const rounds, times = 3, 10
		for range rounds {
			ours, wire := shares(t, l, c, a, b, times)
			slices.Sort(ours)
			slices.Sort(wire)
			byItself, byWire := ours[len(ours)/2], wire[len(wire)/2]
			t.Logf("controller's share: %v by itself, %v by the wire (medians of %d and %d)", byItself, byWire, len(ours), len(wire))
			if (byItself - byWire).Abs() <= byWire/2+50*time.Microsecond {
				return
			}
		}
		t.Errorf("the controller's share is not the wire's in %d rounds", rounds)
	})
}

// shares are the controller's shares of new flows, by itself and by the wire.
func shares(t *testing.T, l *netlab.Lab, c *controller.Controller, a, b *netlab.Host, times int) (ours, wire []time.Duration) {
	t.Helper()
	w := l.Turnarounds(c.Address())
	for range times {
		if err := c.Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(a.Echoes(b, 1, 56, 20*time.Millisecond)); got != 1 {
			t.Fatalf("%d echoes of one came back", got)
		}
		for _, x := range c.Answers() {
			ours = append(ours, x.Share)
		}
	}
	wire = w.End()
	if len(ours) < 2*times || len(wire) < 2*times { // two flows an echo, and those of what the hosts say besides
		t.Fatalf("%d answers by the controller, %d by the wire, want %d of each at least", len(ours), len(wire), 2*times)
	}
	return ours, wire
}

// TestOpenvSwitchIsMeasured has the figures of a real Open vSwitch be taken, all of them, and
// fitted as far as the models of a profile are like it.
func TestOpenvSwitchIsMeasured(t *testing.T) {
	for _, version := range []string{"1.0", "1.3"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				c, _, a, _ := openvSwitch(t, l, version)
				measureOpenvSwitch(t, c, a)
			})
		})
	}
}

func measureOpenvSwitch(t *testing.T, c *controller.Controller, a *netlab.Host) {
	n, err := nic.Open(nic.Config{Interface: a.Dev, Namespace: a.Netns, AsIs: true, Kept: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	n.Watch(func(*nic.Frame) {})
	plan := controller.Plan{Source: n.Send, In: 1, Out: 2, Rounds: 5, Answers: []int{1, 10, 100, 1000}, MaxEntries: 2000,
		MaxGroups: 256, MaxMeters: 256}
	m, err := c.Measure(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	got := m.Fit()
	for _, p := range got.Parts() {
		t.Logf("%s: %s, %+v", p.Name, p.Text, got.Quality[p.Name])
	}
	t.Logf("in force: %+v; missing: %v; notes: %q", m.InForce, got.Missing, m.Notes)
	if m.InForce.Tried != 2*plan.Rounds || m.InForce.Never > 0 {
		t.Errorf("entries in force: %+v, want %d tried, none of them never", m.InForce, 2*plan.Rounds)
	}
	for part, why := range got.Missing { // the machine may be too busy for a fit, but everything is there
		if !errors.Is(why, fit.ErrNoFit) && !errors.Is(why, controller.ErrEarlyBarrier) {
			t.Errorf("%s: %v", part, why)
		}
	}
	for i, x := range m.Statistics {
		if x.N != plan.Answers[i] || len(x.Took) < plan.Rounds {
			t.Errorf("%d answers with %d entries, want %d at least with %d", len(x.Took), x.N, plan.Rounds, plan.Answers[i])
		}
	}
	for _, b := range m.PacketOut { // its connection waits, and nothing is lost
		if b.Done != b.Sent {
			t.Errorf("%d of %d packet-outs left", b.Done, b.Sent)
		}
	}
	if m.Tables.Count != 254 {
		t.Errorf("%d tables, want 254", m.Tables.Count)
	}
}
