package forward

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// FloodsPerSecond is how many packets a second are flooded by packet-outs; further ones are
// dropped.
const FloodsPerSecond = 200

// edgePorts are the edge ports of one switch.
type edgePorts struct {
	dpid  netview.DPID
	ports []uint32
}

// flood sends a packet out of every edge port of the network but the one it came from, by
// packet-outs to each switch, so that no switch on the way sees it again. d.mu is held. Packets
// that come from another switch are not flooded: the switch where they entered has done it.
func (f *Forward) flood(d *Datapath, out *switchConn, pin *openflow.PacketIn) {
	all := f.edges.Load()
	if all == nil || len(pin.Data) < int(pin.TotalLen) || !atEdge(*all, d.id, pin.InPort) {
		return
	}
	if !d.mayFlood(pin.InPort) || f.floodsLeft.Add(-1) < 0 {
		f.count.HeldDropped.Add(1)
		return
	}
	f.count.Flooded.Add(1)
	for _, e := range *all {
		to, inPort := out, pin.InPort
		if e.dpid != d.id {
			if to = f.connOf(e.dpid); to == nil {
				continue
			}
			inPort = openflow.PortController
		}
		d.po = openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: inPort, Data: pin.Data}
		for _, port := range e.ports {
			if e.dpid != d.id || port != pin.InPort {
				d.po.Actions = append(d.po.Actions, openflow.Output(port))
			}
		}
		if len(d.po.Actions) > 0 && d.send(to.PacketOut(&d.po)) && e.dpid != d.id {
			to.Flush()
		}
	}
}

// atEdge reports whether a port is an edge port.
func atEdge(all []edgePorts, dpid netview.DPID, port uint32) bool {
	i, ok := findEdge(all, dpid)
	return ok && slices.Contains(all[i].ports, port)
}

// findEdge finds a switch.
func findEdge(all []edgePorts, dpid netview.DPID) (int, bool) {
	return slices.BinarySearchFunc(all, dpid, func(e edgePorts, id netview.DPID) int { return cmp.Compare(e.dpid, id) })
}

// isEdge reports whether hosts may be behind a port. The switch's own port (PortLocal) is no edge.
func isEdge(p *netview.Port) bool {
	return p.Up && p.Role == netview.PortEdge && p.Number < openflow.PortMax
}

// updateEdges updates the edge ports of the switches that changes name, or of all unless whole.
func (f *Forward) updateEdges(changes []netview.Change, snap *netview.Snapshot, whole bool) {
	if !whole {
		all := edgesOf(snap)
		f.edges.Store(&all)
		return
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == netview.KindSwitch {
			f.updateEdgesAt(c.Switch, c.Deleted)
		}
	}
}

// updateEdgesAt updates one switch; gone: it was deleted. A flood in progress keeps the list that
// it has.
func (f *Forward) updateEdgesAt(sw *netview.Switch, gone bool) {
	var all []edgePorts
	if old := f.edges.Load(); old != nil {
		all = *old
	}
	next := edgePorts{dpid: sw.DPID}
	if !gone {
		next.ports = portsToEdge(sw)
	}
	i, had := findEdge(all, sw.DPID)
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
	f.edges.Store(&all)
}

// edgesOf returns the edge ports of all switches, by datapath id.
func edgesOf(snap *netview.Snapshot) []edgePorts {
	var all []edgePorts
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
