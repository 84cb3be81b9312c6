package forward

import (
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// Owner is the name under which the application's firm rules stand in the view.
const Owner = "forward"

// CopyRate limits the copies of forwarded packets that one switch sends to the controller, in packets a second.
const CopyRate = 1000

// treePorts is what the tree is at one switch. All lists are in order and hold ports that are up, but for mute.
type treePorts struct {
	out   []uint32 // where the tree goes on: its links and the edge ports
	links []uint32 // all inter-switch ports
	// mute are the ports of unknown role, or blocked: what comes in there is shown to the controller and goes nowhere. Of those that
	// are down these are the ones that were links'.
	mute []uint32
}

// equal tells whether two switches' rules would be the same.
func (p treePorts) equal(q treePorts) bool {
	return slices.Equal(p.out, q.out) && slices.Equal(p.links, q.links) && slices.Equal(p.mute, q.mute)
}

// treeCore publishes the rules of the tree. A change removes at once, and adds a link when what may still forward along
// the links that are removed can make no loop with it (open.go); so no two trees ever forward together.
type treeCore struct {
	cfg       Config
	wanted    *netview.Wanted
	forest    *topology.Forest
	published map[netview.DPID]treePorts
	pending   map[netview.DPID]netview.Revision // switches that have not confirmed what was published in this revision
	could     map[netview.DPID][]uint32         // inter-switch ports that rules which may be on a switch forward to or from
	settled   bool                              // as the last snapshot said
	state     treeState                         // for Passing

	mu      sync.Mutex                // guards what follows
	earlier []netview.Point           // ports that the tree of an earlier life left out
	found   map[netview.DPID][]uint32 // and those that it held, where a switch has been read; taken into could
}

func newTreeCore(cfg Config, wanted *netview.Wanted) *treeCore {
	return &treeCore{
		cfg: cfg, wanted: wanted, forest: topology.NewForest(),
		published: make(map[netview.DPID]treePorts), pending: make(map[netview.DPID]netview.Revision),
		could: make(map[netview.DPID][]uint32), found: make(map[netview.DPID][]uint32),
	}
}

// FoundTree tells what a switch held of a tree when it was read: the inter-switch ports that its rules name, and those of
// them that they keep out of the tree. As long as no tree is published, the new one is made like the old.
func (f *Forward) FoundTree(dpid netview.DPID, links, off []uint32) {
	t := f.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	t.earlier = slices.DeleteFunc(t.earlier, func(at netview.Point) bool { return at.DPID == dpid })
	in := make([]uint32, 0, len(links))
	for _, port := range links {
		if slices.Contains(off, port) {
			t.earlier = append(t.earlier, netview.Point{DPID: dpid, Port: port})
		} else {
			in = append(in, port)
		}
	}
	t.found[dpid] = in
}

// begin starts a forest.
func (t *treeCore) begin() {
	t.forest = topology.NewForest()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range t.earlier {
		t.forest.Avoid(at)
	}
}

// step compares the tree that is wanted with what is published, and takes the next step from one to the other. The
// confirmations it waits for are changes of rules, on which it is called again.
func (t *treeCore) step(snap *netview.Snapshot, what seen) {
	changed := what.switches || what.links || snap.Settled() != t.settled
	if changed {
		t.settled = snap.Settled()
		if len(t.published) == 0 {
			t.begin() // nobody forwards along it yet: the order in which links were found must not matter
		}
		t.forest.Update(snap)
	}
	if confirmed := (changed || what.rules) && t.confirm(snap); confirmed || changed {
		t.publish(snap, t.allowed(snap, t.target(snap)))
		t.tell(snap)
	}
}

// target computes the tree of the network as it is now. A switch gets its first tree when everything behind its ports
// is known; before that it keeps what it holds from an earlier life.
func (t *treeCore) target(snap *netview.Snapshot) map[netview.DPID]treePorts {
	target := make(map[netview.DPID]treePorts)
	for sw := range snap.Switches() {
		if _, had := t.published[sw.DPID]; !had && !(t.settled && sw.Settled && sw.Connected && known(sw)) {
			continue
		}
		target[sw.DPID] = t.ports(sw)
	}
	return target
}

// known tells whether discovery has settled what is behind each port that is up.
func known(sw *netview.Switch) bool {
	return !slices.ContainsFunc(sw.Ports, func(p netview.Port) bool {
		return p.Up && p.Number < openflow.PortMax && p.Role == netview.PortUnknown
	})
}

// ports collects the tree's and the other inter-switch ports of one switch.
func (t *treeCore) ports(sw *netview.Switch) treePorts {
	tree := t.forest.Ports(sw.DPID)
	var p treePorts
	for i := range sw.Ports {
		port := &sw.Ports[i]
		switch {
		case port.Role == netview.PortLink:
			p.links = append(p.links, port.Number)
			if slices.Contains(tree, port.Number) {
				p.out = append(p.out, port.Number)
			}
		case port.Up && (port.Role == netview.PortUnknown || port.Role == netview.PortBlocked) && port.Number < openflow.PortMax:
			p.mute = append(p.mute, port.Number)
		case port.Role == netview.PortUnknown && port.Number < openflow.PortMax && t.guarded(sw.DPID, port.Number): // it is down
			p.mute = append(p.mute, port.Number)
		case isEdge(port):
			p.out = append(p.out, port.Number)
		}
	}
	return p
}

// guarded tells whether a port was another switch's, or nobody knew whose: when it comes up again its switch may have no session, and
// who is behind it may still hold it to be in the tree.
func (t *treeCore) guarded(dpid netview.DPID, port uint32) bool {
	if had, ok := t.published[dpid]; ok {
		return slices.Contains(had.links, port) || slices.Contains(had.mute, port)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.earlier, netview.Point{DPID: dpid, Port: port})
}

// publish makes the ports the wanted rules of the switches.
func (t *treeCore) publish(snap *netview.Snapshot, ports map[netview.DPID]treePorts) {
	var changed []netview.DPID
	for dpid, p := range ports {
		if had, ok := t.published[dpid]; !ok || !had.equal(p) {
			changed = append(changed, dpid)
		}
	}
	for dpid := range t.published {
		if _, ok := snap.Switch(dpid); !ok {
			delete(t.published, dpid)
			delete(t.pending, dpid)
			delete(t.could, dpid)
		}
	}
	if len(changed) == 0 {
		return
	}
	slices.Sort(changed)
	rev := t.wanted.Update(func(tx *netview.WantedTx) {
		for _, dpid := range changed {
			sw, _ := snap.Switch(dpid)
			t.published[dpid] = ports[dpid]
			t.write(tx, sw, ports[dpid])
		}
	})
	for _, dpid := range changed {
		t.pending[dpid] = rev
		t.could[dpid] = union(t.couldAt(dpid), ports[dpid].inTree())
	}
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
