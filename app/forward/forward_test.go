package forward

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// shapes are the networks that the tests run on: switches, and the cables between them.
var shapes = map[string]struct {
	switches int
	edges    [][2]int
}{
	"one":      {1, nil},
	"linear":   {4, [][2]int{{0, 1}, {1, 2}, {2, 3}}},
	"ring":     {5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}},
	"full":     {4, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
	"diamonds": {8, [][2]int{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {4, 6}, {5, 7}, {6, 7}}},
	"kite":     {4, [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}},
	"parallel": {2, [][2]int{{0, 1}, {0, 1}, {0, 1}}},
	"torus": {9, [][2]int{
		{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {6, 7}, {7, 8}, {8, 6},
		{0, 3}, {3, 6}, {6, 0}, {1, 4}, {4, 7}, {7, 1}, {2, 5}, {5, 8}, {8, 2},
	}},
}

// everywhere runs a test on all shapes, with both versions and some orders of events.
func everywhere(t *testing.T, cfg Config, test func(t *testing.T, n *network)) {
	for name, shape := range shapes {
		for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
			for seed := range uint64(need.Rounds(3)) {
				t.Run(fmt.Sprintf("%s/%s/%d", name, v, seed), func(t *testing.T) {
					n := newNetwork(t, seed, v, cfg)
					n.join(shape.switches, shape.edges)
					test(t, n)
				})
			}
		}
	}
}

// stations are the hosts in order.
func (n *network) stations() []*station {
	var all []*station
	for _, h := range n.hosts {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b *station) int { return int(a.mac.Uint64()) - int(b.mac.Uint64()) })
	return all
}

func frame(dst, src packet.MAC, etherType uint16, id int) []byte {
	return append(packet.AppendEthernet(nil, dst, src, 0, 0, etherType), byte(id>>8), byte(id))
}

func (n *network) packetIns() (sum int) {
	for _, s := range n.switches {
		sum += s.packetIns
	}
	return sum
}

// take empties what a host got.
func (h *station) take() int {
	got := len(h.got)
	h.got = nil
	return got
}

func TestEveryPairByOnePacketIn(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		id := 0
		for _, a := range n.stations() {
			for _, b := range n.stations() {
				if a == b {
					continue
				}
				for round := range 3 {
					id++
					before := n.packetIns()
					n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, id))
					n.settle()
					want := map[bool]int{true: 1}[round == 0]
					if came, asked := b.take(), n.packetIns()-before; came != 1 || asked != want {
						t.Fatalf("%s to %s, packet %d: %d copies came with %d packet-ins, want 1 with %d", a.mac,
							b.mac, round, came, asked, want)
					}
				}
			}
		}
		n.symmetric(t)
	})
}

// symmetric checks that both directions of each pair take the same switches.
func (n *network) symmetric(t *testing.T) {
	for _, d := range n.f.switches.all() {
		for pr, fl := range d.all() {
			p := n.f.paths.Get(fl.Path)
			if p == nil {
				continue
			}
			e := n.f.switches.get(p.Egress().DPID)
			back := n.f.paths.Get(e.all()[reversed(pr)].Path)
			for i, h := range p.Hops {
				if r := back.Hops[len(back.Hops)-1-i]; r.DPID != h.DPID || i > 0 && r.Out != h.In {
					t.Fatalf("there %v, back %v", p.Hops, back.Hops)
				}
			}
		}
	}
}

func TestBroadcastReachesEachHostOnce(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		n.floodOnce(t, "broadcast", packet.Broadcast, packet.TypeIPv4)
		n.floodOnce(t, "ARP", packet.Broadcast, packet.TypeARP)
		n.floodOnce(t, "IPv4 multicast", packet.MAC{1, 0, 0x5e, 0, 0, 5}, packet.TypeIPv4)
		n.floodOnce(t, "unknown host", packet.MAC{2, 9, 9, 9, 9, 9}, packet.TypeIPv4)
	})
}

// floodOnce has each host say one packet to all, and counts the copies at the others.
func (n *network) floodOnce(t *testing.T, what string, dst packet.MAC, etherType uint16) {
	t.Helper()
	for _, a := range n.stations() {
		n.say(a, frame(dst, a.mac, etherType, 1))
		n.settle()
		for _, b := range n.stations() {
			if came, want := b.take(), map[bool]int{true: 1}[a != b]; came != want {
				t.Fatalf("%s from %s: %d copies at %s, want %d", what, a.mac, came, b.mac, want)
			}
		}
	}
}

