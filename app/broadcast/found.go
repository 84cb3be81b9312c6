package broadcast

import (
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
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

// foundTree is a switch's part of the tree when it was read: the inter-switch ports in it, and those left
// out.
type foundTree struct{ in, off []uint32 }

// foundTrees are those that the core has not taken yet. Any goroutine may add to them.
type foundTrees struct {
	mu   sync.Mutex
	list []foundAt
}

// foundAt is what was found at a switch.
type foundAt struct {
	dpid netview.DPID
	tree foundTree
}

// add adds what was found at a switch.
func (f *foundTrees) add(dpid netview.DPID, ports TreePorts) {
	var tree foundTree
	for _, port := range ports.Links {
		if slices.Contains(ports.Off, port) {
			tree.off = append(tree.off, port)
		} else {
			tree.in = append(tree.in, port)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, foundAt{dpid, tree})
}

// take returns what was added, in its order.
func (f *foundTrees) take() []foundAt {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	f.list = nil
	return list
}
