package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// Load restores the view of the previous process: before anything else, in a transaction of its
// own. Everything is unconfirmed until there is evidence: switches are disconnected, links and
// hosts where they were. Inconsistent rows are dropped. Rows belong to the view from then on.
func (c *Core) Load(switches []*netview.Switch, links []*netview.Link, hosts []*netview.Host) {
	for _, row := range switches {
		if c.Devices[row.DPID] == nil && len(c.Devices) < c.Limits.Switches {
			c.switches.load(row)
		}
	}
	for _, l := range links {
		c.links.load(l)
	}
	for _, l := range links {
		c.links.loadLost(l)
	}
	for _, d := range c.Sorted() {
		c.links.loadRoles(d)
	}
	for _, h := range hosts {
		if p := c.Port(h.At); p != nil && p.Role != netview.PortLink {
			c.hosts.Rows.Restore(p, h)
		}
	}
}

// load adds a disconnected switch with its ports. Where a link was a link may be.
func (s *switches) load(old *netview.Switch) {
	row := *old
	row.State, row.Connected, row.Settled, row.Since = netview.SwitchDisconnected, false, false, s.Now
	row.Name = row.OwnName() // configuration is applied again
	row.Ports = slices.Clone(old.Ports)
	inventory.SortPorts(&row)
	d := s.Add(row.DPID)
	d.DisconnectedAt, d.Established = s.Now, true
	for i := range row.Ports {
		r := &row.Ports[i]
		r.Edge = s.Settings.Ports[netview.Point{DPID: row.DPID, Port: r.Number}].Edge
		p := s.ports.add(d, r)
		p.Up, p.QuietSince, p.SentCleared = r.Up, s.Now, s.Now
		switch {
		case r.Role == netview.PortLink && !p.ConfiguredEdge:
			p.History = inventory.HistoryRestored
		case r.Role == netview.PortEdge && p.Up:
			p.Role = netview.PortEdge
		}
		d.Ports = append(d.Ports, p)
	}
	s.Counts.Ports.Add(int64(len(d.Ports)))
	s.PutRow(&row)
}

// load adds a link between two ports that were up.
func (l *links) load(row *netview.Link) {
	src, dst := l.Port(row.Src), l.Port(row.Dst)
	if src == nil || dst == nil || !src.Up || !dst.Up || src.ConfiguredEdge || dst.ConfiguredEdge || !row.Up ||
		src.LinkTo(dst) != nil ||
		len(src.Out) >= maxPortLinks || len(dst.In) >= maxPortLinks {
		return
	}
	near := row.State != netview.LinkIndirect && row.State != netview.LinkShared
	e := l.table.add(src, dst, near, row.State == netview.LinkIndirect && !l.cables.trusted(src, dst))
	if l.Settings.LinkFrame > 0 {
		e.Width = row.Width
	}
	if e.Created = (time.Time{}); near { // it was not heard yet
		setProven(e)
	}
	src.PastLink = inventory.PastLink{History: inventory.HistoryUnobserved, Peer: row.Dst}
	dst.PastLink = inventory.PastLink{History: inventory.HistoryUnobserved, Peer: row.Src}
}

// loadLost restores the history of a port whose link was lost. It may be a link again, and its
// other end may forward while disconnected; so hosts are not admitted at such a port until there is
// evidence (requiredSilence in classify.go).
func (l *links) loadLost(row *netview.Link) {
	src, dst := l.Port(row.Src), l.Port(row.Dst)
	if row.Up || src == nil || dst == nil || src == dst || src.ConfiguredEdge || src.Role != netview.PortUnknown ||
		len(src.In)+len(src.Out) > 0 {
		return
	}
	src.PastLink = inventory.PastLink{History: inventory.HistoryUnobserved, Peer: row.Dst}
	if row.State == netview.LinkConfirmed || row.State == netview.LinkUnconfirmed {
		src.ProvenPeer = row.Dst
	}
	l.table.restoreLost(row)
}

// loadRoles makes links' ports of those that have links now, and writes the roles of a switch's ports and
// the links from it.
func (l *links) loadRoles(d *inventory.Device) {
	row := l.EditRow(d.DPID)
	for i, p := range d.Ports {
		if len(p.In)+len(p.Out) > 0 {
			was := p.Role
			p.Role = netview.PortLink
			l.hosts.RoleChanged(p, was)
		}
		row.Ports[i].Role = p.Role
		for _, e := range p.Out {
			l.table.restore(e)
		}
	}
}
