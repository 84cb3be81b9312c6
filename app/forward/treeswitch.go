package forward

import "github.com/weirnet/weir/netview"

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

	rulesStale, linksStale bool // it is in the core's list of that name
}

// treeLink is a link, both directions, of the view.
type treeLink struct {
	key    netview.LinkKey // the smaller of both
	a, b   *treeSwitch     // its ends
	na, nb int32           // their numbers
	in     bool            // in the forest
	open   bool            // it may carry broadcasts now
	differ bool            // in treeCore.changedLinks
	said   treeUse
}

// markRulesStale schedules the recomputation of a switch's rules.
func (t *treeCore) markRulesStale(sw *treeSwitch) {
	if !sw.rulesStale {
		sw.rulesStale = true
		t.staleRules = append(t.staleRules, sw)
	}
}

// markLinksStale schedules the recomputation of a switch's links.
func (t *treeCore) markLinksStale(sw *treeSwitch) {
	if !sw.linksStale {
		sw.linksStale = true
		t.staleLinks = append(t.staleLinks, sw)
	}
}

// at returns the record of a switch, made if there is none.
func (t *treeCore) at(dpid netview.DPID) *treeSwitch {
	sw, ok := t.switches[dpid]
	if !ok {
		sw = &treeSwitch{dpid: dpid, number: t.numbers.get()}
		t.switches[dpid] = sw
		t.mu.Lock()
		defer t.mu.Unlock()
		if found, ok := t.found[dpid]; ok {
			sw.inherit(found)
		}
	}
	return sw
}

// inherit applies a switch's part of an earlier tree.
func (sw *treeSwitch) inherit(found inheritedTree) {
	sw.possible, sw.known, sw.off = found.in, true, found.off
}

// forget drops a switch that the view does not have any more.
func (t *treeCore) forget(sw *treeSwitch) {
	for len(sw.links) > 0 {
		t.drop(sw.links[0])
	}
	if sw.published {
		t.published--
	}
	sw.unconfirmed = false
	t.state.setPossible(sw.dpid, nil)
	t.numbers.put(sw.number)
	delete(t.switches, sw.dpid)
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
