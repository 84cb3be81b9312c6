package forward

import (
	"cmp"
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// Owner is the name under which the application's firm rules stand in the view.
const Owner = "forward"

// CopyRate limits the copies of forwarded packets that one switch sends to the controller, in packets a second.
const CopyRate = 1000

// treeCore publishes the rules of the tree. A change removes at once, and adds a link when what may still forward along
// the links that are removed can make no loop with it (open.go); so no two trees ever forward together.
//
// It keeps what it has worked out from one step to the next, and looks again at what a change is about only: a network has
// thousands of links, and one that fails is about four switches. What is to be looked at again is noted as soon as it is
// known (stale, unsure), and looked at in the steps that naiveTree of the tests computes everything in: both come to the same.
type treeCore struct {
	cfg      Config
	wanted   *netview.Wanted
	forest   *topology.Forest
	settled  bool // as the last snapshot said
	switches map[netview.DPID]*treeSwitch
	told     int           // switches that have a tree
	waiting  []*treeSwitch // that have not confirmed what was published last, among others
	links    []treeLink    // by number; those without ends are not there
	index    map[netview.LinkKey]int32
	numbers  numbers // of switches
	slots    numbers // of links
	fresh    int     // links of the forest that are not open
	held     []netview.Point
	sets     topology.Joined

	stale  []*treeSwitch // whose rules may have to be others
	unsure []*treeSwitch // whose links may be open or not any more
	differ []int32       // links of which Passing may have to be told
	gone   []netview.LinkKey
	named  []netview.LinkKey // links that have changed, in this step
	state  treeState         // for Passing

	mu    sync.Mutex // guards what follows
	found map[netview.DPID]foundTree
	read  []netview.DPID // of them, those that were found since the last look
}

// foundTree is what a switch held of a tree when it was read: the inter-switch ports that were in it, and those left out.
type foundTree struct{ in, off []uint32 }

func newTreeCore(cfg Config, wanted *netview.Wanted) *treeCore {
	return &treeCore{
		cfg: cfg, wanted: wanted, forest: topology.NewForest(), switches: make(map[netview.DPID]*treeSwitch),
		index: make(map[netview.LinkKey]int32), found: make(map[netview.DPID]foundTree),
		state: treeState{leaving: make(map[netview.LinkKey]bool)},
	}
}

// FoundTree tells what a switch held of a tree when it was read: the inter-switch ports that its rules name, and those of
// them that they keep out of the tree. As long as no tree is published, the new one is made like the old.
func (f *Forward) FoundTree(dpid netview.DPID, links, off []uint32) {
	var found foundTree
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

// begin starts a forest.
func (t *treeCore) begin() {
	t.forest.Restart()
	t.mu.Lock()
	defer t.mu.Unlock()
	for dpid, found := range t.found {
		for _, port := range found.off {
			t.forest.Avoid(netview.Point{DPID: dpid, Port: port})
		}
	}
}

// step compares the tree that is wanted with what is published, and takes the next step from one to the other. The
// confirmations it waits for are changes of rules, on which it is called again. Whole says that the changes name all in
// which the snapshot differs from that of the last step.
func (t *treeCore) step(snap *netview.Snapshot, changes []netview.Change, whole bool) {
	what := t.notice(changes)
	again := snap.Settled() != t.settled
	changed := what.switches || what.links || again || !whole
	if changed {
		t.settled = snap.Settled()
		if t.told == 0 {
			t.begin() // nobody forwards along it yet: the order in which links were found must not matter
		}
		if again || !whole {
			t.takeAll(snap)
		} else {
			t.take(snap, changes)
		}
	}
	if confirmed := (changed || what.rules) && t.confirm(snap); confirmed || changed {
		t.takeFound()
		t.judge(snap)
		t.withhold()
		t.publish(snap)
		t.judge(snap)
		t.tell()
	}
}

// publish makes what the tree is at the switches that are stale their wanted rules. A switch gets its first tree when everything
// behind its ports is known; before that it keeps what it holds from an earlier life.
func (t *treeCore) publish(snap *netview.Snapshot) {
	var changed []*treeSwitch
	for _, sw := range t.stale {
		sw.stale = false
		switch {
		case sw.row == nil:
			t.forget(sw)
		case sw.told || t.settled && sw.row.Settled && sw.row.Connected && known(sw.row):
			if sw.next = t.ports(sw); !sw.told || !sw.next.equal(sw.ports) {
				changed = append(changed, sw)
			}
		}
	}
	t.stale = t.stale[:0]
	if len(changed) == 0 {
		return
	}
	slices.SortFunc(changed, func(a, b *treeSwitch) int { return cmp.Compare(a.dpid, b.dpid) })
	rev := t.wanted.Update(func(tx *netview.WantedTx) {
		for _, sw := range changed {
			t.write(tx, sw.row, sw.next)
		}
	})
	for _, sw := range changed {
		t.wait(sw, rev)
	}
}

// wait notes that a switch is to confirm what has been published.
func (t *treeCore) wait(sw *treeSwitch, rev netview.Revision) {
	if !sw.told {
		sw.told = true
		t.told++
	}
	if !sw.waits {
		sw.waits = true
		t.waiting = append(t.waiting, sw)
	}
	sw.ports, sw.rev, sw.looked = sw.next, rev, false
	sw.could, sw.known = union(sw.could, sw.ports.inTree()), true
	t.doubt(sw)
}

// write makes the rules of one switch.
func (t *treeCore) write(tx *netview.WantedTx, sw *netview.Switch, p treePorts) {
	if plan.SingleTable(sw.Version, sw.Tables) {
		tx.Set(sw.DPID, t.singleTable(sw, p))
		return
	}
	tx.SetMeters(sw.DPID, []netview.Meter{{DPID: sw.DPID, ID: plan.MeterCopy, Rate: CopyRate, Burst: CopyRate}})
	tx.Set(sw.DPID, t.tables(sw, p))
}
