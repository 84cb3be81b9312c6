package broadcast

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// edgePorts are the edge ports of one switch.
type edgePorts struct {
	dpid  netview.DPID
	ports []uint32
}

// edgeList are the edge ports of all switches that have some, in the order of datapath ids. It is not changed.
type edgeList []edgePorts

// has reports whether a port is an edge port.
func (l edgeList) has(at netview.Point) bool {
	i, ok := l.find(at.DPID)
	return ok && slices.Contains(l[i].ports, at.Port)
}

// find finds a switch, or its place.
func (l edgeList) find(dpid netview.DPID) (int, bool) {
	return slices.BinarySearchFunc(l, dpid, func(e edgePorts, id netview.DPID) int { return cmp.Compare(e.dpid, id) })
}

// isEdge reports whether hosts may be behind a port that are not a tenant's. The switch's own port (PortLocal) is no edge.
func isEdge(p *netview.Port) bool {
	return p.Up && !p.Reserved && p.Role == netview.PortEdge && p.Number < openflow.PortMax
}

// edges are the edge ports of the network. The part updates them, any goroutine reads them: a flood in
// progress keeps the list that it has.
type edges struct{ now atomic.Pointer[edgeList] }

// all returns them.
func (e *edges) all() edgeList {
	if list := e.now.Load(); list != nil {
		return *list
	}
	return nil
}

// update updates the edge ports of the switches that changes name, or of all unless whole.
func (e *edges) update(changes []netview.Change, snap *netview.Snapshot, whole bool) {
	if !whole {
		list := edgesOf(snap)
		e.now.Store(&list)
		return
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == netview.KindSwitch {
			e.updateSwitch(c.Switch, c.Deleted)
		}
	}
}

// updateSwitch updates one switch; gone: it was deleted.
func (e *edges) updateSwitch(sw *netview.Switch, gone bool) {
	all := e.all()
	next := edgePorts{dpid: sw.DPID}
	if !gone {
		next.ports = portsToEdge(sw)
	}
	i, had := all.find(sw.DPID)
	switch {
	case !had && len(next.ports) == 0, had && slices.Equal(all[i].ports, next.ports):
		return
	case !had:
		all = slices.Insert(slices.Clone(all), i, next)
	case len(next.ports) == 0:
		all = slices.Delete(slices.Clone(all), i, i+1)
	default:
		all = slices.Clone(all)
		all[i] = next
	}
	e.now.Store(&all)
}

// edgesOf returns the edge ports of all switches.
func edgesOf(snap *netview.Snapshot) (all edgeList) {
	for sw := range snap.Switches() {
		if ports := portsToEdge(sw); len(ports) > 0 {
			all = append(all, edgePorts{dpid: sw.DPID, ports: ports})
		}
	}
	return all
}

// portsToEdge returns the edge ports of a switch.
func portsToEdge(sw *netview.Switch) (ports []uint32) {
	for i := range sw.Ports {
		if p := &sw.Ports[i]; isEdge(p) {
			ports = append(ports, p.Number)
		}
	}
	return ports
}
