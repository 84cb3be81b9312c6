package forward

import (
	"maps"
	"slices"
	"testing"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// reborn ends the application and starts another one, of the next life, on the same network. Its
// switches connect, are read in an order drawn by seed, and no host is known.
func (n *network) reborn(cfg Config) {
	n.dead()
	cfg.Domain, cfg.Generation = 1, n.f.cfg.Generation+1
	n.begin(cfg)
	for _, sw := range n.switches {
		sw.gone = false
	}
	n.announce(false)
	for _, i := range n.rng.Perm(len(n.ids)) {
		n.read1(n.ids[i])
		for range n.rng.IntN(20) {
			n.step()
		}
	}
	n.settle()
}

// dead ends the application: what is on its way from the controller is lost.
func (n *network) dead() {
	view := netview.New(netview.Limits{})
	n.view, n.facts, n.status, n.inputs = view, view.Facts(), view.Status(), view.Inputs()
	n.rev = view.Snapshot().Revision()
	for _, sw := range n.switches {
		sw.in, sw.out, sw.unanswered, sw.gone = nil, nil, nil, true
	}
}

// read1 reads the soft rules of a switch.
func (n *network) read1(id netview.DPID) {
	var rules []SoftRule
	for _, e := range n.switches[id].entries {
		if plan.Decode(e.Cookie).Kind == plan.KindPair {
			rules = append(rules, SoftRule{e.Match, e.Cookie, []uint32{e.Instructions[0].Actions[0].Port}, e.IdleTimeout})
		}
	}
	n.f.RulesListed(id, rules, true)
}

// pairCount is the number of pairs of all switches.
func (n *network) pairCount() (sum int) {
	for _, d := range n.f.switches.all() {
		sum += d.Pairs()
	}
	return sum
}

func TestPairsOfAnEarlierLifeAreTakenOver(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		n.allPairs(t)
		want, mods := n.pairCount(), n.pairMods
		for range 2 { // the second time, pairs of the life before the last one
			n.reborn(Config{})
			if got := n.pairCount(); got != want {
				t.Errorf("%d pairs are taken over, want %d", got, want)
			}
			if n.pairMods != mods {
				t.Errorf("%d flow-mods to take pairs over, want none", n.pairMods-mods)
			}
			if got := n.f.inherited.size(); got != 0 {
				t.Errorf("%d rules are left over", got)
			}
			n.softAgree(t)
		}
	})
}

// TestPairsTakenOverAreRepaired cuts a cable and drains after the restart: pairs move as if this
// life had made them, though no host is known.
func TestPairsTakenOverAreRepaired(t *testing.T) {
	meshes(t, func(t *testing.T, n *network) {
		n.reborn(Config{})
		at := n.anyCable()
		n.cut(at, true)
		if !n.connected() {
			return
		}
		n.rest()
		asked := n.packetIns()
		tr := n.traffic()
		tr.run(50)
		n.rest()
		tr.check(t)
		n.cut(at, false)
		n.rest()
		drained := n.anyPlace()
		n.drain(drained)
		tr.run(100)
		n.rest()
		tr.check(t)
		n.left(t, drained)
		if n.packetIns() != asked {
			t.Errorf("%d packets of pairs came to the controller", n.packetIns()-asked)
		}
	})
}

// TestPairsTakenOverRunOut: the end of one is heard, of the very rule.
func TestPairsTakenOverRunOut(t *testing.T) {
	everywhere(t, Config{}, func(t *testing.T, n *network) {
		n.allPairs(t)
		n.reborn(Config{})
		for _, id := range n.ids {
			d := n.f.switches.get(id)
			for _, e := range n.switches[id].entries {
				if e.Priority == plan.PriorityPair && e.Flags&openflow.FlagSendFlowRemoved != 0 {
					d.FlowRemoved(&openflow.FlowRemoved{Cookie: e.Cookie, Match: e.Match})
				}
			}
		}
		n.rest()
		if n.pairCount() != 0 || len(n.f.paths.All()) != 0 {
			t.Errorf("%d pairs, %d paths are still there", n.pairCount(), len(n.f.paths.All()))
		}
	})
}

// TestAnInstanceThatDiesWhileMoving is started again at any moment of drains and repairs: whatever
// is left, it never ends in a circle, and traffic goes on.
func TestAnInstanceThatDiesWhileMoving(t *testing.T) {
	meshes(t, func(t *testing.T, n *network) {
		tr := n.traffic()
		n.drain(n.anyPlace())
		tr.run(n.rng.IntN(40))
		n.dead()
		tr.run(20)
		for n.step() {
		}
		tr.check(t) // packets that are on the way find their rules: nobody deletes any
		n.reborn(Config{})
		tr.run(20)
		n.rest()
		tr.check(t)
		n.facts.Update(func(tx *netview.FactsTx) {
			for _, h := range n.hosts {
				tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: h.mac}, At: h.at})
			}
		})
		n.rest()
		n.wires = nil
		n.allPairs(t)
	})
}

