package broadcast

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
	"pgregory.net/rapid"
)

// history is what happens to a network, twice: once the tree follows it, and once the naive one
// does.
type history struct {
	t     *rapid.T
	sides [2]*side
	tree  *Broadcast
	naive *naiveTree
	to    map[netview.Point]netview.Point // where cables lead
	rev   netview.Revision                // that the trees have taken in
}

// side is one of the two views.
type side struct {
	view   *netview.View
	facts  *netview.Facts
	status *netview.Status
	inputs *netview.Inputs
	other  *netview.Desired
}

const (
	twinSwitches = 6
	twinPorts    = 4
)

func newHistory(t *rapid.T) *history {
	h := &history{t: t, to: make(map[netview.Point]netview.Point)}
	for i := range h.sides {
		v := netview.New(netview.Limits{})
		h.sides[i] = &side{v, v.Facts(), v.Status(), v.Inputs(), v.Desired("other")}
	}
	h.tree = New(Config{Domain: 1}, h.sides[0].view.Desired(RowOwner))
	for dpid := range netview.DPID(twinSwitches) {
		h.tree.Attach(dpid+1, nil) // of switches with a session nothing is forgotten
	}
	h.naive = newNaiveTree(Config{Domain: 1}, h.sides[1].view.Desired(RowOwner))
	return h
}

func (h *history) dpid(name string) netview.DPID {
	return netview.DPID(rapid.IntRange(1, twinSwitches).Draw(h.t, name))
}

func (h *history) point(name string) netview.Point {
	return netview.Point{DPID: h.dpid(name), Port: uint32(rapid.IntRange(1, twinPorts).Draw(h.t, name+" port"))}
}

// update changes facts, on both sides.
func (h *history) update(do func(tx *netview.FactsTx)) {
	for _, s := range h.sides {
		s.facts.Update(do)
	}
}

// putSwitch has a switch's row be as its session and cables are; odd is a port of which something
// else is known.
func (h *history) putSwitch(tx *netview.FactsTx, dpid netview.DPID, connected, settled bool, odd netview.Port) {
	row := &netview.Switch{DPID: dpid, Version: openflow.V13, Tables: 254, State: netview.SwitchReady,
		Connected: connected, Settled: settled}
	if dpid%3 == 0 {
		row.Version, row.Tables = openflow.V10, 1
	}
	for n := range uint32(twinPorts) {
		p := netview.Port{Number: n + 1, Up: true, Role: netview.PortEdge}
		if _, ok := h.to[netview.Point{DPID: dpid, Port: p.Number}]; ok {
			p.Role = netview.PortLink
		}
		if p.Number == odd.Number {
			p = odd
		}
		row.Ports = append(row.Ports, p)
	}
	tx.PutSwitch(row)
}

// again puts a switch's row again, with what is known of its cables now.
func (h *history) again(tx *netview.FactsTx, dpid netview.DPID) {
	if old, ok := tx.Switch(dpid); ok {
		h.putSwitch(tx, dpid, old.Connected, old.Settled, netview.Port{})
	}
}

// unplug takes away what is in a port. It returns the cable, or none.
func (h *history) unplug(at netview.Point) []netview.LinkKey {
	far, ok := h.to[at]
	if !ok {
		return nil
	}
	delete(h.to, at)
	delete(h.to, far)
	return []netview.LinkKey{{Src: at, Dst: far}, {Src: far, Dst: at}}
}

// plug puts a cable between two ports, in place of those that were there; linger says that the view
// shows the old links still.
func (h *history) plug(a, b netview.Point, state netview.LinkState, linger bool) {
	was := append(h.unplug(a), h.unplug(b)...)
	is := []netview.LinkKey{{Src: a, Dst: b}, {Src: b, Dst: a}}
	if a == b {
		is = nil
	} else {
		h.to[a], h.to[b] = b, a
	}
	h.update(func(tx *netview.FactsTx) {
		for _, key := range was {
			if linger {
				tx.PutLink(&netview.Link{LinkKey: key, State: netview.LinkConfirmed})
			} else {
				tx.DeleteLink(key)
			}
		}
		for _, key := range append(was, is...) {
			h.again(tx, key.Src.DPID)
		}
		for _, key := range is {
			tx.PutLink(&netview.Link{LinkKey: key, Up: true, State: state})
		}
	})
}

