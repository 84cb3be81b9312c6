package forward

import (
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// This file says which links may be added to the tree now.
//
// A link forwards broadcasts only if both its ends hold it to be in the tree: an end that does not sends nothing there,
// and drops what comes from there. So a link that is taken out is closed as soon as one of its ends has confirmed, and
// an end that does not answer holds up nobody but those links that would make a loop with what it may still forward.
// One that would is given to one of its ends already: when the other is closed, one switch is left to be told.

// couldAt are the inter-switch ports that rules which may be on a switch forward to or from; nil, for all of them, if
// nothing is known of the switch.
func (t *treeCore) couldAt(dpid netview.DPID) []uint32 {
	if ports, ok := t.could[dpid]; ok {
		return ports
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.found[dpid]
}

// knownAt tells whether something is known of what a switch forwards.
func (t *treeCore) knownAt(dpid netview.DPID) bool {
	if _, ok := t.could[dpid]; ok {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.found[dpid]
	return ok
}

// inTree are the tree's links at a switch, as ports.
func (p treePorts) inTree() []uint32 {
	in := make([]uint32, 0, len(p.links))
	for _, port := range p.links {
		if slices.Contains(p.out, port) {
			in = append(in, port)
		}
	}
	return in
}

// confirm notes which switches hold what was published last, and nothing else; it tells whether there were any.
func (t *treeCore) confirm(snap *netview.Snapshot) bool {
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
			any = true // see open
		}
	}
	return any
}

// lacks tells whether rules of the tree are on their way to a switch, or were refused by it, and whether nobody knows what it
// holds in the place of any.
func (t *treeCore) lacks(snap *netview.Snapshot, dpid netview.DPID) (pending, failed, unsure bool) {
	for r := range snap.Rules(dpid) {
		if r.Owner == Owner {
			pending = pending || r.State == netview.RulePending
			failed = failed || r.State == netview.RuleFailed
			unsure = unsure || r.Unsure()
		}
	}
	return pending, failed, unsure
}

// quiet tells whether nothing more can be waited for at a switch: it holds what it can. One that lost its connection before
// it confirmed, or that answers nothing, may not have been told: it goes on with what it held, and is waited for.
func (t *treeCore) quiet(snap *netview.Snapshot, dpid netview.DPID) bool {
	rev, waits := t.pending[dpid]
	if !waits {
		return true
	}
	sw, ok := snap.Switch(dpid)
	pending, _, unsure := t.lacks(snap, dpid)
	return ok && sw.Connected && snap.Revision() >= rev && !pending && !unsure
}

// mayForward tells whether a switch may hold rules that have a port in the tree.
func (t *treeCore) mayForward(at netview.Point) bool {
	return !t.knownAt(at.DPID) || slices.Contains(t.couldAt(at.DPID), at.Port)
}

// publishes tells whether what was published has a port in the tree.
func (t *treeCore) publishes(at netview.Point) bool {
	return slices.Contains(t.published[at.DPID].out, at.Port)
}

// open tells whether a link may carry broadcasts now. Where both ends refused a rule there is nothing to wait for: what they
// forward is what they were told last.
func (t *treeCore) open(snap *netview.Snapshot, key netview.LinkKey) bool {
	if !t.mayForward(key.Src) || !t.mayForward(key.Dst) {
		return false
	}
	left := func(at netview.Point) bool {
		_, told := t.published[at.DPID]
		return told && !t.publishes(at) && t.quiet(snap, at.DPID)
	}
	return !left(key.Src) || !left(key.Dst)
}

// allowed is as much of a target as can be published now.
func (t *treeCore) allowed(snap *netview.Snapshot, target map[netview.DPID]treePorts) map[netview.DPID]treePorts {
	var joined topology.Joined
	var fresh []netview.LinkKey
	for there, back := range snap.LinkPairs() {
		if there == nil {
			there = back
		}
		key := there.LinkKey
		switch {
		case t.open(snap, key):
			joined.Join(key.Src.DPID, key.Dst.DPID)
		case t.forest.Has(key):
			fresh = append(fresh, key)
		}
	}
	withheld := make(map[netview.Point]bool)
	for _, key := range fresh {
		if joined.Join(key.Src.DPID, key.Dst.DPID) {
			continue
		}
		if t.mayForward(key.Src) {
			withheld[key.Dst] = true
		} else {
			withheld[key.Src] = true
		}
	}
	for dpid, p := range target {
		p.out = slices.DeleteFunc(slices.Clone(p.out), func(port uint32) bool { return withheld[netview.Point{DPID: dpid, Port: port}] })
		target[dpid] = p
	}
	return target
}

// union is what is in either list, in order.
func union(a, b []uint32) []uint32 {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// treeState is which links the tree uses, for any goroutine.
type treeState struct {
	mu    sync.Mutex
	links []treeLink
}

type treeLink struct {
	key     netview.LinkKey
	leaving bool
}

// tell notes the links that may carry broadcasts.
func (t *treeCore) tell(snap *netview.Snapshot) {
	var links []treeLink
	for there, back := range snap.LinkPairs() {
		if there == nil {
			there = back
		}
		if key := there.LinkKey; t.forest.Has(key) || t.open(snap, key) {
			links = append(links, treeLink{key, !t.forest.Has(key)})
		}
	}
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	t.state.links = links
}

// passing counts the tree's links at a place.
func (t *treeCore) passing(at netview.Point, sum *Passing) {
	here := func(p netview.Point) bool { return p.DPID == at.DPID && (at.Port == 0 || p.Port == at.Port) }
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	for _, l := range t.state.links {
		switch {
		case !here(l.key.Src) && !here(l.key.Dst):
		case l.leaving:
			sum.Tree++
		default:
			sum.TreeBound++
		}
	}
}
