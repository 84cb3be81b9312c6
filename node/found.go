package node

import (
	"slices"

	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// found tells discovery which ports of a switch led to other switches when its tree was written, and the application which
// of them its tree left out: by the switch plan the tree's rows name by in_port only such ports, and at a priority of their
// own those that are left out.
func (n *switches) found(dpid netview.DPID, entries []flowsync.Entry) {
	var ports, off []uint32
	for i := range entries {
		e := &entries[i]
		port, ok := e.Match.Uint(openflow.FieldInPort)
		if !ok {
			continue
		}
		if !slices.Contains(ports, uint32(port)) {
			ports = append(ports, uint32(port))
		}
		if e.Priority >= plan.BandTree.Low+plan.PriorityOffTree && !slices.Contains(off, uint32(port)) {
			off = append(off, uint32(port))
		}
	}
	n.discovery.Remembered(dpid, ports)
	if n.forward != nil {
		n.forward.FoundTree(dpid, ports, off)
	}
}

// adopt takes the pairs of this life, which the application knows, out of the soft entries that a switch listed. From a
// whole list the application learns which of its pairs have run out unheard.
func (n *switches) adopt(dpid netview.DPID, soft []flowsync.SoftEntry, whole bool) []flowsync.SoftEntry {
	soft = slices.DeleteFunc(soft, unguarded)
	if n.forward == nil {
		return soft
	}
	if whole {
		listed := make([]openflow.Match, len(soft))
		for i := range soft {
			listed[i] = soft[i].Match
		}
		n.forward.Listed(dpid, listed)
	}
	return slices.DeleteFunc(soft, func(e flowsync.SoftEntry) bool { return n.forward.Knows(dpid, e.Match, e.Cookie) })
}
