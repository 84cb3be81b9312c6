package broadcast

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// treePorts is the tree at one switch. All lists are sorted and hold ports that are up, but for
// mute.
type treePorts struct {
	out   []uint32 // outputs of the tree: its links and the edge ports
	links []uint32 // all inter-switch ports
	// mute are the ports of unknown role, or blocked: what comes in there is shown to the
	// controller and goes nowhere. Of those that are down these are the ones that were links'.
	mute []uint32
}

// equal reports whether two switches' rules would be the same.
func (p treePorts) equal(q treePorts) bool {
	return slices.Equal(p.out, q.out) && slices.Equal(p.links, q.links) && slices.Equal(p.mute, q.mute)
}

// inTree returns the tree's links at a switch, as ports.
func (p treePorts) inTree() []uint32 {
	in := make([]uint32, 0, len(p.links))
	for _, port := range p.links {
		if slices.Contains(p.out, port) {
			in = append(in, port)
		}
	}
	return in
}

// allRolesKnown reports whether discovery has settled what is behind each port that is up.
func allRolesKnown(sw *netview.Switch) bool {
	return !slices.ContainsFunc(sw.Ports, func(p netview.Port) bool {
		return p.Up && p.Number < openflow.PortMax && p.Role == netview.PortUnknown
	})
}

// ports returns the ports of one switch, without those held back.
func (c *core) ports(sw *treeSwitch) treePorts {
	tree, held := c.forest.Ports(sw.dpid), c.held.at(sw.dpid)
	var p treePorts
	for i := range sw.row.Ports {
		port := &sw.row.Ports[i]
		switch {
		case port.Role == netview.PortLink:
			p.links = append(p.links, port.Number)
			if slices.Contains(tree, port.Number) && !held.has(netview.Point{DPID: sw.dpid, Port: port.Number}) {
				p.out = append(p.out, port.Number)
			}
		case port.Up && (port.Role == netview.PortUnknown || port.Role == netview.PortBlocked || port.Reserved) &&
			port.Number < openflow.PortMax:
			p.mute = append(p.mute, port.Number)
		case port.Role == netview.PortUnknown && port.Number < openflow.PortMax && sw.guarded(port.Number): // it is down
			p.mute = append(p.mute, port.Number)
		case isEdge(port) && !held.has(netview.Point{DPID: sw.dpid, Port: port.Number}):
			p.out = append(p.out, port.Number)
		}
	}
	return p
}

// guarded reports whether a port led to another switch, or its role was unknown: when it comes up
// again its switch may have no session, and the other end may still have it in the tree.
func (sw *treeSwitch) guarded(port uint32) bool {
	if sw.published {
		return slices.Contains(sw.ports.links, port) || slices.Contains(sw.ports.mute, port)
	}
	return slices.Contains(sw.off, port)
}

// union returns the sorted union of two lists.
func union(a, b []uint32) []uint32 {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}
