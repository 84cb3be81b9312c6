package broadcast

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// naiveTree is the tree's core as its description says it: each step computes everything anew. See
// open.go for what the parts are for.
type naiveTree struct {
	rows      rowPlan
	wanted    *netview.Desired
	forest    *topology.Forest
	published map[netview.DPID]treePorts
	pending   map[netview.DPID]netview.Revision
	could     map[netview.DPID][]uint32
	settled   bool
	state     map[netview.LinkKey]bool // links that broadcasts may take, and whether they are to leave
	earlier   map[netview.Point]bool
	found     map[netview.DPID][]uint32
}

func newNaiveTree(cfg Config, wanted *netview.Desired) *naiveTree {
	return &naiveTree{
		rows: rowPlan{cfg.Domain, cfg.Unknown}, wanted: wanted, forest: topology.NewForest(),
		published: make(map[netview.DPID]treePorts),
		pending:   make(map[netview.DPID]netview.Revision), could: make(map[netview.DPID][]uint32),
		earlier: make(map[netview.Point]bool), found: make(map[netview.DPID][]uint32),
	}
}

func (t *naiveTree) foundTree(dpid netview.DPID, links, off []uint32) {
	for at := range t.earlier {
		if at.DPID == dpid {
			delete(t.earlier, at)
		}
	}
	t.found[dpid] = nil
	for _, port := range links {
		if slices.Contains(off, port) {
			t.earlier[netview.Point{DPID: dpid, Port: port}] = true
		} else {
			t.found[dpid] = append(t.found[dpid], port)
		}
	}
}

func (t *naiveTree) step(snap *netview.Snapshot, changes []netview.Change, whole bool) {
	changed, rules := !whole || snap.Settled() != t.settled, false
	for _, c := range changes {
		changed = changed || c.Kind == netview.KindSwitch || c.Kind == netview.KindLink
		rules = rules || c.Kind == netview.KindRule
	}
	if changed {
		t.settled = snap.Settled()
		if len(t.published) == 0 {
			t.forest = topology.NewForest()
			for at := range t.earlier {
				t.forest.Avoid(at)
			}
		}
		t.forest.Update(snap)
	}
	if confirmed := (changed || rules) && t.confirm(snap); confirmed || changed {
		t.publish(snap, t.allowed(snap, t.target(snap)))
		t.tell(snap)
	}
}

func (t *naiveTree) target(snap *netview.Snapshot) map[netview.DPID]treePorts {
	target := make(map[netview.DPID]treePorts)
	for sw := range snap.Switches() {
		if _, had := t.published[sw.DPID]; !had && !(t.settled && sw.Settled && sw.Connected && allRolesKnown(sw)) {
			continue
		}
		target[sw.DPID] = t.ports(sw)
	}
	return target
}

func (t *naiveTree) ports(sw *netview.Switch) treePorts {
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
		case port.Role == netview.PortUnknown && port.Number < openflow.PortMax && t.guarded(sw.DPID, port.Number):
			p.mute = append(p.mute, port.Number)
		case isEdge(port):
			p.out = append(p.out, port.Number)
		}
	}
	return p
}

func (t *naiveTree) guarded(dpid netview.DPID, port uint32) bool {
	if had, ok := t.published[dpid]; ok {
		return slices.Contains(had.links, port) || slices.Contains(had.mute, port)
	}
	return t.earlier[netview.Point{DPID: dpid, Port: port}]
}

func (t *naiveTree) publish(snap *netview.Snapshot, ports map[netview.DPID]treePorts) {
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
	rev := t.wanted.Update(func(tx *netview.DesiredTx) {
		for _, dpid := range changed {
			sw, _ := snap.Switch(dpid)
			t.published[dpid] = ports[dpid]
			rows := t.rows.of(sw, ports[dpid])
			rows.write(tx)
		}
	})
	for _, dpid := range changed {
		t.pending[dpid] = rev
		t.could[dpid] = union(t.couldAt(dpid), ports[dpid].inTree())
	}
}

func (t *naiveTree) couldAt(dpid netview.DPID) []uint32 {
	if ports, ok := t.could[dpid]; ok {
		return ports
	}
	return t.found[dpid]
}

