package intent

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// all is a wide intent of all that comes in at a point.
func all(id string, from, to netview.Point) spec.Spec {
	return spec.Spec{ID: id, Kind: spec.PointToPoint, Priority: 100, Wide: true,
		Src: []spec.End{{Point: from}}, Dst: []spec.End{{Point: to}}}
}

// ids are the tags of an intent, by where packets come in with them.
func (n *network) ids(id string) string {
	in, _ := n.engine.Get(id)
	text := ""
	if in.Rules == nil {
		return text
	}
	for _, h := range in.Rules.Legs[0].Route.Hops {
		if h.Tag != 0 {
			text += fmt.Sprintf(" %d/%d:%d", h.DPID, h.In, h.Tag)
		}
	}
	return strings.TrimSpace(text)
}

func (n *network) wantIDs(id, want string) {
	n.t.Helper()
	if got := n.ids(id); got != want {
		n.t.Fatalf("the tags of %s are %q, want %q", id, got, want)
	}
}

// wantText wants an intent that failed to say why, and to be tried again.
func (n *network) wantText(id, want string) {
	n.t.Helper()
	if in, _ := n.engine.Get(id); !strings.Contains(in.Text, want) || !in.Retrying {
		n.t.Errorf("intent %s says %q, retrying %t, want %q", id, in.Text, in.Retrying, want)
	}
}

// TestTagsOfALink: wide intents over one link have an id each there, the lowest that is free; one that goes another way has
// ids of its own there. They are the same after a restart, which writes nothing.
func TestTagsOfALink(t *testing.T) {
	n := square(t)
	n.put(link(1, 2, 3, 1), false, netview.LinkConfirmed)
	n.submit(false, Request{Op: Create, Spec: all("a", at(1, 9), at(4, 9))},
		Request{Op: Create, Spec: all("b", at(1, 10), at(2, 9))},
		Request{Op: Create, Spec: all("c", at(1, 11), at(4, 9))})
	n.rest()
	n.wantIDs("a", "2/1:1 4/1:1")
	n.wantIDs("b", "2/1:2")
	n.wantIDs("c", "2/1:3 4/1:2")
	n.submit(false, Request{Op: Withdraw, ID: "a"})
	n.rest()
	n.submit(false, Request{Op: Create, Spec: all("d", at(1, 12), at(4, 9))})
	n.rest()
	n.wantIDs("c", "2/1:3 4/1:2")
	n.wantIDs("d", "2/1:1 4/1:1")
	n.wrote, n.chosen.appends = 0, 0
	n.start()
	n.rest()
	n.wantIDs("c", "2/1:3 4/1:2")
	n.wantIDs("d", "2/1:1 4/1:1")
	if n.wrote+n.chosen.appends > 0 {
		t.Errorf("%d rules and %d decisions written after a restart", n.wrote, n.chosen.appends)
	}
	n.put(link(1, 2, 3, 1), true, netview.LinkConfirmed)
	n.put(link(2, 2, 4, 1), false, netview.LinkConfirmed)
	n.rest()
	n.wantIDs("b", "2/1:2")
	n.wantIDs("c", "3/1:2 4/2:2")
	n.wantIDs("d", "3/1:1 4/2:1")
	n.checkWanted(t.Fatalf)
}

// TestFullLink: 4,094 wide intents share a link. The next one goes another way, and is refused where there is none, with
// the link's name; it goes on when one of them has gone.
func TestFullLink(t *testing.T) {
	n := newNetwork(t, 3)
	n.cable(1, 1, 2, 1)
	reqs := make([]Request, 0, pathing.TagMax+1)
	for i := range pathing.TagMax + 1 {
		s := toward(fmt.Sprint("i", i), at(1, 9), at(2, 9), uint64(0x0b000000+i))
		reqs = append(reqs, Request{Op: Create, Spec: s})
	}
	for len(reqs) > 0 {
		batch := reqs[:min(len(reqs), MaxAdmitted)]
		n.submit(false, batch...)
		n.rest()
		reqs = reqs[len(batch):]
	}
	last := fmt.Sprint("i", pathing.TagMax)
	n.wantState("i0", "installed")
	n.wantState(fmt.Sprint("i", pathing.TagMax-1), "installed")
	n.wantState(last, "failed(no-tag)")
	n.wantText(last, "link 0000000000000001/1->0000000000000002/1: all VLAN ids")
	n.cable(1, 2, 3, 1)
	n.cable(3, 2, 2, 2)
	n.rest()
	n.wantState(last, "installed")
	n.wantIDs(last, "3/1:1 2/2:1")
	n.put(link(3, 2, 2, 2), false, netview.LinkConfirmed)
	n.rest()
	n.wantState(last, "failed(no-tag)")
	n.submit(false, Request{Op: Withdraw, ID: "i7"})
	n.rest()
	n.wantState(last, "installed")
	n.wantIDs(last, "2/1:8")
	n.checkWanted(t.Fatalf)
}

