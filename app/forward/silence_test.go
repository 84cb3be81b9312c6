package forward

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// TestSilentSwitch is a switch on the path of a new pair that is connected and answers nothing: after half a second the
// rules that other switches have of that path are gone, and until it is heard again no path is begun through it. Packets
// arrive all the same: the switches flood them, or the controller sends them to where the destination is.
func TestSilentSwitch(t *testing.T) {
	for _, unknown := range []Unknown{UnknownFlood, UnknownController} {
		t.Run(fmt.Sprint(unknown), func(t *testing.T) {
			n := newNetwork(t, 1, openflow.V13, Config{Unknown: unknown})
			n.join(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
			a, b := n.at(1)[0], n.at(4)[0]
			say := func(id int) {
				n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, id))
				for n.step() {
				}
			}
			rules := func() int {
				return len(slices.DeleteFunc(slices.Clone(n.switches[2].entries),
					func(e openflow.FlowMod) bool { return e.Priority != plan.PriorityPair }))
			}
			n.stuck = 3
			say(1)
			if got := rules(); got != 1 {
				t.Fatalf("switch 2 has %d rules of the pair that waits, want 1", got)
			}
			for range silentAfter {
				n.f.Beat()
			}
			for n.step() {
			}
			if got := rules(); got != 0 {
				t.Errorf("switch 2 has %d rules of the path that was given up", got)
			}
			wrote := n.switches[2].mods
			say(2)
			if got := n.switches[2].mods - wrote; got != 0 {
				t.Errorf("%d rules were sent for a path through a silent switch", got)
			}
			if got := b.take(); got != 2 {
				t.Errorf("%d of 2 packets have arrived", got)
			}
			n.stuck = 0
			for n.step() {
			}
			n.switches[3].d.BatchEnd()
			say(3)
			n.settle()
			if got := n.switches[1].d.Pairs(); got != 1 {
				t.Errorf("%d pairs once the switch is heard again, want 1", got)
			}
		})
	}
}
