package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// This file takes changes of the view into the tree's core: it notes what is to be looked at for them, and decides nothing.

// seen says which tables have changed.
type seen struct{ switches, links, rules bool }

// notice looks through changes. What it says of rules, switches that wait are to be looked at again for.
func (t *treeCore) notice(changes []netview.Change) (what seen) {
	var last netview.DPID // most changes of rules are of the switch of the one before
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case netview.KindSwitch:
			what.switches = true
		case netview.KindLink:
			what.links = true
		case netview.KindRule:
			if what.rules && c.Rule.DPID == last {
				continue
			}
			what.rules, last = true, c.Rule.DPID
			if sw, ok := t.switches[last]; ok {
				sw.looked = false
			}
		}
	}
	return what
}

// take takes in the switches and links that have changed.
func (t *treeCore) take(snap *netview.Snapshot, changes []netview.Change) {
	t.named = t.named[:0]
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case netview.KindSwitch:
			t.takeSwitch(snap, c.Switch.DPID)
		case netview.KindLink:
			t.takeLink(snap, c.Link.LinkKey)
			t.named = append(t.named, c.Link.LinkKey)
		}
	}
	t.grow(t.forest.Follow(snap, t.named))
}

// takeAll takes in everything.
func (t *treeCore) takeAll(snap *netview.Snapshot) {
	for row := range snap.Switches() {
		t.takeSwitch(snap, row.DPID)
	}
	for there, back := range snap.LinkPairs() {
		if there == nil {
			there = back
		}
		t.takeLink(snap, there.LinkKey)
	}
	for key := range t.index {
		t.takeLink(snap, key)
	}
	for dpid, sw := range t.switches {
		t.takeSwitch(snap, dpid)
		t.doubt(sw)
	}
	t.grow(t.forest.Update(snap))
}

// takeSwitch takes in a switch as it is now.
func (t *treeCore) takeSwitch(snap *netview.Snapshot, dpid netview.DPID) {
	row, ok := snap.Switch(dpid)
	if _, had := t.switches[dpid]; !ok && !had {
		return
	}
	sw := t.at(dpid)
	sw.row, sw.looked = row, false
	t.refresh(sw)
}

// takeLink takes in that a link is there, or is not any more.
func (t *treeCore) takeLink(snap *netview.Snapshot, key netview.LinkKey) {
	if key.Src.Compare(key.Dst) > 0 {
		key = key.Reverse()
	}
	_, there := snap.Link(key)
	_, back := snap.Link(key.Reverse())
	i, had := t.index[key]
	switch {
	case (there || back) && !had:
		t.add(key)
	case !there && !back && had:
		t.drop(i)
	}
	for _, end := range [...]netview.Point{key.Src, key.Dst} { // which of the links at a port are up says which are replaced
		if sw, ok := t.switches[end.DPID]; ok {
			t.doubt(sw)
		}
	}
}

// add adds a link.
func (t *treeCore) add(key netview.LinkKey) {
	i := t.slots.take()
	if int(i) == len(t.links) {
		t.links = append(t.links, treeLink{})
	}
	a, b := t.at(key.Src.DPID), t.at(key.Dst.DPID)
	t.links[i] = treeLink{key: key, a: a, b: b, na: a.number, nb: b.number}
	t.index[key] = i
	a.links = append(a.links, i)
	if a != b {
		b.links = append(b.links, i)
	}
	t.doubt(a)
}

// drop drops a link.
func (t *treeCore) drop(i int32) {
	l := &t.links[i]
	t.set(i, false, false)
	if l.said != unused {
		t.gone = append(t.gone, l.key)
	}
	for _, sw := range []*treeSwitch{l.a, l.b} {
		sw.links = slices.DeleteFunc(sw.links, func(j int32) bool { return j == i })
	}
	delete(t.index, l.key)
	*l = treeLink{}
	t.slots.give(i)
}

// grow takes in which links have come into the forest or are not in it any more.
func (t *treeCore) grow(changed []netview.LinkKey) {
	for _, key := range changed {
		if i, ok := t.index[key]; ok {
			t.set(i, t.forest.Has(key), t.links[i].open)
		}
		for _, at := range []netview.Point{key.Src, key.Dst} {
			if sw, ok := t.switches[at.DPID]; ok {
				t.refresh(sw)
			}
		}
	}
}

// takeFound takes in what was found on switches since it was called last. Of those that have a tree it says nothing any more; the
// others get theirs only when more is known of them.
func (t *treeCore) takeFound() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, dpid := range t.read {
		if sw, ok := t.switches[dpid]; ok && !sw.told {
			sw.inherit(t.found[dpid])
			t.doubt(sw)
		}
	}
	t.read = t.read[:0]
}

// set notes whether a link is in the forest, and open.
func (t *treeCore) set(i int32, in, open bool) {
	l := &t.links[i]
	if l.in && !l.open {
		t.fresh--
	}
	if in && !open {
		t.fresh++
	}
	if (l.in != in || l.open != open) && !l.differ {
		l.differ = true
		t.differ = append(t.differ, i)
	}
	l.in, l.open = in, open
}