// untag makes of the decision of an intent the one that an earlier version made, without tags, and of its rules those.
func (n *network) untag(number uint32) {
	e := n.engine.core.entries.At(number)
	s := spec.Read(e.content)
	path, _, p := n.engine.core.compiler.paths(number, &s, topology.Filter{})
	if p.code != NoCode {
		n.t.Fatal(p.text)
	}
	n.chosen.live[number] = path.Append(binary.BigEndian.AppendUint16([]byte{1}, e.version))
	for at, h := range n.holds {
		if h.number == number {
			delete(n.holds, at)
		}
	}
	g := n.engine.core.compiler.ruleSet(number, &s, path, nil)
	for r := range g.Len() {
		_, hop := g.At(r)
		n.holds[placeOf(g, r)] = held{number, hop}
	}
}

// TestOlderWideIntents: wide intents of a version without tags are taken over as they are, without a write, and then moved
// onto tags: switches beyond the first before it.
func TestOlderWideIntents(t *testing.T) {
	n := square(t)
	tree := all("tree", at(1, 10), at(2, 9))
	tree.Kind, tree.Priority, tree.Dst = spec.PointToMultipoint, 99, []spec.End{{Point: at(2, 9)}, {Point: at(4, 12)}}
	way := spec.Spec{ID: "way", Kind: spec.Path, Priority: 1, Wide: true,
		Hops: []topology.Hop{{DPID: 2, In: 10, Out: 1}, {DPID: 1, In: 1, Out: 12}}}
	n.submit(false, Request{Op: Create, Spec: all("a", at(1, 9), at(4, 9))}, Request{Op: Create, Spec: tree},
		Request{Op: Create, Spec: way})
	n.rest()
	for number := range uint32(3) {
		n.untag(number + 1)
	}
	n.start()
	n.wrote = 0
	n.engine.Step(time.Time{})
	if count, _ := n.engine.Wide(9); count != 3 {
		t.Errorf("%d intents take packets of others, want 3", count)
	}
	for n.engine.core.planner.moves.Taken() == 0 {
		n.answer()
		next := n.engine.Step(time.Time{})
		if next.After(n.now) {
			n.now = next
		}
	}
	if n.wrote > 0 {
		t.Errorf("%d rules written before they were taken over", n.wrote)
	}
	entered := map[netview.Point]bool{at(1, 9): true, at(1, 10): true, at(2, 10): true}
	n.moment = func() {
		for here, h := range n.holds {
			if here.priority == plan.PriorityTag || !entered[at(here.dpid, here.in)] {
				continue
			}
			for _, w := range h.ways() { // who is sent there with a tag finds a rule
				for l := range n.view.Snapshot().LinksFromPoint(at(here.dpid, w.Port)) {
					if _, ok := n.holds[place(l.Dst, w.Tag, 0, nil)]; w.Tag != 0 && !ok {
						t.Fatalf("packets go to %v with tag %d, and nobody takes them", l.Dst, w.Tag)
					}
				}
			}
		}
	}
	n.rest()
	n.wantExposed()
	n.wantTagged("a", "tree", "way")
	n.checkWanted(t.Fatalf)
}

