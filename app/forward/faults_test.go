package forward

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/app/broadcast"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// The tests of this file put two changes into each other's way and look at the network at rest: a
// pair whose ingress rule matches makes no packet-in, so what is wrong then stays wrong.

// linkPort is the port of a switch towards another.
func (n *network) linkPort(a, b netview.DPID) netview.Point {
	for p, q := range n.cables {
		if p.DPID == a && q.DPID == b {
			return p
		}
	}
	panic("no link")
}

// arrives wants five packets of a pair to come.
func (n *network) arrives(t *testing.T, a, b *station, what string) {
	t.Helper()
	lost := 0
	for i := range 5 {
		n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, i))
		n.settle()
		if b.take() == 0 {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%s: %d of 5 packets lost at rest", what, lost)
	}
}

// read has the application handle the packet-ins of one switch, and nothing else happen.
func (n *network) read(id netview.DPID) {
	sw := n.switches[id]
	for len(sw.in) > 0 {
		do := sw.in[0]
		sw.in = sw.in[1:]
		do()
	}
}

// TestSecondFailureWhileMoving: another link fails while the move for the first waits for its
// barriers.
func TestSecondFailureWhileMoving(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["full"].edges)
	n.allPairs(t)
	s := n.stations()
	a, b := s[0], s[1]
	n.cut(n.linkPort(1, 2), true)
	for n.follow() {
	}
	d := n.f.switches.get(1)
	pr := pairs.Of(a.mac.Uint64(), b.mac.Uint64(), 0)
	w := d.installs[pr]
	if w == nil {
		t.Fatal("not waiting")
	}
	via := w.path.Hops[1].DPID
	n.cut(n.linkPort(1, via), true)
	for n.follow() {
	}
	n.settle()
	n.arrives(t, a, b, "second failure while moving")
}

// TestBarrierFailsWhileMoving: a switch on the new path does not confirm.
func TestBarrierFailsWhileMoving(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["full"].edges)
	n.allPairs(t)
	s := n.stations()
	a, b := s[0], s[1]
	n.failing = true
	n.cut(n.linkPort(1, 2), true)
	n.settle()
	n.failing = false
	n.settle()
	n.arrives(t, a, b, "barrier failed while moving")
}

// TestPathOfAnOlderTopology: a reader has computed a path before the cut and takes it after Step
// has looked for broken ones.
func TestPathOfAnOlderTopology(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["full"].edges)
	s := n.stations()
	a, b := s[0], s[1]
	old := n.topo
	n.cut(n.linkPort(1, 2), true)
	n.settle()
	n.f.routes.stepped.Store(old)
	n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
	n.read(1)
	n.f.routes.stepped.Store(n.topo)
	n.settle()
	b.take()
	n.arrives(t, a, b, "path taken after Step")
}

// TestHostMovesWhileInstalling: the destination moves while the path to its old place is being
// confirmed.
func TestHostMovesWhileInstalling(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["linear"].edges)
	s := n.stations()
	a, b := s[0], s[1]
	to := n.newPlace()
	n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
	n.read(1)
	b.at = to
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: b.mac}, At: to}) })
	for n.follow() {
	}
	n.settle()
	b.take()
	n.arrives(t, a, b, "host moved while installing")
}

// TestHostMovesWhileIngressDisconnected: the destination moves while the ingress switch cannot be
// told.
func TestHostMovesWhileIngressDisconnected(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["linear"].edges)
	n.allPairs(t)
	s := n.stations()
	a, b := s[0], s[1]
	to := n.newPlace()
	sw := n.switches[1]
	conn := func(up bool) {
		n.facts.Update(func(tx *netview.FactsTx) {
			old, _ := tx.Switch(1)
			row := *old
			row.Connected, row.State = up, netview.SwitchReady
			if !up {
				row.State = netview.SwitchDisconnected
			}
			tx.PutSwitch(&row)
			for p, q := range n.cables {
				if p.DPID == 1 || q.DPID == 1 {
					st := netview.LinkConfirmed
					if !up {
						st = netview.LinkUnconfirmed
					}
					tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: p, Dst: q}, Up: true, State: st})
				}
			}
		})
	}
	sw.d.Detach(sw)
	conn(false)
	n.settle()
	b.at = to
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: b.mac}, At: to}) })
	n.settle()
	n.f.Attach(1, nextEpoch(), openflow.V13, 254, sw)
	conn(true)
	n.settle()
	b.take()
	n.arrives(t, a, b, "host moved while its peer's switch was disconnected")
}

