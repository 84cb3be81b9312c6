package forward

import "github.com/weirnet/weir/netview"

// treeSwitch is what the tree's core knows of one switch that the view shows, or has shown in the last step.
type treeSwitch struct {
	dpid   netview.DPID
	number int32
	row    *netview.Switch // nil: the view shows it no more
	links  []int32         // those that end here
	told   bool            // it has a tree
	ports  treePorts       // what was published last; and what is to be
	next   treePorts
	could  []uint32 // inter-switch ports that rules which may be on it forward to or from
	known  bool     // of which something is known
	off    []uint32 // ports that the tree of an earlier life left out

	waits  bool             // it has not confirmed what was published last
	rev    netview.Revision // that shows that
	looked bool             // lacks is what the view says now
	lacks  lacks

	stale, unsure bool // it is in the core's list of that name
}

// treeLink is a link, both directions, that the view shows.
type treeLink struct {
	key    netview.LinkKey // the smaller of both
	a, b   *treeSwitch     // its ends
	na, nb int32           // their numbers
	in     bool            // in the forest
	open   bool            // it may carry broadcasts now
	differ bool            // it is in the core's list of that name
	said   treeUse
}

// refresh has the rules of a switch looked at.
func (t *treeCore) refresh(sw *treeSwitch) {
	if !sw.stale {
		sw.stale = true
		t.stale = append(t.stale, sw)
	}
}

// doubt has a switch's links looked at.
func (t *treeCore) doubt(sw *treeSwitch) {
	if !sw.unsure {
		sw.unsure = true
		t.unsure = append(t.unsure, sw)
	}
}

// at is the switch of an id; it is new if there is none.
func (t *treeCore) at(dpid netview.DPID) *treeSwitch {
	sw, ok := t.switches[dpid]
	if !ok {
		sw = &treeSwitch{dpid: dpid, number: t.numbers.take()}
		t.switches[dpid] = sw
		t.mu.Lock()
		defer t.mu.Unlock()
		if found, ok := t.found[dpid]; ok {
			sw.inherit(found)
		}
	}
	return sw
}

// inherit takes in what a switch held of an earlier tree.
func (sw *treeSwitch) inherit(found foundTree) {
	sw.could, sw.known, sw.off = found.in, true, found.off
}

// forget drops a switch that the view shows no more.
func (t *treeCore) forget(sw *treeSwitch) {
	for len(sw.links) > 0 {
		t.drop(sw.links[0])
	}
	if sw.told {
		t.told--
	}
	sw.waits = false
	t.numbers.give(sw.number)
	delete(t.switches, sw.dpid)
}

// numbers gives out numbers from 0 on.
type numbers struct {
	spare []int32
	next  int32 // all below have been given out
}

func (n *numbers) take() int32 {
	if last := len(n.spare) - 1; last >= 0 {
		number := n.spare[last]
		n.spare = n.spare[:last]
		return number
	}
	n.next++
	return n.next - 1
}

func (n *numbers) give(number int32) { n.spare = append(n.spare, number) }
