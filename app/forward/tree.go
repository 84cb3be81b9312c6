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

// treePorts is what the tree is at one switch. All lists are in order and hold ports that are up.
type treePorts struct {
	out   []uint32 // where the tree goes on: its links and the edge ports
	links []uint32 // all inter-switch ports
	mute  []uint32 // ports of unknown role: what comes in there is shown to the controller and goes nowhere
}

// treeCore publishes the rules of the tree, and changes them by removing first and adding when all switches have
// confirmed the removals, so that no two trees ever forward together.
type treeCore struct {
	cfg       Config
	wanted    *netview.Wanted
	forest    *topology.Forest
	published map[netview.DPID]treePorts
	removing  map[netview.DPID]bool // switches that have not yet confirmed what was removed
	settled   bool                  // as the last snapshot said

	mu      sync.Mutex      // guards earlier
	earlier []netview.Point // ports that the tree of an earlier life left out
}

func newTreeCore(cfg Config, wanted *netview.Wanted) *treeCore {
	return &treeCore{
		cfg: cfg, wanted: wanted, forest: topology.NewForest(),
		published: make(map[netview.DPID]treePorts), removing: make(map[netview.DPID]bool),
	}
}

// OffTree tells of ports that a switch's rules of an earlier life keep out of the tree. As long as no tree is published,
// the new one is made like the old.
func (f *Forward) OffTree(dpid netview.DPID, ports []uint32) {
	f.tree.mu.Lock()
	defer f.tree.mu.Unlock()
	for _, port := range ports {
		f.tree.earlier = append(f.tree.earlier, netview.Point{DPID: dpid, Port: port})
	}
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
	switch {
	case what.switches || what.links || snap.Settled() != t.settled:
		t.settled = snap.Settled()
		if len(t.published) == 0 {
			t.begin() // nobody forwards along it yet: the order in which links were found must not matter
		}
		t.forest.Update(snap)
	case !what.rules || len(t.removing) == 0:
		return
	}
	target := t.target(snap)
	if t.remove(snap, target) {
		return
	}
	for dpid := range t.removing {
		if confirmed(snap, dpid) {
			delete(t.removing, dpid)
		}
	}
	if len(t.removing) == 0 {
		t.publish(snap, target)
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
		case port.Up && port.Role == netview.PortUnknown && port.Number < openflow.PortMax:
			p.mute = append(p.mute, port.Number)
		case isEdge(port):
			p.out = append(p.out, port.Number)
		}
	}
	return p
}

// remove publishes, for every switch that has to stop sending somewhere, what its old and new tree share. It tells
// whether there was any.
func (t *treeCore) remove(snap *netview.Snapshot, target map[netview.DPID]treePorts) bool {
	shared := make(map[netview.DPID]treePorts)
	for dpid, had := range t.published {
		want := target[dpid]
		out := intersect(had.out, want.out)
		if len(out) == len(had.out) {
			continue
		}
		shared[dpid] = treePorts{out: out, links: want.links, mute: want.mute}
		t.removing[dpid] = true
	}
	if len(shared) == 0 {
		return false
	}
	t.publish(snap, shared)
	return true
}

// publish makes the ports the wanted rules of the switches.
func (t *treeCore) publish(snap *netview.Snapshot, ports map[netview.DPID]treePorts) {
	var changed []netview.DPID
	for dpid, p := range ports {
		if had, ok := t.published[dpid]; !ok || !slices.Equal(had.out, p.out) || !slices.Equal(had.links, p.links) ||
			!slices.Equal(had.mute, p.mute) {
			changed = append(changed, dpid)
		}
	}
	if len(changed) == 0 {
		return
	}
	slices.Sort(changed)
	t.wanted.Update(func(tx *netview.WantedTx) {
		for _, dpid := range changed {
			sw, ok := snap.Switch(dpid)
			if !ok {
				delete(t.published, dpid)
				continue
			}
			t.published[dpid] = ports[dpid]
			t.write(tx, sw, ports[dpid])
		}
	})
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

// confirmed tells whether the switch holds all rules of ours that it can. One that is not connected cannot be waited
// for; its ports' carriers tell its neighbours what they need to know.
func confirmed(snap *netview.Snapshot, dpid netview.DPID) bool {
	if sw, ok := snap.Switch(dpid); !ok || !sw.Connected {
		return true
	}
	for r := range snap.Rules(dpid) {
		if r.Owner == Owner && r.State == netview.RulePending {
			return false
		}
	}
	return true
}

// intersect keeps what is in both lists, in order.
func intersect(a, b []uint32) []uint32 {
	var both []uint32
	for _, x := range a {
		if slices.Contains(b, x) {
			both = append(both, x)
		}
	}
	return both
}
