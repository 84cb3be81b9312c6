package forward

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// The tests of this file have no controller: the application is dead, and time goes by on the
// switches.

// ageing is the time on the switches, in seconds, and when each pair's rule was last used.
type ageing struct {
	n    *network
	now  int
	used map[netview.Point]map[string]int // Port 0
}

func (n *network) ageing() *ageing {
	a := &ageing{n: n, used: make(map[netview.Point]map[string]int)}
	n.matched = func(id netview.DPID, e *openflow.FlowMod) {
		if e.IdleTimeout > 0 {
			at := netview.Point{DPID: id}
			if a.used[at] == nil {
				a.used[at] = make(map[string]int)
			}
			a.used[at][e.Match.Key()] = a.now
		}
	}
	return a
}

// pass lets seconds go by. Switches look for rules to run out now and then, and their clocks
// differ: a rule goes up to two seconds before its time, or after.
func (a *ageing) pass(seconds int) {
	a.now += seconds
	for _, id := range a.n.ids {
		sw := a.n.switches[id]
		sw.entries = slices.DeleteFunc(sw.entries, func(e openflow.FlowMod) bool {
			unused := a.now - a.used[netview.Point{DPID: id}][e.Match.Key()]
			return e.IdleTimeout > 0 && unused >= int(e.IdleTimeout)-2+a.n.rng.IntN(5)
		})
	}
}

// ingressRule reports whether a pair's packets find a rule where they enter.
func (n *network) ingressRule(a, b *station, f []byte) bool {
	table := uint8(1)
	if n.version == openflow.V10 {
		table = 0
	}
	e := n.switches[a.at.DPID].lookup(table, a.at.Port, f)
	return e != nil && e.Priority == plan.PriorityPair
}

// TestDeadHostsThatTalkGoOn: hosts that keep talking, with pauses shorter than the time-out, lose
// nothing for as long as they like, in both directions, and no rule of theirs runs out anywhere.
func TestDeadHostsThatTalkGoOn(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		n.allPairs(t)
		n.dead()
		a := n.ageing()
		var rules []int
		for round := range 40 {
			for _, x := range n.stations() {
				for _, y := range n.stations() {
					if x != y {
						n.hops = 0
						n.say(x, frame(y.mac, x.mac, packet.TypeIPv4, round))
						if y.take() != 1 {
							t.Fatalf("after %d s the packet from %s to %s did not come", a.now, x.mac, y.mac)
						}
					}
				}
			}
			sum := 0
			for _, sw := range n.switches {
				sum += len(sw.entries)
			}
			rules = append(rules, sum)
			a.pass(1 + n.rng.IntN(55))
		}
		if slices.Min(rules) != slices.Max(rules) {
			t.Errorf("between %d and %d rules: the tables have changed", slices.Min(rules), slices.Max(rules))
		}
	})
}

// TestDeadPairsRunOutFromTheirIngress: pauses around the time-out. As long as a packet finds a rule
// where it enters, it arrives; with the choice "flood" it arrives in any case, with "controller"
// not without that rule.
func TestDeadPairsRunOutFromTheirIngress(t *testing.T) {
	for _, unknown := range []Unknown{UnknownController, UnknownFlood} {
		t.Run(string(unknown), func(t *testing.T) {
			everywhere(t, Config{Unknown: unknown}, func(t *testing.T, n *network) {
				a, ran := n.ageing(), 0
				all := n.stations()
				x, y := all[0], all[len(all)-1]
				if x == y {
					return
				}
				for round := range 40 {
					n.say(x, frame(y.mac, x.mac, packet.TypeIPv4, round))
					n.settle()
					n.say(x, frame(y.mac, x.mac, packet.TypeIPv4, round))
					n.settle()
					y.take()
					for _, sw := range n.switches {
						sw.gone = true
					}
					for range 3 {
						a.pass(57 + n.rng.IntN(12))
						f := frame(y.mac, x.mac, packet.TypeIPv4, round)
						n.hops = 0
						there := n.ingressRule(x, y, f)
						n.say(x, f)
						switch came := y.take(); {
						case came == 0 && (there || unknown == UnknownFlood):
							t.Fatalf("round %d: the packet did not come; a rule where it enters: %v", round, there)
						case came > 0 && !there && unknown == UnknownController:
							t.Fatalf("round %d: the packet came without a rule", round)
						case !there:
							ran++
						}
					}
					for _, sw := range n.switches {
						sw.gone = false
						sw.in = nil
					}
					for _, d := range n.f.switches.all() { // as after a reading
						n.f.Attach(d.id, nextEpoch(), n.version,
							map[openflow.Version]uint8{openflow.V10: 1, openflow.V13: 254}[n.version], n.switches[d.id])
						n.read1(d.id)
					}
				}
				if ran == 0 {
					t.Error("no rule ran out")
				}
			})
		})
	}
}

