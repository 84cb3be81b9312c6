package broadcast

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// input is what has happened since the last step.
type input struct {
	snap    *netview.Snapshot
	changes []netview.Change
	whole   bool      // the changes name all in which the snapshot differs from that of the last step
	found   []foundAt // what was read of an earlier run's tree
}

// ready is what is to be done.
type ready struct {
	rows    []switchRows   // to be desired; if there are any, published is called before the next step
	deleted []netview.DPID // switches that the view has no more
}

// core decides which links the tree has, and the rules of the switches. A change removes links at once, and
// adds a link when it can make no loop with what may still forward along the removed ones (open.go); so no
// two trees ever forward together.
type core struct {
	net         records
	rows        rowPlan
	use         *use // what others are told
	forest      *topology.Forest
	settled     bool          // of the last snapshot
	trees       int           // switches that have a tree
	written     []*treeSwitch // whose rows the last step returned
	unconfirmed []*treeSwitch // switches that have not confirmed what was published last, among others
	held        heldBack      // ports of the forest that cannot be in the tree yet
	sets        topology.UnionFind
	read        []netview.DPID    // whose part of an earlier tree was found and is not applied
	named       []netview.LinkKey // links that have changed in this step
}

func newCore(cfg Config, use *use) *core {
	return &core{net: newRecords(), rows: rowPlan{cfg.Domain, cfg.Unknown}, use: use, forest: topology.NewForest()}
}

// resetForest starts a new forest.
func (c *core) resetForest() {
	c.forest.Restart()
	for dpid, found := range c.net.found {
		for _, port := range found.off {
			c.forest.Avoid(netview.Point{DPID: dpid, Port: port})
		}
	}
}

// step compares the desired tree with the published one, and takes the next step from one to the
// other. The confirmations it waits for are changes of rules, on which it is called again.
func (c *core) step(in input) (r ready) {
	for _, f := range in.found {
		c.net.found[f.dpid] = f.tree
		c.read = append(c.read, f.dpid)
	}
	snap := in.snap
	what := c.noteChanges(in.changes)
	again := snap.Settled() != c.settled
	changed := what.switches || what.links || again || !in.whole
	if changed {
		c.settled = snap.Settled()
		if c.trees == 0 {
			c.resetForest() // nobody forwards along it yet: the order in which links were found must not matter
		}
		if again || !in.whole {
			c.rebuild(snap)
		} else {
			c.update(snap, in.changes)
		}
	}
	if confirmed := (changed || what.rules) && c.confirm(snap); !confirmed && !changed {
		return r
	}
	c.applyFound()
	c.updateOpen(snap)
	c.updateHeldBack()
	r.deleted = c.choose()
	for _, sw := range c.written {
		sw.possible, sw.known = union(sw.possible, sw.next.inTree()), true
		c.use.setPossible(sw.dpid, sw.possible)
		r.rows = append(r.rows, c.rows.of(sw.row, sw.next))
	}
	if len(r.rows) == 0 {
		c.updateOpen(snap)
		c.use.set(c.net.takeChanged())
	}
	return r
}

// choose finds the switches, of those with stale rules, whose rows are to be written; and returns those that
// are in the view no more. A switch gets its first tree when everything behind its ports is known; before
// that it keeps what it holds from an earlier run.
func (c *core) choose() (deleted []netview.DPID) {
	c.written = c.written[:0]
	for _, sw := range c.net.staleRules {
		sw.rulesStale = false
		switch {
		case sw.row == nil:
			c.forget(sw)
			deleted = append(deleted, sw.dpid)
		case sw.published || c.settled && sw.row.Settled && sw.row.Connected && allRolesKnown(sw.row):
			if sw.next = c.ports(sw); !sw.published || !sw.next.equal(sw.ports) {
				c.written = append(c.written, sw)
			}
		}
	}
	c.net.staleRules = c.net.staleRules[:0]
	slices.SortFunc(c.written, func(a, b *treeSwitch) int { return cmp.Compare(a.dpid, b.dpid) })
	return deleted
}

// forget drops a switch that the view does not have any more.
func (c *core) forget(sw *treeSwitch) {
	if sw.published {
		c.trees--
	}
	sw.unconfirmed = false
	c.use.setPossible(sw.dpid, nil)
	c.net.remove(sw)
}

// forgetFound drops what was read of an earlier run's tree at a switch.
func (c *core) forgetFound(dpid netview.DPID) { delete(c.net.found, dpid) }

// published records that the rows which a step returned are desired, and the revision that shows it: their
// switches have to confirm them.
func (c *core) published(snap *netview.Snapshot, rev netview.Revision) {
	for _, sw := range c.written {
		if !sw.published {
			sw.published = true
			c.trees++
		}
		if !sw.unconfirmed {
			sw.unconfirmed = true
			c.unconfirmed = append(c.unconfirmed, sw)
		}
		sw.ports, sw.rev, sw.looked = sw.next, rev, false
		c.net.markLinksStale(sw)
	}
	c.updateOpen(snap)
	c.use.set(c.net.takeChanged())
}