// cut takes a cable away: who was at its ends is not known now, and the ports may be down.
func (h *history) cut(a netview.Point, up bool) {
	was := h.unplug(a)
	h.update(func(tx *netview.FactsTx) {
		for _, key := range was {
			tx.PutLink(&netview.Link{LinkKey: key, State: netview.LinkConfirmed})
			if old, ok := tx.Switch(key.Src.DPID); ok {
				h.putSwitch(tx, key.Src.DPID, old.Connected, old.Settled, netview.Port{Number: key.Src.Port, Up: up})
			}
		}
	})
}

// answer has a switch say what became of the rules that are desired of it.
func (h *history) answer(dpid netview.DPID) {
	state := rapid.SampledFrom([]netview.RuleState{
		netview.RuleInstalled, netview.RuleInstalled, netview.RuleInstalled, netview.RuleInstalled,
		netview.RuleFailed, netview.RulePending,
	}).Draw(h.t, "becomes")
	reason := ""
	if state == netview.RuleFailed {
		reason = rapid.SampledFrom([]string{"table full", netview.ReasonUnanswered}).Draw(h.t, "reason")
	}
	most := rapid.SampledFrom([]int{100, 100, 100, 3}).Draw(h.t, "rules")
	for _, s := range h.sides {
		var results []netview.RuleResult
		for r := range s.view.Snapshot().Rules(dpid) {
			if len(results) < most {
				results = append(results, netview.RuleResult{Key: r.Key(), Rule: r, State: state, Reason: reason})
			}
		}
		s.status.Set(results)
	}
}

// happen is one thing that happens.
func (h *history) happen() {
	states := []netview.LinkState{netview.LinkConfirmed, netview.LinkConfirmed, netview.LinkUnconfirmed, netview.LinkShared}
	state := func() netview.LinkState { return rapid.SampledFrom(states).Draw(h.t, "state") }
	flag := func(name string) bool { return rapid.Bool().Draw(h.t, name) }
	mostly := func(name string) bool { return rapid.IntRange(0, 5).Draw(h.t, name) > 0 }
	switch op := rapid.IntRange(0, 31).Draw(h.t, "op"); {
	case op < 7:
		h.answer(h.dpid("answers"))
	case op < 9:
		for dpid := range netview.DPID(twinSwitches) {
			h.answer(dpid + 1)
		}
	case op < 14:
		h.plug(h.point("a"), h.point("b"), state(), flag("linger"))
	case op < 17:
		h.cut(h.point("cut"), flag("up"))
	case op < 20:
		dpid, connected, settled := h.dpid("row"), mostly("connected"), mostly("settled")
		h.update(func(tx *netview.FactsTx) { h.putSwitch(tx, dpid, connected, settled, netview.Port{}) })
	case op < 22:
		at, dpid := h.point("odd"), h.dpid("with")
		odd := netview.Port{Number: at.Port, Up: flag("up"), Role: netview.PortRole(rapid.IntRange(0, 3).Draw(h.t, "role"))}
		h.update(func(tx *netview.FactsTx) { h.putSwitch(tx, dpid, true, true, odd) })
	case op < 24:
		key, up, there := netview.LinkKey{Src: h.point("src"), Dst: h.point("dst")}, flag("up"), flag("there")
		h.update(func(tx *netview.FactsTx) {
			if there {
				tx.PutLink(&netview.Link{LinkKey: key, Up: up, State: netview.LinkConfirmed})
			} else {
				tx.DeleteLink(key)
			}
		})
	case op < 25:
		dpid := h.dpid("deleted")
		h.update(func(tx *netview.FactsTx) { tx.DeleteSwitch(dpid) })
	case op < 27:
		s := &netview.Settings{Ports: map[netview.Point]netview.PortSettings{h.point("drained"): {Drained: flag("port")}}}
		for _, side := range h.sides {
			side.inputs.Set(s)
		}
	case op < 28:
		h.update(func(tx *netview.FactsTx) { tx.SetSettled() })
	case op < 29:
		dpid, n := h.dpid("other"), rapid.IntRange(0, 1).Draw(h.t, "rules")
		for _, side := range h.sides {
			side.other.Update(func(tx *netview.DesiredTx) { tx.Set(dpid, make([]netview.Rule, n)) })
		}
	default:
		dpid := h.dpid("found")
		links := slices.Compact([]uint32{1, h.point("link").Port + 1})
		off := links[:rapid.IntRange(0, len(links)).Draw(h.t, "off")]
		h.tree.Inherit(dpid, TreePorts{links, off})
		h.naive.foundTree(dpid, links, off)
	}
}

