package node

import (
	"slices"

	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// found tells discovery which ports of a switch led to other switches when its tree was written: by the switch plan only
// those are named by in_port in the tree's rows.
func (n *switches) found(dpid netview.DPID, entries []flowsync.Entry) {
	var ports []uint32
	for i := range entries {
		if port, ok := entries[i].Match.Uint(openflow.FieldInPort); ok && !slices.Contains(ports, uint32(port)) {
			ports = append(ports, uint32(port))
		}
	}
	n.discovery.Remembered(dpid, ports)
}

// adopt takes the pairs of this life, which the application knows, out of the soft entries that a switch listed. From a
// whole list the application learns which of its pairs have run out unheard.
func (n *switches) adopt(dpid netview.DPID, soft []flowsync.SoftEntry, whole bool) []flowsync.SoftEntry {
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
