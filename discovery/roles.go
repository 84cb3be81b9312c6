package discovery

import (
	"slices"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// roles decides what ports are: links', edges, blocked or unknown. In: ports that came up or lost their
// link, probes where none is expected, time. Out: the roles in the rows, told to settling and hosts.
type roles struct {
	*inventory.Table
	pace       *probes.Pace
	prober     *probes.Prober
	hosts      *hosts.Tracker
	cables     *cableTrust
	settling   *settling
	classifier classifier
	blocks     inventory.Deadlines[netview.Point] // to unblock a port
}

// tasks returns what is done at some time.
func (r *roles) tasks() []inventory.Task {
	return []inventory.Task{
		r.classifier.ends.On(r.Transaction, r.classifyPort),
		r.blocks.On(r.Transaction, r.dueUnblock),
	}
}

// setUnknown makes a port's role unknown and starts its classification. One that is configured as
// edge becomes an edge.
func (r *roles) setUnknown(p *inventory.Port) {
	if p.ConfiguredEdge {
		p.History = inventory.HistoryNone
		r.setRole(p, netview.PortEdge)
		return
	}
	r.setRole(p, netview.PortUnknown)
	r.classifier.start(p)
}

// classifyPort makes an unknown port an edge if it has been silent long enough.
func (r *roles) classifyPort(d inventory.Deadline) {
	if p := r.classifier.due(d); p != nil {
		p.History = inventory.HistoryNone
		r.setRole(p, netview.PortEdge)
		r.settling.settleEarly(p.Device)
	}
}

// setRole changes a port's role, with its consequences: no hosts at a link; deferred sightings are
// admitted at an edge.
func (r *roles) setRole(p *inventory.Port, role netview.PortRole) {
	if p.Role == role {
		return
	}
	was := p.Role
	p.Role = role
	row := r.EditRow(p.At.DPID)
	if i := slices.IndexFunc(row.Ports, func(r netview.Port) bool { return r.Number == p.At.Port }); i >= 0 {
		row.Ports[i].Role = role
	}
	if role == netview.PortEdge {
		r.cables.startEdgeTime(p)
	}
	r.hosts.RoleChanged(p, was)
}

// blockOne blocks the port of the higher number; blocking one is enough, and a link's port is never
// blocked.
func (r *roles) blockOne(src, dst *inventory.Port) {
	src.JoinedAt, dst.JoinedAt = r.Now, r.Now
	switch {
	case dst.Role == netview.PortLink:
		r.block(src)
	case src.Role == netview.PortLink || src.At.Compare(dst.At) < 0:
		r.block(dst)
	default:
		r.block(src)
	}
}

// block excludes a port from broadcasts, for as long as unexpected probes are heard at it.
func (r *roles) block(p *inventory.Port) {
	if p.Role == netview.PortLink || !p.Up {
		return
	}
	p.BlockedAt = r.Now
	if p.Role == netview.PortBlocked {
		return
	}
	r.setRole(p, netview.PortBlocked)
	r.blocks.Add(r.Now.Add(r.pace.BlockTime()), p.At)
}

// dueUnblock re-evaluates a blocked port if no unexpected probe was heard there for long enough.
func (r *roles) dueUnblock(at netview.Point) {
	p := r.Port(at)
	if p == nil || p.Role != netview.PortBlocked {
		return
	}
	if end := p.BlockedAt.Add(r.pace.BlockTime()); !p.Device.Connected || end.After(r.Now) {
		r.blocks.Add(later(end, r.Now.Add(r.pace.Period)), at)
		return
	}
	p.History = inventory.HistoryNone
	r.setUnknown(p)
	r.prober.Start(p)
}