func TestOnlyTheFirstSwitchShowsBroadcasts(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		a := n.stations()[0]
		before := n.packetIns()
		n.say(a, frame(packet.Broadcast, a.mac, packet.TypeARP, 1))
		n.settle()
		if asked := n.packetIns() - before; asked != 1 {
			t.Errorf("one broadcast made %d packet-ins, want 1", asked)
		}
	})
}

func TestFloodModeNeedsNobody(t *testing.T) {
	everywhere(t, Config{Unknown: UnknownFlood}, func(t *testing.T, n *network) {
		all := n.stations()
		a, b := all[0], all[len(all)-1]
		if a == b {
			return
		}
		for id := range 2 {
			n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, id))
			if b.take() != 1 {
				t.Fatal("the packet did not arrive before the controller had said anything")
			}
			n.settle()
		}
		if fl := n.f.switches.get(a.at.DPID).all()[pairs.Of(a.mac.Uint64(), b.mac.Uint64(), 0)]; fl.Out == 0 {
			t.Error("no path was installed")
		}
	})
}

// TestCutsMovePairs cuts cables and restores them, one after the other, in a random order, while
// packets flow.
func TestCutsMovePairs(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		n.allPairs(t)
		for range 2 * len(n.cables) {
			at := n.anyCable()
			if at.Port == 0 {
				return
			}
			n.cut(at, !n.down[at])
			if n.rng.IntN(2) == 0 {
				n.broadcastWhileChanging(t)
			}
			n.settle()
			if n.connected() {
				n.allPairs(t)
				n.floodOnce(t, "broadcast", packet.Broadcast, packet.TypeARP)
			}
		}
		n.tableBounds(t)
		n.softAgree(t)
	})
}

// softAgree checks that each switch holds the soft rules that the pairs' paths ask for, and no
// other.
func (n *network) softAgree(t *testing.T) {
	t.Helper()
	n.softHeld(t, true)
}

// softHeld is softAgree, but for what else a switch may hold if it could not be told to delete it,
// which runs out.
func (n *network) softHeld(t *testing.T, exactly bool) {
	t.Helper()
	for _, id := range n.ids {
		want := make(map[string]uint32)
		for _, r := range n.f.SoftRules(id, 1<<20) {
			want[r.Match.Key()] = r.Instructions[0].Actions[0].Port
		}
		for _, e := range n.switches[id].entries {
			if e.Priority != plan.PriorityPair {
				continue
			}
			port, ok := want[e.Match.Key()]
			if !ok && !exactly {
				continue
			}
			if have := e.Instructions[0].Actions[0].Port; !ok || port != have {
				t.Errorf("switch %s sends %s to port %d, want %d (%v)", id, e.Match, have, port, ok)
			}
			delete(want, e.Match.Key())
		}
		if len(want) > 0 {
			t.Errorf("switch %s lacks the rules of %d pairs", id, len(want))
		}
	}
}

// TestOffTreeLinksAreGuarded has a broadcast come along every link that is not in the tree, as from
// a switch that still has an older one.
func TestOffTreeLinksAreGuarded(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		tree := n.treeOutputs()
		for from, to := range n.cables {
			if tree[from] {
				continue
			}
			for _, etherType := range []uint16{packet.TypeARP, packet.TypeIPv4} {
				n.leave(from, frame(packet.Broadcast, packet.MAC{2, 7}, etherType, 1))
				n.settle()
				for _, h := range n.stations() {
					if h.take() != 0 {
						t.Fatalf("a broadcast that came in at %s, off the tree, reached %s", to, h.mac)
					}
				}
			}
		}
	})
}

// allPairs sends a packet of each pair and wants it to arrive once.
func (n *network) allPairs(t *testing.T) {
	t.Helper()
	for _, a := range n.stations() {
		for _, b := range n.stations() {
			if a == b {
				continue
			}
			n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 7))
			n.settle()
			if came := b.take(); came != 1 {
				t.Fatalf("%s to %s: %d copies came, want 1", a.mac, b.mac, came)
			}
		}
	}
}