// TestFlapInOneStep: a link goes down and up again before the application sees either.
func TestFlapInOneStep(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(2, shapes["linear"].edges[:1])
	n.allPairs(t)
	s := n.stations()
	a, b := s[0], s[1]
	p := n.linkPort(1, 2)
	n.cut(p, true)
	n.cut(p, false)
	n.settle()
	c := &station{mac: packet.MAC{2, 5, 5, 5, 5, 5}, at: b.at}
	n.hosts[c.mac] = c
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: c.mac}, At: c.at}) })
	n.settle()
	c.take()
	n.arrives(t, a, b, "old pair after flap")
	c.take()
	n.arrives(t, a, c, "new pair after flap")
}

// lose has each pair lose its rule at every switch behind its first, without the last so many, and
// counts those that do not get it back. Where packets are flooded that have no rule, one that lost
// its rule at the last switch loops until the rule is back: the frames of this network run
// faster than the application, so there the last one must be left out.
func (n *network) lose(t *testing.T, etherType uint16, without int) {
	tried, lost := 0, 0
	for _, a := range n.stations() {
		for _, b := range n.stations() {
			if a == b {
				continue
			}
			pr := pairs.Of(a.mac.Uint64(), b.mac.Uint64(), 0)
			n.say(a, frame(b.mac, a.mac, etherType, 1))
			n.settle()
			fl, ok := n.f.switches.get(a.at.DPID).all()[pr]
			p := n.f.paths.Get(fl.Path)
			if !ok || p == nil {
				continue
			}
			for _, hop := range p.Hops[1:max(1, len(p.Hops)-without)] {
				tried++
				if !n.recovers(n.switches[hop.DPID], pr, a, b, etherType) {
					lost++
				}
			}
		}
	}
	if lost > 0 || tried == 0 {
		t.Errorf("of %d rules of pairs that a switch lost %d were not put back", tried, lost)
	}
}

// recovers takes a pair's rule from a switch, sends packets, and reports whether the switch has the
// rule again and the last packet arrived.
func (n *network) recovers(sw *naive, pr pairs.Pair, a, b *station, etherType uint16) bool {
	ofPair := func(e openflow.FlowMod) bool {
		got, ok := pairs.OfMatch(e.Match)
		return ok && e.Priority == plan.PriorityPair && got == pr
	}
	sw.entries = slices.DeleteFunc(sw.entries, ofPair)
	for i := range 5 {
		b.take()
		n.say(a, frame(b.mac, a.mac, etherType, i))
		n.settle()
	}
	return slices.ContainsFunc(sw.entries, ofPair) && b.take() > 0
}

// TestLostRuleIsPutBackFlood: unknown packets are flooded, and still the rule comes back.
func TestLostRuleIsPutBackFlood(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{Unknown: UnknownFlood})
	n.join(5, shapes["ring"].edges)
	n.lose(t, packet.TypeIPv4, 1)
}

// TestLostRuleIsPutBackIPv6: OpenFlow 1.0 floods what it cannot look into.
func TestLostRuleIsPutBackIPv6(t *testing.T) {
	n := newNetwork(t, 1, openflow.V10, Config{})
	n.join(5, shapes["ring"].edges)
	n.lose(t, packet.TypeIPv6, 1)
}

// TestLostRuleIsPutBack: a miss asks the controller.
func TestLostRuleIsPutBack(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	n.lose(t, packet.TypeIPv4, 0)
}