// TestNoTag: where packets cannot be tagged, an intent goes another way, or says at which switch or link.
func TestNoTag(t *testing.T) {
	n := square(t)
	n.facts.Update(func(tx *netview.FactsTx) {
		was, _ := tx.Switch(1)
		row := *was
		row.Version, row.Tables = openflow.V10, 1
		tx.PutSwitch(&row)
	})
	untagged := all("untagged", at(1, 10), at(4, 10))
	untagged.Selector.SetUint(openflow.FieldVLANVID, 0)
	n.submit(false, Request{Op: Create, Spec: all("any", at(1, 9), at(4, 9))}, Request{Op: Create, Spec: untagged},
		Request{Op: Create, Spec: all("across", at(2, 9), at(3, 9))})
	n.rest()
	n.wantState("any", "failed(no-tag)")
	n.wantText("any", "switch 0000000000000001, where packets come in, speaks OpenFlow 1.0")
	n.wantState("untagged", "installed")
	n.wantState("across", "installed")
	narrow := func(k netview.LinkKey) {
		n.facts.Update(func(tx *netview.FactsTx) {
			tx.PutLink(&netview.Link{LinkKey: k, Up: true, State: netview.LinkConfirmed, Since: n.now,
				Width: netview.WidthNarrow})
		})
	}
	narrow(link(2, 2, 4, 1))
	n.submit(false, Request{Op: Create, Spec: all("wide", at(2, 11), at(4, 11))},
		Request{Op: Create, Spec: flow("own", at(2, 12), at(4, 12), 1)})
	n.rest()
	if got := n.ids("wide"); !strings.HasPrefix(got, "1/1:") || !strings.Contains(got, " 3/1:") {
		t.Errorf("the tags of wide are %q, want it to go by switches 1 and 3", got)
	}
	n.wantState("own", "installed")
	if in, _ := n.engine.Get("own"); len(in.Rules.Legs[0].Route.Hops) != 2 {
		t.Errorf("one that is not wide goes by %v", in.Rules.Legs[0].Route)
	}
	narrow(link(1, 2, 3, 1))
	n.submit(false)
	n.rest()
	if got := n.ids("wide"); !strings.HasPrefix(got, "1/1:") {
		t.Errorf("the tags of wide are %q: there is no way that is not narrow, want those of before", got)
	}
	n.wantState("wide", "installed")
	narrow(link(3, 2, 4, 2))
	n.submit(false, Request{Op: Create, Spec: all("none", at(2, 13), at(4, 13))})
	n.rest()
	n.wantState("none", "failed(no-tag)")
	n.wantText("none", "link 0000000000000002/2->0000000000000004/1: frames with a tag")
}

// TestLinkBecomesNarrow: tagged packets leave a link that turns out to be narrow, by a change without loss; those of
// intents that are not wide stay.
func TestLinkBecomesNarrow(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: all("wide", at(2, 11), at(4, 11))},
		Request{Op: Create, Spec: flow("own", at(2, 12), at(4, 12), 1)})
	n.rest()
	before := n.ids("wide")
	if !strings.HasPrefix(before, "4/1:") {
		t.Fatalf("the tags of wide are %q, want it to go straight", before)
	}
	n.facts.Update(func(tx *netview.FactsTx) {
		tx.PutLink(&netview.Link{LinkKey: link(2, 2, 4, 1), Up: true, State: netview.LinkConfirmed, Since: n.now,
			Width: netview.WidthNarrow})
	})
	n.rest()
	if got := n.ids("wide"); !strings.HasPrefix(got, "1/1:") || !strings.Contains(got, " 3/1:") {
		t.Errorf("the tags of wide are %q, want it to go by switches 1 and 3", got)
	}
	n.wantState("wide", "installed")
	if in, _ := n.engine.Get("own"); len(in.Rules.Legs[0].Route.Hops) != 2 {
		t.Errorf("one that is not wide goes by %v", in.Rules.Legs[0].Route)
	}
}

// TestOtherWayLater: a tagged intent on a narrow link that had no other way takes one that comes up.
func TestOtherWayLater(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: all("wide", at(2, 11), at(4, 11))})
	n.rest()
	other := []netview.LinkKey{link(1, 2, 3, 1), link(3, 1, 1, 2)}
	for _, k := range other {
		n.put(k, false, netview.LinkConfirmed)
	}
	n.facts.Update(func(tx *netview.FactsTx) {
		tx.PutLink(&netview.Link{LinkKey: link(2, 2, 4, 1), Up: true, State: netview.LinkConfirmed, Since: n.now,
			Width: netview.WidthNarrow})
	})
	n.rest()
	if got := n.ids("wide"); !strings.HasPrefix(got, "4/1:") {
		t.Fatalf("the tags of wide are %q: there is no other way", got)
	}
	for _, k := range other {
		n.put(k, true, netview.LinkConfirmed)
	}
	n.rest()
	if got := n.ids("wide"); !strings.HasPrefix(got, "1/1:") {
		t.Errorf("the tags of wide are %q, want it to go by switches 1 and 3", got)
	}
}
