package forward

import (
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// TreePorts are the ports to other switches that rows of a tree name, and those of them that the tree
// leaves out. By the switch plan such rows name no other ports by in_port, and those that are left out
// at a priority of their own.
type TreePorts struct{ Links, Off []uint32 }

// AddRow adds the ports of a row.
func (t *TreePorts) AddRow(m openflow.Match, priority uint16) {
	n, ok := m.Uint(openflow.FieldInPort)
	if !ok {
		return
	}
	port := uint32(n)
	if !slices.Contains(t.Links, port) {
		t.Links = append(t.Links, port)
	}
	if priority >= plan.BandTree.Low+plan.PriorityOffTree && !slices.Contains(t.Off, port) {
		t.Off = append(t.Off, port)
	}
}

// AddPossible adds ports that may be in the tree.
func (t *TreePorts) AddPossible(ports []uint32) {
	for _, port := range ports {
		if !slices.Contains(t.Links, port) {
			t.Links = append(t.Links, port)
		}
	}
	t.Off = slices.DeleteFunc(t.Off, func(port uint32) bool { return slices.Contains(ports, port) })
}
