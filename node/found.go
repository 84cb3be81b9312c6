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
