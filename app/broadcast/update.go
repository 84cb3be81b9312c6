package broadcast

import "github.com/weirnet/weir/netview"

// This file applies changes of the view to the tree's core: it marks what has to be recomputed, and
// decides nothing.

// changedTables is which tables have changed.
type changedTables struct{ switches, links, rules bool }

// noteChanges looks through changes and marks the switches that wait for confirmation and whose
// rules changed.
func (c *core) noteChanges(changes []netview.Change) (what changedTables) {
	var last netview.DPID // most changes of rules are of the switch of the one before
	for i := range changes {
		switch ch := &changes[i]; ch.Kind {
		case netview.KindSwitch:
			what.switches = true
		case netview.KindLink:
			what.links = true
		case netview.KindRule:
			if what.rules && ch.Rule.DPID == last {
				continue
			}
			what.rules, last = true, ch.Rule.DPID
			if sw, ok := c.net.switches[last]; ok {
				sw.looked = false
			}
		}
	}
	return what
}

// update applies the changes of switches and links.
func (c *core) update(snap *netview.Snapshot, changes []netview.Change) {
	c.named = c.named[:0]
	for i := range changes {
		switch ch := &changes[i]; ch.Kind {
		case netview.KindSwitch:
			c.net.updateSwitch(snap, ch.Switch.DPID)
		case netview.KindLink:
			c.net.updateLink(snap, ch.Link.LinkKey)
			c.named = append(c.named, ch.Link.LinkKey)
		}
	}
	c.updateForest(c.forest.Follow(snap, c.named))
}

// rebuild applies a whole snapshot.
func (c *core) rebuild(snap *netview.Snapshot) {
	for row := range snap.Switches() {
		c.net.updateSwitch(snap, row.DPID)
	}
	for there, back := range snap.LinkPairs() {
		if there == nil {
			there = back
		}
		c.net.updateLink(snap, there.LinkKey)
	}
	for key := range c.net.index {
		c.net.updateLink(snap, key)
	}
	for dpid, sw := range c.net.switches {
		c.net.updateSwitch(snap, dpid)
		c.net.markLinksStale(sw)
	}
	c.updateForest(c.forest.Update(snap))
}

// updateForest applies which links have entered or left the forest.
func (c *core) updateForest(changed []netview.LinkKey) {
	for _, key := range changed {
		if i, ok := c.net.index[key]; ok {
			c.net.set(i, c.forest.Has(key), c.net.links[i].open)
		}
		for _, at := range []netview.Point{key.Src, key.Dst} {
			if sw, ok := c.net.switches[at.DPID]; ok {
				c.net.markRulesStale(sw)
			}
		}
	}
}

// applyFound applies the parts of an earlier tree found since the last call. Switches with a tree ignore
// theirs; the others get a tree only when more is known of them.
func (c *core) applyFound() {
	for _, dpid := range c.read {
		if sw, ok := c.net.switches[dpid]; ok && !sw.published {
			sw.inherit(c.net.found[dpid])
			c.net.markLinksStale(sw)
		}
	}
	c.read = c.read[:0]
}
