package forward

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
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

// TestSlowSwitchIsNotSilent is a switch that takes longer for a barrier than one may that is not silent: it is given up
// once, and then has the time that it takes.
func TestSlowSwitchIsNotSilent(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	a, b := n.at(1)[0], n.at(4)[0]
	for round := range 3 {
		n.stuck = 3
		n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, round))
		for n.step() {
		}
		for range silentAfter + 1 {
			n.f.Beat()
		}
		n.stuck = 0
		for n.step() {
		}
		n.switches[3].d.BatchEnd()
	}
	n.settle()
	if got := n.switches[1].d.Pairs(); got != 1 {
		t.Errorf("%d pairs over the slow switch, want 1", got)
	}
}

// TestMoveOntoSilentSwitch: a pair whose path breaks moves onto one through a switch that is silent, and is not withdrawn:
// if the switch answers the pair has its path, and if it does not, its session ends.
func TestMoveOntoSilentSwitch(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, [][2]int{{0, 1}, {1, 3}, {0, 2}, {2, 3}})
	a, b := n.at(1)[0], n.at(4)[0]
	n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
	n.settle()
	path := n.f.paths.All()[0]
	slow := 5 - path.Hops[1].DPID
	n.stuck = slow
	n.say(a, frame(n.at(slow)[0].mac, a.mac, packet.TypeIPv4, 2))
	for n.step() {
	}
	for range silentAfter {
		n.f.Beat()
	}
	n.cut(netview.Point{DPID: 1, Port: path.Hops[0].Out}, true)
	for n.step() {
	}
	n.stuck = 0
	for n.step() {
	}
	n.switches[slow].d.BatchEnd()
	n.settle()
	if got := n.switches[1].d.Pairs(); got == 0 {
		t.Error("the pair was withdrawn")
	}
}

// TestSilentSwitchIsForgotten: of a silent switch that is deleted, or connects again, nothing stays.
func TestSilentSwitchIsForgotten(t *testing.T) {
	for _, deleted := range []bool{true, false} {
		n := newNetwork(t, 1, openflow.V13, Config{})
		n.join(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
		a, b := n.at(1)[0], n.at(4)[0]
		n.stuck = 3
		n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
		for n.step() {
		}
		for range silentAfter {
			n.f.Beat()
		}
		if got := n.f.switches.silentOnes.Load(); got != 1 {
			t.Fatalf("%d switches are silent, want 1", got)
		}
		sw := n.switches[3]
		n.disconnect(sw)
		if deleted {
			n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(3) })
			for n.follow() {
			}
		} else {
			sw.attach(254)
		}
		if got := n.f.switches.silentOnes.Load(); got != 0 {
			t.Errorf("deleted %t: %d switches are silent", deleted, got)
		}
	}
}
