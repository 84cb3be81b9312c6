//go:build real && linux

package controller_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe/controller"
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
// connection says, from packet-in to flow-mod.
func TestShareIsWhatTheWireShows(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		c, _, a, b := openvSwitch(t, l, "1.3")
		var ours, wire []time.Duration
		const times = 10
		w := l.Turnarounds(c.Address())
		for range times {
			if err := c.Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := len(a.Echoes(b, 1, 56, 20*time.Millisecond)); got != 1 {
				t.Fatalf("%d echoes of one came back", got)
			}
			for _, x := range c.Answers() {
				ours = append(ours, x.Took())
			}
		}
		wire = w.End()
		if len(ours) < 2*times || len(wire) < 2*times { // two flows an echo, and those of what the hosts say besides
			t.Fatalf("%d answers by the controller, %d by the wire, want %d of each at least", len(ours), len(wire), 2*times)
		}
		slices.Sort(ours)
		slices.Sort(wire)
		t.Logf("controller's share: %v by itself, %v by the wire (medians of %d and %d)", ours[times], wire[times], len(ours), len(wire))
		if d := (ours[times] - wire[times]).Abs(); d > wire[times]/2+50*time.Microsecond {
			t.Errorf("the controller says %v, the wire %v", ours[times], wire[times])
		}
	})
}