// broadcastWhileChanging sends broadcasts between the steps of a change: none may arrive twice, or
// loop.
func (n *network) broadcastWhileChanging(t *testing.T) {
	for range 20 {
		n.hops = 0
		a := n.stations()[n.rng.IntN(len(n.hosts))]
		n.say(a, frame(packet.Broadcast, a.mac, packet.TypeARP, 3))
		for _, b := range n.stations() {
			if came := b.take(); came > 1 {
				t.Fatalf("while the tree changed %d copies of a broadcast came to %s", came, b.mac)
			}
		}
		n.step()
	}
}

func (n *network) anyCable() netview.Point {
	var ends []netview.Point
	for p := range n.cables {
		ends = append(ends, p)
	}
	slices.SortFunc(ends, netview.Point.Compare)
	if len(ends) == 0 {
		return netview.Point{}
	}
	return ends[n.rng.IntN(len(ends))]
}

// connected reports whether every switch reaches every other.
func (n *network) connected() bool {
	seen := map[netview.DPID]bool{n.ids[0]: true}
	for grew := true; grew; {
		grew = false
		for a, b := range n.cables {
			if seen[a.DPID] && !seen[b.DPID] && !n.down[a] {
				seen[b.DPID], grew = true, true
			}
		}
	}
	return len(seen) == len(n.ids)
}

// tableBounds checks that no switch has more firm rules than its ports ask for, and that each pair
// stands once.
func (n *network) tableBounds(t *testing.T) {
	for _, s := range n.switches {
		firm := 0
		for _, e := range s.entries {
			if !plan.Decode(e.Cookie).Kind.Soft() {
				firm++
			}
		}
		if most := 5 + 7*len(s.ports); firm > most {
			t.Errorf("switch %s has %d firm rules with %d ports, want at most %d", s.id, firm, len(s.ports), most)
		}
		if most := len(n.hosts) * len(n.hosts); len(s.entries)-firm > most {
			t.Errorf("switch %s has %d soft rules for %d pairs", s.id, len(s.entries)-firm, most)
		}
	}
}

func TestHostMoves(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		n.allPairs(t)
		h := n.stations()[0]
		to := n.newPlace()
		h.at = to
		n.facts.Update(func(tx *netview.FactsTx) {
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: h.mac}, At: to})
		})
		n.settle()
		n.allPairs(t)
	})
}

// newPlace adds an edge port to the last switch.
func (n *network) newPlace() netview.Point {
	p := n.newPort(len(n.ids) - 1)
	n.facts.Update(func(tx *netview.FactsTx) {
		old, _ := tx.Switch(p.DPID)
		row := *old
		row.Ports = append(slices.Clone(old.Ports), netview.Port{Number: p.Port, Up: true, Role: netview.PortEdge})
		tx.PutSwitch(&row)
	})
	n.settle()
	return p
}

// TestPacketsKeepTheirOrder sends several packets of one pair before the controller has seen the
// first.
func TestPacketsKeepTheirOrder(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		all := n.stations()
		a, b := all[0], all[len(all)-1]
		if a == b {
			return
		}
		for id := range MaxHeld {
			n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, id))
		}
		n.settle()
		if len(b.got) != MaxHeld {
			t.Fatalf("%d packets came, want %d", len(b.got), MaxHeld)
		}
		for id, f := range b.got {
			if int(f[len(f)-1]) != id {
				t.Fatalf("packet %d came in place %d", f[len(f)-1], id)
			}
		}
	})
}

func TestFlowRemovedForgetsThePair(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(2, [][2]int{{0, 1}})
	n.allPairs(t)
	d := n.f.switches.get(1)
	if d.Pairs() != 1 || len(n.f.SoftRules(1, 100)) != 2 {
		t.Fatalf("%d pairs, %d rules, want 1 and 2", d.Pairs(), len(n.f.SoftRules(1, 100)))
	}
	for _, e := range n.switches[1].entries {
		if e.Priority == plan.PriorityPair && e.Flags&openflow.FlagSendFlowRemoved != 0 {
			stale := plan.Decode(e.Cookie)
			stale.Owner += 7
			d.FlowRemoved(&openflow.FlowRemoved{Cookie: stale.Encode(), Match: e.Match})
			if d.Pairs() != 1 {
				t.Error("the removal of another path's rule made the pair forgotten")
			}
			d.FlowRemoved(&openflow.FlowRemoved{Cookie: e.Cookie, Match: e.Match})
		}
	}
	if d.Pairs() != 0 {
		t.Error("the pair is still there")
	}
	if got := n.f.paths.All(); len(got) != 1 {
		t.Errorf("%d paths are kept, want that of the other direction alone", len(got))
	}
}

