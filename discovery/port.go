package discovery

import (
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// add creates a port. If the same port was deleted before, its history is restored, though
// another cable may be in it. If a different one had this number, its hosts are deleted.
func (t *ports) add(d *inventory.Device, r *netview.Port) *inventory.Port {
	at := netview.Point{DPID: d.DPID, Port: r.Number}
	p := &inventory.Port{At: at, Device: d, Name: r.Name, MAC: r.MAC, ConfiguredEdge: r.Edge}
	t.prober.Idle(p)
	if f, ok := d.Removed[r.Number]; ok {
		if f.Port.SamePort(r) {
			p.PastLink = f.PastLink
		} else {
			t.hosts.Expel(p)
		}
		delete(d.Removed, r.Number)
	}
	return p
}

// rememberRemoved keeps the history of a deleted port, if it had a link or hosts. A probe that was
// heard at it, or of it, may have been another port's, which its switch had not reported yet.
func (t *ports) rememberRemoved(d *inventory.Device, p *inventory.Port) {
	p.NoteCarrierLost()
	t.hosts.Occupancy.ClearAlarm(p)
	switch {
	case p.History == inventory.HistoryNone && p.Hosts == 0:
		return
	case len(d.Removed) >= maxRemovedPorts:
		t.hosts.Expel(p)
		return
	}
	if d.Removed == nil {
		d.Removed = make(map[uint32]inventory.RemovedPort)
	}
	d.Removed[p.At.Port] = inventory.RemovedPort{
		Port: netview.Port{Number: p.At.Port, Name: p.Name, MAC: p.MAC}, PastLink: p.PastLink,
	}
}

// merge updates the device's ports from a row, and the row's roles from the ports. Links and
// hosts of ports that were removed or are down now are treated as by a port status.
func (t *ports) merge(d *inventory.Device, row *netview.Switch) {
	old := d.Ports
	t.Counts.Ports.Add(int64(len(row.Ports) - len(old)))
	d.Ports = make([]*inventory.Port, 0, len(row.Ports))
	for i := range row.Ports {
		r := &row.Ports[i]
		var p *inventory.Port
		if j, ok := inventory.SearchPort(old, r.Number); ok && old[j].Is(r) {
			p = old[j]
		} else {
			p = t.add(d, r)
		}
		d.Ports = append(d.Ports, p)
		if p.Up && !r.Up {
			t.down(p)
		} else if !p.Up && r.Up {
			t.up(p)
		}
	}
	for _, p := range old {
		if now := d.Port(p.At.Port); now != p {
			if p.Up {
				t.down(p)
			}
			if now == nil {
				t.rememberRemoved(d, p)
			} else {
				t.hosts.Occupancy.ClearAlarm(p)
				t.hosts.Expel(p)
			}
		}
	}
	for i, p := range d.Ports { // last, because the removal of a port may change another's role
		row.Ports[i].Role = p.Role
	}
}