// TestDeadNeighboursAreFound: with no controller and no pair left, broadcasts and unicast ARP and
// neighbour discovery go by the tree, once to each host that they are for.
func TestDeadNeighboursAreFound(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		n.allPairs(t)
		n.dead()
		n.ageing().pass(10 * outlet.IdleMax)
		asked := 0
		for _, x := range n.stations() {
			for _, y := range n.stations() {
				if x == y {
					continue
				}
				for what, f := range map[string][]byte{
					"broadcast":           frame(packet.Broadcast, x.mac, packet.TypeARP, 1),
					"unicast ARP":         frame(y.mac, x.mac, packet.TypeARP, 1),
					"neighbour discovery": solicitation(y.mac, x.mac),
				} {
					n.hops = 0
					for _, h := range n.hosts {
						h.take()
					}
					n.say(x, f)
					if came := y.take(); came != 1 {
						t.Fatalf("%s: %d copies came, want 1", what, came)
					}
					asked++
				}
			}
		}
		if asked == 0 && len(n.hosts) > 1 {
			t.Error("nothing was sent")
		}
	})
}

// solicitation is a unicast ICMPv6 neighbour solicitation, as far as switches look.
func solicitation(dst, src packet.MAC) []byte {
	f := packet.AppendEthernet(nil, dst, src, 0, 0, packet.TypeIPv6)
	f = append(f, 0x60, 0, 0, 0, 0, 24, 58, 255)
	f = append(f, make([]byte, 32)...)
	return append(f, append([]byte{135, 0, 0, 0}, make([]byte, 20)...)...)
}

// TestAStuckSwitchHoldsUpNoOther: a switch confirms nothing any more. No loop comes about, and
// where the tree changes elsewhere, all are reached.
func TestAStuckSwitchHoldsUpNoOther(t *testing.T) {
	whole := 0
	defer func() {
		if whole == 0 {
			t.Error("the tree never changed elsewhere")
		}
	}()
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("%s/%d", v, seed), func(t *testing.T) {
				n := newNetwork(t, seed, v, Config{})
				n.join(9, shapes["torus"].edges)
				n.stuck = n.ids[len(n.ids)-1]
				n.newPlace() // something that it does not confirm
				held := n.treeLinks(n.stuck)
				for range 6 {
					at := n.anyCable()
					if at.DPID == n.stuck || n.cables[at].DPID == n.stuck || n.down[at] {
						continue
					}
					n.cut(at, true)
					n.settle()
					n.cut(at, false)
					n.settle()
					n.drain(n.anyCable())
					n.settle()
					elsewhere := slices.Equal(n.treeLinks(n.stuck), held)
					for _, x := range n.stations() {
						n.hops = 0
						n.say(x, frame(packet.Broadcast, x.mac, packet.TypeARP, 1))
						for _, y := range n.stations() {
							if came := y.take(); x != y && (came > 1 || came == 0 && elsewhere) {
								t.Fatalf("%d copies of a broadcast from %s came to %s", came, x.mac, y.mac)
							}
						}
					}
					if elsewhere {
						whole++
					}
				}
			})
		}
	}
}