// TestIngressRulesTellTheirEnd: packets in flight while pairs move overwrite no ingress rule.
func TestIngressRulesTellTheirEnd(t *testing.T) {
	bad, runs := 0, 0
	for seed := range uint64(40) {
		n := newNetwork(t, seed, openflow.V13, Config{})
		n.join(5, shapes["ring"].edges)
		n.allPairs(t)
		s := n.stations()
		at := n.anyCable()
		n.cut(at, true)
		for range 200 {
			for _, a := range s {
				for _, b := range s {
					if a != b && n.rng.IntN(30) == 0 {
						n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
					}
				}
			}
			n.hops = 0
			n.step()
		}
		n.settle()
		for _, d := range n.f.switches.all() {
			for pr, fl := range d.all() {
				runs++
				ok := false
				for _, e := range n.switches[d.id].entries {
					q, is := pairs.OfMatch(e.Match)
					if is && e.Priority == 10000 && q == pr && e.Flags&openflow.FlagSendFlowRemoved != 0 &&
						e.Cookie == n.f.paths.Cookie(fl.Path) {
						ok = true
					}
				}
				if !ok {
					bad++
				}
			}
		}
	}
	t.Logf("%d of %d pairs", bad, runs)
	if bad > 0 {
		t.Errorf("%d of %d remembered pairs have at their switch no rule of that cookie with SEND_FLOW_REM: they are never forgotten", bad, runs)
	}
}

// TestHostDeletedAndLearned: a host whose port became a link is learned elsewhere.
func TestHostDeletedAndLearned(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["linear"].edges)
	n.allPairs(t)
	s := n.stations()
	a, b := s[0], s[1]
	to := n.newPlace()
	n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(netview.HostID{MAC: b.mac}) })
	n.settle()
	b.at = to
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: b.mac}, At: to}) })
	n.settle()
	n.arrives(t, a, b, "host deleted, then learned elsewhere")
}

// TestStuckSwitchHoldsNobodyElse: a switch never answers; a pair of the same batch does not pass
// it.
func TestStuckSwitchHoldsNobodyElse(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["full"].edges)
	s := n.stations()
	a, b, c := s[0], s[1], s[2]
	d := n.f.switches.get(1)
	for _, to := range []*station{b, c} { // one batch
		f := frame(to.mac, a.mac, packet.TypeIPv4, 1)
		dst, src, vlan, et, _, _ := packet.ParseEthernet(f)
		d.PacketIn(&openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: uint16(len(f)), InPort: 1, Data: f},
			Frame{Dst: dst, Src: src, VLAN: vlan, EtherType: et})
	}
	d.BatchEnd()
	stuck := n.switches[2]
	for range 1000 { // everything but switch 2 moves
		for _, id := range []netview.DPID{1, 3, 4} {
			sw := n.switches[id]
			for _, q := range []*[]func(){&sw.out, &sw.in} {
				if len(*q) > 0 {
					do := (*q)[0]
					*q = (*q)[1:]
					do()
				}
			}
		}
	}
	if len(stuck.out) == 0 {
		t.Fatal("nothing for the stuck switch")
	}
	if c.take() == 0 {
		t.Error("a pair whose path does not pass the stuck switch is not installed")
	}
}

// TestPairsThatRanOutUnheardAreForgotten: rules run out while the switch has no session, and no
// flow-removed is heard.
func TestPairsThatRanOutUnheardAreForgotten(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(3, shapes["linear"].edges[:2])
	n.allPairs(t)
	sw := n.switches[1]
	sw.d.Detach(sw)
	var listed []SoftRule
	for _, e := range sw.entries {
		if e.Priority == plan.PriorityPair && listed == nil {
			listed = append(listed, SoftRule{e.Match, e.Cookie, outPorts(e), e.IdleTimeout})
		}
	}
	n.f.Attach(1, nextEpoch(), openflow.V13, 254, sw)
	n.settle()
	n.f.RulesListed(1, listed, true)
	if got := sw.d.Pairs(); got != 1 {
		t.Errorf("%d pairs are remembered, want the one whose rule was listed", got)
	}
}

// TestKnowsItsOwnRules asks for every soft rule of every switch whether it is of this run, and for
// others.
func TestKnowsItsOwnRules(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, shapes["linear"].edges)
	n.allPairs(t)
	for id, sw := range n.switches {
		for _, e := range sw.entries {
			if e.Priority != plan.PriorityPair {
				continue
			}
			if !n.f.adopter.isOfPair(id, pairOf(e.Match), e.Cookie) {
				t.Errorf("switch %s: %s is not known", id, e.Match)
			}
			if n.f.adopter.isOfPair(id, pairOf(e.Match), e.Cookie+1<<16) {
				t.Errorf("switch %s: %s of another path is known", id, e.Match)
			}
		}
	}
	if n.f.adopter.isOfPair(1, pairs.Of(1, 2, 0), n.f.paths.Cookie(0)) {
		t.Error("a pair of nobody is known")
	}
}

