package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// This file says which links may be added to the tree now.
//
// A link forwards broadcasts only if both its ends hold it to be in the tree: an end that does not sends nothing there,
// and drops what comes from there. So a link that is taken out is closed as soon as one of its ends has confirmed, and
// an end that does not answer holds up nobody but those links that would make a loop with what it may still forward.
// One that would is given to one of its ends already: when the other is closed, one switch is left to be told.

// lacks is what the view says of the tree's rules at a switch.
type lacks struct {
	pending bool // some are on their way
	failed  bool // some were refused, or failed otherwise
	unsure  bool // nobody knows what the switch holds in the place of some
}

// look brings what is known of a switch's rules up to date.
func (sw *treeSwitch) look(snap *netview.Snapshot) {
	sw.looked, sw.lacks = true, lacks{}
	for r := range snap.Rules(sw.dpid) {
		if r.Owner == Owner {
			sw.lacks.pending = sw.lacks.pending || r.State == netview.RulePending
			sw.lacks.failed = sw.lacks.failed || r.State == netview.RuleFailed
			sw.lacks.unsure = sw.lacks.unsure || r.Unsure()
		}
	}
}

// confirm notes which switches hold what was published last, and nothing else. It tells whether there were any, or such as
// hold what they can (see quiet).
func (t *treeCore) confirm(snap *netview.Snapshot) bool {
	any := false
	t.waiting = slices.DeleteFunc(t.waiting, func(sw *treeSwitch) bool {
		if !sw.waits || snap.Revision() < sw.rev {
			return !sw.waits
		}
		if !sw.looked {
			sw.look(snap)
			t.doubt(sw)
		}
		if sw.row != nil && sw.row.Connected && !sw.lacks.pending && !sw.lacks.failed {
			sw.could, sw.waits = sw.ports.inTree(), false
			t.doubt(sw)
		}
		any = any || !sw.lacks.pending
		return !sw.waits
	})
	return any
}

// quiet tells whether nothing more can be waited for at a switch: it holds what it can. One that lost its connection before
// it confirmed, or that answers nothing, may not have been told: it goes on with what it held, and is waited for.
func (sw *treeSwitch) quiet(snap *netview.Snapshot) bool {
	if !sw.waits {
		return true
	}
	if snap.Revision() < sw.rev {
		return false
	}
	if !sw.looked {
		sw.look(snap)
	}
	return sw.row != nil && sw.row.Connected && !sw.lacks.pending && !sw.lacks.unsure
}

// mayForward tells whether a switch may hold rules that have a port in the tree.
func (sw *treeSwitch) mayForward(port uint32) bool {
	return !sw.known || slices.Contains(sw.could, port)
}

// left tells whether a switch was told that a port is not in the tree, and holds what it can.
func (sw *treeSwitch) left(snap *netview.Snapshot, port uint32) bool {
	return sw.told && !slices.Contains(sw.ports.out, port) && sw.quiet(snap)
}

// isOpen tells whether a link may carry broadcasts now. Where both ends refused a rule there is nothing to wait for: what they
// forward is what they were told last.
func (l *treeLink) isOpen(snap *netview.Snapshot) bool {
	return !replaced(snap, l.key) && l.a.mayForward(l.key.Src.Port) && l.b.mayForward(l.key.Dst.Port) &&
		!(l.a.left(snap, l.key.Src.Port) && l.b.left(snap, l.key.Dst.Port))
}

// replaced reports whether a link is down, and both its ports have other links that are up: its cable is there no more, or never was (a probe that strayed
// is one link for a moment, and its row stays as long as any). What its ports forward goes along the others.
func replaced(snap *netview.Snapshot, key netview.LinkKey) bool {
	for _, way := range [...]netview.LinkKey{key, key.Reverse()} {
		if l, ok := snap.Link(way); ok && l.Up {
			return false
		}
	}
	return linked(snap, key.Src) && linked(snap, key.Dst)
}

// linked reports whether a port has a link that is up.
func linked(snap *netview.Snapshot, at netview.Point) bool {
	for l := range snap.LinksFromPoint(at) {
		if l.Up {
			return true
		}
	}
	return false
}

// judge says which links are open, of those at switches that are in doubt.
func (t *treeCore) judge(snap *netview.Snapshot) {
	for _, sw := range t.unsure {
		sw.unsure = false
		for _, i := range sw.links {
			t.set(i, t.links[i].in, t.links[i].isOpen(snap))
		}
	}
	t.unsure = t.unsure[:0]
}

// withhold says which ports of the forest cannot be in the tree yet.
func (t *treeCore) withhold() {
	if t.fresh == 0 && len(t.held) == 0 {
		return
	}
	held := t.holdBack()
	for _, was := range [][]netview.Point{t.held, held} {
		for _, at := range was {
			if sw, ok := t.switches[at.DPID]; ok && !(holds(t.held, at) && holds(held, at)) {
				t.refresh(sw)
			}
		}
	}
	t.held = held
}

// holdBack finds the links of the forest that would make a loop with those that are open, in the order of their keys, and for each the
// end that is not to forward yet; in order.
func (t *treeCore) holdBack() (held []netview.Point) {
	if t.fresh == 0 {
		return nil
	}
	t.sets.Reset(int(t.numbers.next))
	var fresh []*treeLink
	for i := range t.links {
		switch l := &t.links[i]; {
		case l.open:
			t.sets.Join(l.na, l.nb)
		case l.in:
			fresh = append(fresh, l)
		}
	}
	slices.SortFunc(fresh, func(l, m *treeLink) int { return l.key.Compare(m.key) })
	for _, l := range fresh {
		switch {
		case t.sets.Join(l.na, l.nb):
		case l.a.mayForward(l.key.Src.Port):
			held = append(held, l.key.Dst)
		default:
			held = append(held, l.key.Src)
		}
	}
	slices.SortFunc(held, netview.Point.Compare)
	return held
}

// holds tells whether a point is among some in order.
func holds(held []netview.Point, at netview.Point) bool {
	_, ok := slices.BinarySearchFunc(held, at, netview.Point.Compare)
	return ok
}

// heldAt are the ports of a switch that are held back.
func (t *treeCore) heldAt(dpid netview.DPID) []netview.Point {
	first, _ := slices.BinarySearchFunc(t.held, netview.Point{DPID: dpid}, netview.Point.Compare)
	last := first
	for last < len(t.held) && t.held[last].DPID == dpid {
		last++
	}
	return t.held[first:last]
}
