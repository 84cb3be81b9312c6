package broadcast

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// treeSwitch is the core's record of one switch that is in the view, or was in the last step.
type treeSwitch struct {
	dpid      netview.DPID
	number    int32
	row       *netview.Switch // nil: the view does not have it any more
	links     []int32         // those that end here
	published bool            // it has a tree
	ports     treePorts       // what was published last; and what is to be
	next      treePorts
	possible  []uint32 // inter-switch ports that rules which it may hold forward to or from
	known     bool     // of which something is known
	off       []uint32 // ports that the tree of an earlier run left out

	unconfirmed bool             // it has not confirmed what was published last
	rev         netview.Revision // that shows that
	looked      bool             // lacks is what the view says now
	lacks       ruleState

	rulesStale, linksStale bool // it is in the list of that name
}

// inherit applies a switch's part of an earlier tree.
func (sw *treeSwitch) inherit(found foundTree) {
	sw.possible, sw.known, sw.off = found.in, true, found.off
}

// treeLink is a link, both directions, of the view.
type treeLink struct {
	key    netview.LinkKey // the smaller of both
	a, b   *treeSwitch     // its ends; nil: there is no such link
	na, nb int32           // their numbers
	in     bool            // in the forest
	open   bool            // it may carry broadcasts now
	differ bool            // in records.changed
	said   bool            // that it leaves the tree: it is not in it, but may still carry broadcasts
}

// records are the switches and links that the core knows, each once, and which of them have to be looked
// at again. A link is in the records of both its ends.
type records struct {
	switches map[netview.DPID]*treeSwitch
	links    []treeLink // by number; those without ends are free
	index    map[netview.LinkKey]int32
	numbers  idPool // of switches
	slots    idPool // of links
	notOpen  int    // links of the forest

	// What was read of an earlier run's tree. A switch that is seen for the first time has its part.
	found map[netview.DPID]foundTree

	staleRules []*treeSwitch // switches whose rules may have changed
	staleLinks []*treeSwitch // switches whose links may have opened or closed
	changed    []int32       // links that may have begun to leave the tree, or have left it
	gone       []netview.LinkKey
}

func newRecords() records {
	return records{switches: make(map[netview.DPID]*treeSwitch), index: make(map[netview.LinkKey]int32),
		found: make(map[netview.DPID]foundTree)}
}

// markRulesStale schedules the recomputation of a switch's rules.
func (r *records) markRulesStale(sw *treeSwitch) {
	if !sw.rulesStale {
		sw.rulesStale = true
		r.staleRules = append(r.staleRules, sw)
	}
}

// markLinksStale schedules the recomputation of a switch's links.
func (r *records) markLinksStale(sw *treeSwitch) {
	if !sw.linksStale {
		sw.linksStale = true
		r.staleLinks = append(r.staleLinks, sw)
	}
}

// at returns the record of a switch, made if there is none.
func (r *records) at(dpid netview.DPID) *treeSwitch {
	sw, ok := r.switches[dpid]
	if !ok {
		sw = &treeSwitch{dpid: dpid, number: r.numbers.get()}
		r.switches[dpid] = sw
		if found, ok := r.found[dpid]; ok {
			sw.inherit(found)
		}
	}
	return sw
}

// remove drops a switch that the view does not have any more, and its links.
func (r *records) remove(sw *treeSwitch) {
	for len(sw.links) > 0 {
		r.drop(sw.links[0])
	}
	r.numbers.put(sw.number)
	delete(r.switches, sw.dpid)
}

// updateSwitch applies a switch as it is now.
func (r *records) updateSwitch(snap *netview.Snapshot, dpid netview.DPID) {
	row, ok := snap.Switch(dpid)
	if _, had := r.switches[dpid]; !ok && !had {
		return
	}
	sw := r.at(dpid)
	sw.row, sw.looked = row, false
	r.markRulesStale(sw)
}

// updateLink applies that a link exists, or does not any more.
func (r *records) updateLink(snap *netview.Snapshot, key netview.LinkKey) {
	if key.Src.Compare(key.Dst) > 0 {
		key = key.Reverse()
	}
	_, there := snap.Link(key)
	_, back := snap.Link(key.Reverse())
	i, had := r.index[key]
	switch {
	case (there || back) && !had:
		r.add(key)
	case !there && !back && had:
		r.drop(i)
	}
	for _, end := range [...]netview.Point{key.Src, key.Dst} { // which of the links at a port are up says which are replaced
		if sw, ok := r.switches[end.DPID]; ok {
			r.markLinksStale(sw)
		}
	}
}

// add adds a link.
func (r *records) add(key netview.LinkKey) {
	i := r.slots.get()
	if int(i) == len(r.links) {
		r.links = append(r.links, treeLink{})
	}
	a, b := r.at(key.Src.DPID), r.at(key.Dst.DPID)
	r.links[i] = treeLink{key: key, a: a, b: b, na: a.number, nb: b.number}
	r.index[key] = i
	a.links = append(a.links, i)
	if a != b {
		b.links = append(b.links, i)
	}
	r.markLinksStale(a)
}

// drop drops a link.
func (r *records) drop(i int32) {
	l := &r.links[i]
	r.set(i, false, false)
	if l.said {
		r.gone = append(r.gone, l.key)
	}
	for _, sw := range []*treeSwitch{l.a, l.b} {
		sw.links = slices.DeleteFunc(sw.links, func(j int32) bool { return j == i })
	}
	delete(r.index, l.key)
	*l = treeLink{}
	r.slots.put(i)
}

// set sets whether a link is in the forest, and open.
func (r *records) set(i int32, in, open bool) {
	l := &r.links[i]
	if l.in && !l.open {
		r.notOpen--
	}
	if in && !open {
		r.notOpen++
	}
	if (l.in != in || l.open != open) && !l.differ {
		l.differ = true
		r.changed = append(r.changed, i)
	}
	l.in, l.open = in, open
}

// takeChanged returns the links that may have begun to leave the tree, or have left it, since the last call, and
// those that are gone. The caller has them until the records change.
func (r *records) takeChanged() (changed []*treeLink, gone []netview.LinkKey) {
	for _, i := range r.changed {
		if l := &r.links[i]; l.a != nil {
			l.differ, l.said = false, l.open && !l.in
			changed = append(changed, l)
		}
	}
	gone = r.gone
	r.gone, r.changed = r.gone[:0], r.changed[:0]
	return changed, gone
}

// idPool hands out numbers from 0 on, and reuses them.
type idPool struct {
	spare []int32
	next  int32 // all below have been given out
}

func (n *idPool) get() int32 {
	if last := len(n.spare) - 1; last >= 0 {
		number := n.spare[last]
		n.spare = n.spare[:last]
		return number
	}
	n.next++
	return n.next - 1
}

func (n *idPool) put(number int32) { n.spare = append(n.spare, number) }