// step has both take what has happened, or the first changes of it, or begin anew.
func (h *history) step() {
	limit := rapid.SampledFrom([]int{1 << 20, 1 << 20, 1 << 20, 1 << 20, 1}).Draw(h.t, "changes")
	anew := rapid.IntRange(0, 40).Draw(h.t, "anew") == 40
	var upto netview.Revision
	tree := func(snap *netview.Snapshot, changes []netview.Change, whole bool) {
		h.tree.Apply(topology.Update{Changes: changes, Reset: anew, Upto: upto, Snap: snap})
	}
	for i, step := range []func(*netview.Snapshot, []netview.Change, bool){tree, h.naive.step} {
		changes, to, snap, _ := h.sides[i].view.Follow(h.rev, limit)
		upto = to
		step(snap, changes, !anew && to == snap.Revision())
	}
	h.rev = upto
	h.compare()
}

// compare wants both to have come to the same.
func (h *history) compare() {
	t := h.tree.core
	published, pending, could := make(map[netview.DPID]treePorts), make(map[netview.DPID]netview.Revision),
		make(map[netview.DPID][]uint32)
	for dpid, sw := range t.net.switches {
		if sw.published {
			published[dpid], could[dpid] = sw.ports, sw.possible
		}
		if sw.unconfirmed {
			pending[dpid] = sw.rev
		}
	}
	h.same("published", fmt.Sprint(published), fmt.Sprint(h.naive.published))
	h.same("pending", fmt.Sprint(pending), fmt.Sprint(h.naive.pending))
	h.same("could", fmt.Sprint(could), fmt.Sprint(h.naive.could))
	h.same("leaving links", fmt.Sprint(t.use.leaving), fmt.Sprint(h.naive.leaving()))
	for dpid := range netview.DPID(twinSwitches + 1) {
		h.same("forest", fmt.Sprint(t.forest.Ports(dpid)), fmt.Sprint(h.naive.forest.Ports(dpid)))
	}
	for i := range 2 {
		h.same("revision", fmt.Sprint(h.sides[i].view.Snapshot().Revision()), fmt.Sprint(h.sides[0].view.Snapshot().Revision()))
	}
	h.kept()
}

// leaving are the links that are to leave the tree, or may not have left.
func (t *naiveTree) leaving() map[netview.LinkKey]bool {
	leaving := make(map[netview.LinkKey]bool)
	for key, leaves := range t.state {
		if leaves {
			leaving[key] = true
		}
	}
	return leaving
}

func (h *history) same(what, got, want string) {
	h.t.Helper()
	if got != want {
		h.t.Fatalf("%s:\n%s, want\n%s", what, got, want)
	}
}

// kept wants what the core keeps to fit together.
func (h *history) kept() {
	t := &h.tree.core.net
	fresh, links, told := 0, 0, 0
	for i := range t.links {
		l := &t.links[i]
		if l.a == nil {
			continue
		}
		links++
		if l.in && !l.open {
			fresh++
		}
		if t.index[l.key] != int32(i) || !slices.Contains(l.a.links, int32(i)) ||
			!slices.Contains(l.b.links, int32(i)) || t.switches[l.a.dpid] != l.a {
			h.t.Fatalf("link %s is not where it belongs", l.key)
		}
	}
	for _, sw := range t.switches {
		if sw.published {
			told++
		}
	}
	if fresh != t.notOpen || links != len(t.index) || told != h.tree.core.trees {
		h.t.Fatalf("%d fresh links of %d, %d switches with a tree: counted are %d, %d, %d", t.notOpen, len(t.index),
			h.tree.core.trees, fresh, links, told)
	}
	if len(t.gone)+len(t.staleRules) > 0 {
		h.t.Fatalf("%d links are gone, %d switches are stale after a step", len(t.gone), len(t.staleRules))
	}
}

// TestTreeLikeOneComputedAnew: after each step of any history the tree is what it is when
// everything is computed anew each time.
func TestTreeLikeOneComputedAnew(t *testing.T) {
	for range need.Rounds(10) {
		rapid.Check(t, oneHistory)
	}
}

func oneHistory(t *rapid.T) {
	h := newHistory(t)
	h.update(func(tx *netview.FactsTx) {
		for dpid := range netview.DPID(twinSwitches) {
			h.putSwitch(tx, dpid+1, true, true, netview.Port{})
		}
	})
	if rapid.Bool().Draw(t, "settled") {
		h.update(func(tx *netview.FactsTx) { tx.SetSettled() })
	}
	for range rapid.IntRange(1, 120).Draw(t, "length") {
		h.happen()
		if rapid.IntRange(0, 2).Draw(t, "step") > 0 {
			h.step()
		}
	}
}
