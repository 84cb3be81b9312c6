package forward

import (
	"fmt"
	"testing"

	"github.com/weirnet/weir/app/forward/admission"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// board notes which alarms are active, and how often one was raised.
type board struct {
	active map[string]bool
	raised int
}

func (b *board) Raise(kind netview.AlarmKind, object, _ string) {
	b.active[string(kind)+" "+object] = true
	b.raised++
}
func (b *board) Clear(kind netview.AlarmKind, object string) {
	delete(b.active, string(kind)+" "+object)
}

// fills makes a network in which one switch takes no more pairs.
func fills(t *testing.T, v openflow.Version, full netview.DPID) (*network, *board) {
	b := &board{active: make(map[string]bool)}
	n := newNetwork(t, 1, v, Config{Alarms: b})
	n.join(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}})
	n.guests(2, 1)
	n.say(n.at(1)[0], frame(n.at(5)[0].mac, n.at(1)[0].mac, packet.TypeIPv4, 1)) // over all switches
	n.settle()
	n.switches[full].capacity = 1
	for _, h := range n.hosts {
		h.take()
	}
	return n, b
}

// TestARefusedPairGoesByTheController: a switch at the pair's ingress, in the middle or at its
// egress has no room. Packets arrive all the same, the switch is left alone most of the time, and
// when it has room again the pair gets its rules.
func TestARefusedPairGoesByTheController(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for full := netview.DPID(2); full <= 4; full++ {
			t.Run(fmt.Sprintf("%s/%d", v, full), func(t *testing.T) {
				n, b := fills(t, v, full)
				a, c := n.at(2)[1], n.at(4)[0]
				mods := 0
				for second := range 40 {
					for range 5 {
						before := n.switches[full].mods
						n.hops = 0
						n.say(a, frame(c.mac, a.mac, packet.TypeIPv4, second))
						for n.step() {
						}
						mods += n.switches[full].mods - before
						if c.take() != 1 {
							t.Fatalf("second %d: the packet did not arrive once", second)
						}
						if got := n.switches[2].d.Pairs(); got != 0 {
							t.Fatalf("second %d: the pair has its first rule, and not all others", second)
						}
					}
					n.f.Second()
				}
				if mods == 0 || mods > 12 {
					t.Errorf("the full switch was sent %d rules in 40 s, want a few", mods)
				}
				if want := "table-full " + full.String(); !b.active[want] || b.raised != 1 {
					t.Errorf("alarms %v, raised %d times", b.active, b.raised)
				}
				n.switches[full].capacity = 0
				for range admission.RefusedMax + 5 {
					n.say(a, frame(c.mac, a.mac, packet.TypeIPv4, 1))
					for n.step() {
					}
					n.f.Second()
				}
				asked := n.packetIns()
				n.arrives(t, a, c, "with room again")
				if n.packetIns() != asked || len(b.active) != 0 {
					t.Errorf("%d packet-ins, alarms %v", n.packetIns()-asked, b.active)
				}
			})
		}
	}
}

// TestFloodOfRefusedPairsIsBounded: more packets than DirectPerSecond are dropped, and counted.
func TestFloodOfRefusedPairsIsBounded(t *testing.T) {
	n, _ := fills(t, openflow.V13, 3)
	a, c := n.at(2)[1], n.at(4)[0]
	for range 2 * admission.DirectPerSecond {
		n.hops = 0
		n.say(a, frame(c.mac, a.mac, packet.TypeIPv4, 1))
		for n.step() {
		}
	}
	if got := c.take(); got > admission.DirectPerSecond+MaxHeld || got < admission.DirectPerSecond/2 {
		t.Errorf("%d packets came in one second, want at most %d", got, admission.DirectPerSecond)
	}
}

// TestABrokenPairThatIsRefusedElsewhere: its path breaks, and the only other one has no room: it
// does not stay on the broken one.
func TestABrokenPairThatIsRefusedElsewhere(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	a, c := n.at(1)[0], n.at(2)[0]
	n.say(n.at(4)[0], frame(n.at(5)[0].mac, n.at(4)[0].mac, packet.TypeIPv4, 1))
	n.say(a, frame(c.mac, a.mac, packet.TypeIPv4, 1))
	n.settle()
	c.take()
	n.switches[4].capacity = 1
	n.cut(n.linkPort(1, 2), true)
	for range 6 {
		n.settle()
	}
	came := 0
	for i := range 10 {
		n.say(a, frame(c.mac, a.mac, packet.TypeIPv4, i))
		n.settle()
		came += c.take()
	}
	if came != 10 {
		t.Errorf("%d of 10 packets came", came)
	}
}

// TestARefusingSwitchIsForgotten: with a switch that refuses rules and is deleted goes its alarm.
func TestARefusingSwitchIsForgotten(t *testing.T) {
	n, b := fills(t, openflow.V13, 3)
	a, c := n.at(2)[1], n.at(4)[0]
	n.say(a, frame(c.mac, a.mac, packet.TypeIPv4, 1))
	for n.step() {
	}
	if len(b.active) != 1 {
		t.Fatalf("alarms %v, want that of switch 3", b.active)
	}
	n.disconnect(n.switches[3])
	n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(3) })
	for n.follow() {
	}
	if got := n.f.refusals.active.Load(); got != 0 || len(b.active) != 0 {
		t.Errorf("%d switches refuse rules, alarms %v", got, b.active)
	}
}