// TestUnknownPortsAreMute has a broadcast come in where discovery does not know yet what is there:
// it may be another switch, with a tree of its own.
func TestUnknownPortsAreMute(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		h := n.stations()[0]
		role := func(r netview.PortRole) {
			n.facts.Update(func(tx *netview.FactsTx) {
				old, _ := tx.Switch(h.at.DPID)
				row := *old
				row.Ports = slices.Clone(old.Ports)
				row.Ports[0].Role = r
				tx.PutSwitch(&row)
			})
			n.settle()
		}
		role(netview.PortUnknown)
		before := n.packetIns()
		n.say(h, frame(packet.Broadcast, h.mac, packet.TypeARP, 1))
		n.settle()
		for _, other := range n.stations() {
			if other.take() != 0 {
				t.Fatalf("a broadcast from an unknown port reached %s", other.mac)
			}
		}
		if n.packetIns() != before+1 {
			t.Error("discovery was not shown the packet")
		}
		role(netview.PortEdge)
		n.floodOnce(t, "broadcast", packet.Broadcast, packet.TypeARP)
	})
}

// TestTreeOfAnEarlierLife starts a second application on a network that forwards along the first
// one's tree, which came about by cuts: it makes the same tree from what the rules left out.
func TestTreeOfAnEarlierLife(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		for range len(n.cables) {
			at := n.anyCable()
			if at.Port == 0 {
				return
			}
			n.cut(at, true)
			n.settle()
			n.cut(at, false)
			n.settle()
		}
		want, found := n.treeOutputs(), make(map[netview.DPID]broadcast.TreePorts)
		for _, id := range n.ids {
			found[id] = n.foundAt(id, want)
		}
		n.dead()
		n.begin(n.f.cfg)
		for id, ports := range found {
			n.switches[id].gone = false
			n.b.Inherit(id, ports)
		}
		n.announce(true)
		n.settle()
		got := n.treeOutputs()
		for from := range n.cables {
			if got[from] != want[from] {
				t.Errorf("%s in the tree: %v, before: %v", from, got[from], want[from])
			}
		}
	})
}

// foundAt is what a switch would be found to hold of a tree: its inter-switch ports, and those that
// are left out.
func (n *network) foundAt(id netview.DPID, tree map[netview.Point]bool) (found broadcast.TreePorts) {
	for from := range n.cables {
		if from.DPID == id {
			found.Links = append(found.Links, from.Port)
			if !tree[from] {
				found.Off = append(found.Off, from.Port)
			}
		}
	}
	return found
}

// TestInstalledIsThePathTaken cuts a link and restores it: pairs stay on the way round, and are
// said to.
func TestInstalledIsThePathTaken(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	n.allPairs(t)
	at := n.linkPort(1, 2)
	n.cut(at, true)
	n.settle()
	n.cut(at, false)
	n.settle()
	longest := 0
	for _, a := range n.stations() {
		for _, b := range n.stations() {
			if a == b {
				continue
			}
			hops, ok := n.f.InstalledPath(&netview.Host{HostID: netview.HostID{MAC: a.mac}, At: a.at},
				&netview.Host{HostID: netview.HostID{MAC: b.mac}, At: b.at})
			if !ok {
				t.Fatalf("%s to %s: no path", a.mac, b.mac)
			}
			longest = max(longest, len(hops))
			for _, h := range hops {
				e := n.switches[h.DPID].lookup(1, h.In, frame(b.mac, a.mac, packet.TypeIPv4, 1))
				if e == nil || !outputsTo(*e, h.Out) {
					t.Fatalf("%s to %s: switch %s does not send to port %d", a.mac, b.mac, h.DPID, h.Out)
				}
			}
		}
	}
	if longest != 5 {
		t.Errorf("the longest path has %d switches, want the 5 of the way round", longest)
	}
}