// treeOutputs are the ports that the wanted tree rules of each switch send to.
func (n *network) treeOutputs() map[netview.Point]bool {
	out := make(map[netview.Point]bool)
	snap := n.view.Snapshot()
	for _, id := range n.ids {
		for r := range snap.Rules(id) {
			for _, i := range r.Instructions {
				for _, a := range i.Actions {
					if r.Owner == Owner && a.Port != openflow.PortController {
						out[netview.Point{DPID: id, Port: a.Port}] = true
					}
				}
			}
		}
	}
	return out
}

// treeLinks are the inter-switch ports of a switch whose links either end is to have in the tree.
func (n *network) treeLinks(id netview.DPID) (ports []uint32) {
	out := n.treeOutputs()
	for a, b := range n.cables {
		if a.DPID == id && (out[a] || out[b]) {
			ports = append(ports, a.Port)
		}
	}
	slices.Sort(ports)
	return ports
}

// TestTreeRemovesBeforeItAdds looks at what is desired right after a cut, while a switch has not
// yet confirmed.
func TestTreeRemovesBeforeItAdds(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	before := n.treeOutputs()
	var at netview.Point
	for p := range n.cables {
		if before[p] {
			at = p
		}
	}
	n.cut(at, true)
	n.follow()
	during := n.treeOutputs()
	for p, q := range n.cables {
		if during[p] && during[q] && !before[p] {
			t.Errorf("%s is added to the tree before %s is confirmed to be out of it", p, at)
		}
	}
	if during[at] {
		t.Errorf("%s is cut and still in the tree", at)
	}
	for n.follow() {
		if len(n.switches[at.DPID].out) == 0 {
			t.Fatal("nothing is on its way to the switch")
		}
	}
	if got := n.treeOutputs(); len(got) != len(during) {
		t.Errorf("the tree grew to %d ports though nothing was confirmed", len(got))
	}
	n.settle()
	if got := n.treeOutputs(); len(got) != len(before) {
		t.Errorf("at rest the tree has %d ports, want %d", len(got), len(before))
	}
}

// all are the pairs of a switch as a map.
func (d *Datapath) all() map[pairs.Pair]pairs.Flow {
	m := make(map[pairs.Pair]pairs.Flow)
	d.pairs.All(func(pr pairs.Pair, fl pairs.Flow) bool { m[pr] = fl; return true })
	return m
}

// A host is in use while a pair of its is known where it enters, and only there.
func TestUses(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(3, [][2]int{{0, 1}, {1, 2}})
	a, b := n.stations()[0], n.stations()[1]
	id := netview.HostID{MAC: a.mac}
	at := a.at
	if n.f.HostActive(id, at) {
		t.Error("in use before it has sent anything")
	}
	n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
	n.settle()
	if !n.f.HostActive(id, at) || n.f.HostActive(netview.HostID{MAC: a.mac, VLAN: 7}, at) ||
		n.f.HostActive(id, netview.Point{DPID: 99, Port: 1}) {
		t.Error("after a packet: want it in use where it is, in its VLAN")
	}
}

// pairOf is the pair of a rule that is one's.
func pairOf(m openflow.Match) pairs.Pair {
	pr, ok := pairs.OfMatch(m)
	if !ok {
		panic(fmt.Sprintf("%v is no pair's", m))
	}
	return pr
}

// reversed is the pair of the same hosts in the other direction.
func reversed(pr pairs.Pair) pairs.Pair {
	m := openflow.Match{OXM: pr.AppendMatch(nil)}
	vlan, _ := m.Uint(openflow.FieldVLANVID)
	src, _ := m.Uint(openflow.FieldEthSrc)
	dst, _ := m.Uint(openflow.FieldEthDst)
	return pairs.Of(dst, src, uint16(vlan))
}