func (t *naiveTree) knownAt(dpid netview.DPID) bool {
	_, ok1 := t.could[dpid]
	_, ok2 := t.found[dpid]
	return ok1 || ok2
}

func (t *naiveTree) confirm(snap *netview.Snapshot) bool {
	any := false
	for dpid, rev := range t.pending {
		if snap.Revision() < rev {
			continue
		}
		sw, ok := snap.Switch(dpid)
		if pending, failed, _ := t.lacks(snap, dpid); ok && sw.Connected && !pending && !failed {
			t.could[dpid] = t.published[dpid].inTree()
			delete(t.pending, dpid)
			any = true
		} else if !pending {
			any = true
		}
	}
	return any
}

func (t *naiveTree) lacks(snap *netview.Snapshot, dpid netview.DPID) (pending, failed, unsure bool) {
	for r := range snap.Rules(dpid) {
		if r.Owner == RowOwner {
			pending = pending || r.State == netview.RulePending
			failed = failed || r.State == netview.RuleFailed
			unsure = unsure || r.Unknown()
		}
	}
	return pending, failed, unsure
}

func (t *naiveTree) quiet(snap *netview.Snapshot, dpid netview.DPID) bool {
	rev, waits := t.pending[dpid]
	if !waits {
		return true
	}
	sw, ok := snap.Switch(dpid)
	pending, _, unsure := t.lacks(snap, dpid)
	return ok && sw.Connected && snap.Revision() >= rev && !pending && !unsure
}

func (t *naiveTree) mayForward(at netview.Point) bool {
	return !t.knownAt(at.DPID) || slices.Contains(t.couldAt(at.DPID), at.Port)
}

func (t *naiveTree) open(snap *netview.Snapshot, key netview.LinkKey) bool {
	if !t.mayForward(key.Src) || !t.mayForward(key.Dst) || replaced(snap, key) {
		return false
	}
	left := func(at netview.Point) bool {
		had, told := t.published[at.DPID]
		return told && !slices.Contains(had.out, at.Port) && t.quiet(snap, at.DPID)
	}
	return !left(key.Src) || !left(key.Dst)
}

func (t *naiveTree) allowed(snap *netview.Snapshot, target map[netview.DPID]treePorts) map[netview.DPID]treePorts {
	joined := make(apart)
	var fresh []netview.LinkKey
	for there, back := range snap.LinkPairs() {
		if there == nil {
			there = back
		}
		key := there.LinkKey
		switch {
		case t.open(snap, key):
			joined.join(key.Src.DPID, key.Dst.DPID)
		case t.forest.Has(key):
			fresh = append(fresh, key)
		}
	}
	withheld := make(map[netview.Point]bool)
	for _, key := range fresh {
		if joined.join(key.Src.DPID, key.Dst.DPID) {
			continue
		}
		if t.mayForward(key.Src) {
			withheld[key.Dst] = true
		} else {
			withheld[key.Src] = true
		}
	}
	for dpid, p := range target {
		p.out = slices.DeleteFunc(slices.Clone(p.out),
			func(port uint32) bool { return withheld[netview.Point{DPID: dpid, Port: port}] })
		target[dpid] = p
	}
	return target
}

func (t *naiveTree) tell(snap *netview.Snapshot) {
	t.state = make(map[netview.LinkKey]bool)
	for there, back := range snap.LinkPairs() {
		if there == nil {
			there = back
		}
		key := there.LinkKey
		if key.Src.Compare(key.Dst) > 0 {
			key = key.Reverse()
		}
		if t.forest.Has(key) || t.open(snap, key) {
			t.state[key] = !t.forest.Has(key)
		}
	}
}

// apart are sets of switches: what each is joined to.
type apart map[netview.DPID]netview.DPID

func (a apart) root(x netview.DPID) netview.DPID {
	for {
		up, ok := a[x]
		if !ok {
			return x
		}
		x = up
	}
}

func (a apart) join(x, y netview.DPID) bool {
	x, y = a.root(x), a.root(y)
	if x == y {
		return false
	}
	a[x] = y
	return true
}
