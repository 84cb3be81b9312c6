package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// This file applies changes of the view to the tree's core: it marks what has to be recomputed, and
// decides nothing.

// changedTables is which tables have changed.
type changedTables struct{ switches, links, rules bool }

// noteChanges looks through changes and marks the switches that wait for confirmation and whose
// rules changed.
func (t *treeCore) noteChanges(changes []netview.Change) (what changedTables) {
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

// update applies the changes of switches and links.
func (t *treeCore) update(snap *netview.Snapshot, changes []netview.Change) {
	t.named = t.named[:0]
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case netview.KindSwitch:
			t.updateSwitch(snap, c.Switch.DPID)
		case netview.KindLink:
			t.updateLink(snap, c.Link.LinkKey)
			t.named = append(t.named, c.Link.LinkKey)
		}
	}
	t.updateForest(t.forest.Follow(snap, t.named))
}

// rebuild applies a whole snapshot.
func (t *treeCore) rebuild(snap *netview.Snapshot) {
	for row := range snap.Switches() {
		t.updateSwitch(snap, row.DPID)
	}
	for there, back := range snap.LinkPairs() {
		if there == nil {
			there = back
		}
		t.updateLink(snap, there.LinkKey)
	}
	for key := range t.index {
		t.updateLink(snap, key)
	}
	for dpid, sw := range t.switches {
		t.updateSwitch(snap, dpid)
		t.markLinksStale(sw)
	}
	t.updateForest(t.forest.Update(snap))
}

// updateSwitch applies a switch as it is now.
func (t *treeCore) updateSwitch(snap *netview.Snapshot, dpid netview.DPID) {
	row, ok := snap.Switch(dpid)
	if _, had := t.switches[dpid]; !ok && !had {
		return
	}
	sw := t.at(dpid)
	sw.row, sw.looked = row, false
	t.markRulesStale(sw)
}

// updateLink applies that a link exists, or does not any more.
func (t *treeCore) updateLink(snap *netview.Snapshot, key netview.LinkKey) {
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
			t.markLinksStale(sw)
		}
	}
}

// add adds a link.
func (t *treeCore) add(key netview.LinkKey) {
	i := t.slots.get()
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
	t.markLinksStale(a)
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
	t.slots.put(i)
}

// updateForest applies which links have entered or left the forest.
func (t *treeCore) updateForest(changed []netview.LinkKey) {
	for _, key := range changed {
		if i, ok := t.index[key]; ok {
			t.set(i, t.forest.Has(key), t.links[i].open)
		}
		for _, at := range []netview.Point{key.Src, key.Dst} {
			if sw, ok := t.switches[at.DPID]; ok {
				t.markRulesStale(sw)
			}
		}
	}
}

// updateInherited applies the parts of an earlier tree found since the last call. Switches with a
// tree ignore theirs; the others get a tree only when more is known of them.
func (t *treeCore) updateInherited() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, dpid := range t.read {
		if sw, ok := t.switches[dpid]; ok && !sw.published {
			sw.inherit(t.found[dpid])
			t.markLinksStale(sw)
		}
	}
	t.read = t.read[:0]
}

// set sets whether a link is in the forest, and open.
func (t *treeCore) set(i int32, in, open bool) {
	l := &t.links[i]
	if l.in && !l.open {
		t.notOpen--
	}
	if in && !open {
		t.notOpen++
	}
	if (l.in != in || l.open != open) && !l.differ {
		l.differ = true
		t.changedLinks = append(t.changedLinks, i)
	}
	l.in, l.open = in, open
}
