package forward

import (
	"cmp"
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// Owner is the name under which the application desires firm rules.
const Owner = "forward"

// CopyRate limits the copies of forwarded packets that one switch sends to the controller, in
// packets a second.
const CopyRate = 1000

// treeCore publishes the rules of the tree. A change removes links at once, and adds a link when it
// can make no loop with what may still forward along the removed ones (open.go); so no two trees
// ever forward together.
type treeCore struct {
	cfg         Config
	desired     *netview.Desired
	forest      *topology.Forest
	settled     bool // of the last snapshot
	switches    map[netview.DPID]*treeSwitch
	published   int           // switches that have a tree
	unconfirmed []*treeSwitch // switches that have not confirmed what was published last, among others
	links       []treeLink    // by number; those without ends are free
	index       map[netview.LinkKey]int32
	numbers     idPool // of switches
	slots       idPool // of links
	notOpen     int    // links of the forest
	held        []netview.Point
	sets        topology.UnionFind

	staleRules   []*treeSwitch // switches whose rules may have changed
	staleLinks   []*treeSwitch // switches whose links may have opened or closed
	changedLinks []int32       // links whose use may have changed, for Crossing
	gone         []netview.LinkKey
	named        []netview.LinkKey // links that have changed in this step
	state        treeState         // for Crossing

	mu    sync.Mutex // guards what follows
	found map[netview.DPID]inheritedTree
	read  []netview.DPID // of them, those found since the last step
}

// inheritedTree is a switch's part of the tree when it was read: the inter-switch ports in it, and
// those left out.
type inheritedTree struct{ in, off []uint32 }

func newTreeCore(cfg Config, desired *netview.Desired) *treeCore {
	return &treeCore{
		cfg: cfg, desired: desired, forest: topology.NewForest(), switches: make(map[netview.DPID]*treeSwitch),
		index: make(map[netview.LinkKey]int32), found: make(map[netview.DPID]inheritedTree),
		state: treeState{leaving: make(map[netview.LinkKey]bool), possible: make(map[netview.DPID][]uint32)},
	}
}

// InheritTree takes a switch's part of an earlier tree, when it was read: the inter-switch ports
// that its rules name, and those of them that are blocked. Until a tree is published, the new one
// is built like the old.
func (f *Forward) InheritTree(dpid netview.DPID, links, off []uint32) {
	var found inheritedTree
	for _, port := range links {
		if slices.Contains(off, port) {
			found.off = append(found.off, port)
		} else {
			found.in = append(found.in, port)
		}
	}
	t := f.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	t.found[dpid] = found
	t.read = append(t.read, dpid)
}

// resetForest starts a new forest.
func (t *treeCore) resetForest() {
	t.forest.Restart()
	t.mu.Lock()
	defer t.mu.Unlock()
	for dpid, found := range t.found {
		for _, port := range found.off {
			t.forest.Avoid(netview.Point{DPID: dpid, Port: port})
		}
	}
}

// step compares the desired tree with the published one, and takes the next step from one to the
// other. The confirmations it waits for are changes of rules, on which it is called again. Whole:
// the changes name all in which the snapshot differs from that of the last step.
func (t *treeCore) step(snap *netview.Snapshot, changes []netview.Change, whole bool) {
	what := t.noteChanges(changes)
	again := snap.Settled() != t.settled
	changed := what.switches || what.links || again || !whole
	if changed {
		t.settled = snap.Settled()
		if t.published == 0 {
			t.resetForest() // nobody forwards along it yet: the order in which links were found must not matter
		}
		if again || !whole {
			t.rebuild(snap)
		} else {
			t.update(snap, changes)
		}
	}
	if confirmed := (changed || what.rules) && t.confirm(snap); confirmed || changed {
		t.updateInherited()
		t.updateOpen(snap)
		t.updateHeldBack()
		t.publish(snap)
		t.updateOpen(snap)
		t.publishUse()
	}
}

// publish updates the desired rules of the switches with stale rules. A switch gets its first tree
// when everything behind its ports is known; before that it keeps what it holds from an earlier
// run.
func (t *treeCore) publish(snap *netview.Snapshot) {
	var changed []*treeSwitch
	for _, sw := range t.staleRules {
		sw.rulesStale = false
		switch {
		case sw.row == nil:
			t.forget(sw)
		case sw.published || t.settled && sw.row.Settled && sw.row.Connected && allRolesKnown(sw.row):
			if sw.next = t.ports(sw); !sw.published || !sw.next.equal(sw.ports) {
				changed = append(changed, sw)
			}
		}
	}
	t.staleRules = t.staleRules[:0]
	if len(changed) == 0 {
		return
	}
	slices.SortFunc(changed, func(a, b *treeSwitch) int { return cmp.Compare(a.dpid, b.dpid) })
	for _, sw := range changed {
		sw.possible, sw.known = union(sw.possible, sw.next.inTree()), true
		t.state.setPossible(sw.dpid, sw.possible)
	}
	rev := t.desired.Update(func(tx *netview.DesiredTx) {
		for _, sw := range changed {
			t.write(tx, sw.row, sw.next)
		}
	})
	for _, sw := range changed {
		t.awaitConfirmation(sw, rev)
	}
}

// awaitConfirmation records that a switch has to confirm what was published.
func (t *treeCore) awaitConfirmation(sw *treeSwitch, rev netview.Revision) {
	if !sw.published {
		sw.published = true
		t.published++
	}
	if !sw.unconfirmed {
		sw.unconfirmed = true
		t.unconfirmed = append(t.unconfirmed, sw)
	}
	sw.ports, sw.rev, sw.looked = sw.next, rev, false
	t.markLinksStale(sw)
}

// write writes the rules of one switch.
func (t *treeCore) write(tx *netview.DesiredTx, sw *netview.Switch, p treePorts) {
	if plan.SingleTable(sw.Version, sw.Tables) {
		tx.Set(sw.DPID, t.singleTable(sw, p))
		return
	}
	tx.SetMeters(sw.DPID, []netview.Meter{{DPID: sw.DPID, ID: plan.MeterCopy, Rate: CopyRate, Burst: CopyRate}})
	tx.Set(sw.DPID, t.tables(sw, p))
}