// TestCirclesAreDeleted: rules that send a pair round, as a life that ended in the middle of a
// repair may have left them.
func TestCirclesAreDeleted(t *testing.T) {
	for _, tail := range []bool{false, true} {
		n := newNetwork(t, 1, openflow.V13, Config{})
		n.join(4, shapes["full"].edges)
		n.allPairs(t)
		a, b := n.at(1)[0], n.at(3)[0]
		circle := [][2]netview.DPID{{1, 2}, {2, 4}, {4, 1}}
		for _, sw := range n.switches {
			kept := sw.entries[:0]
			for _, e := range sw.entries {
				if pr, ok := pairs.OfMatch(e.Match); e.Priority != plan.PriorityPair || ok && pr.SrcHost().MAC != a.mac {
					kept = append(kept, e)
				}
			}
			sw.entries = kept
		}
		if tail {
			circle = [][2]netview.DPID{{1, 2}, {2, 3}, {3, 4}, {4, 2}}
		}
		for _, c := range circle {
			n.switches[c[0]].entries = append(n.switches[c[0]].entries, openflow.FlowMod{
				Table: 1, Priority: plan.PriorityPair,
				Cookie: plan.Cookie{Domain: 1, Kind: plan.KindPair, Owner: 9}.Encode(), IdleTimeout: 65,
				Match:        openflow.Match{OXM: pairs.Of(a.mac.Uint64(), b.mac.Uint64(), 0).AppendMatch(nil)},
				Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(n.linkPort(c[0], c[1]).Port))},
			})
		}
		n.reborn(Config{})
		n.rest()
		n.hops = 0
		n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1)) // a storm fails the test
	}
}

// TestRulesOfAnEarlierLifeThatLeadNowhereGo takes the last rule of a pair away while no instance is
// there, and its host to where the way from that switch leads back through the one that the pair
// enters at: nothing circles, and the pair begins anew.
func TestRulesOfAnEarlierLifeThatLeadNowhereGo(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		n := newNetwork(t, 1, v, Config{})
		n.join(3, [][2]int{{0, 1}, {0, 2}})
		all := n.stations()
		a, b := all[0], all[1]
		n.arrives(t, a, b, "before")
		end := n.switches[b.at.DPID]
		end.entries = slices.DeleteFunc(end.entries,
			func(e openflow.FlowMod) bool { return plan.Decode(e.Cookie).Kind == plan.KindPair })
		b.at = netview.Point{DPID: 3, Port: n.newPort(2).Port}
		n.reborn(Config{})
		n.locate(a, b)
		n.arrives(t, a, b, "after the host has moved and its old rule is gone")
		if got := n.f.inherited.size(); got != 0 {
			t.Errorf("%d rules of the previous instance are left", got)
		}
	}
}

// TestSourceAtALaterHopOfAnInheritedPath ends an adopted pair while the session of its last switch is dead, so that the
// rule there is not deleted; its source comes to that switch, and its destination leaves.
func TestSourceAtALaterHopOfAnInheritedPath(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, readFirst := range []bool{false, true} {
			n := newNetwork(t, 1, v, Config{})
			n.join(3, [][2]int{{0, 1}, {1, 2}})
			all := n.stations()
			a, b := all[0], all[1]
			n.arrives(t, a, b, "before")
			n.reborn(Config{})
			n.locate(a, b)
			if got := n.pairCount(); got != 1 {
				t.Fatalf("%d pairs are adopted, want 1", got)
			}
			first, last := n.switches[1], n.switches[2]
			n.stuck = last.id
			n.disconnect(first)
			n.reconnect(first)
			first.entries = slices.DeleteFunc(first.entries,
				func(e openflow.FlowMod) bool { return plan.Decode(e.Cookie).Kind == plan.KindPair })
			n.read1(first.id)
			n.rest()
			if got := n.pairCount(); got != 0 {
				t.Fatalf("%d pairs are left, want none", got)
			}
			n.disconnect(last)
			n.stuck = 0
			n.reconnect(last)
			a.at, b.at = b.at, n.newPlace()
			if readFirst {
				n.read1(last.id)
				n.settle()
			}
			n.locate(a, b)
			if !readFirst {
				n.read1(last.id)
				n.settle()
			}
			n.arrives(t, a, b, "after both hosts have moved")
			if got := n.f.inherited.size(); got != 0 {
				t.Errorf("OpenFlow %v, read first %v: %d rules of the previous instance are left", v, readFirst, got)
			}
		}
	}
}

// locate has discovery say where hosts are.
func (n *network) locate(hosts ...*station) {
	n.facts.Update(func(tx *netview.FactsTx) {
		for _, h := range hosts {
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: h.mac}, At: h.at})
		}
	})
	n.settle()
}

// size returns the number of rules of an earlier run that are not adopted.
func (r *inherited) size() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range maps.Values(r.at) {
		n += len(m)
	}
	return n
}
