package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// ports keeps what is known of ports, and acts on those that come, go, or change. In: port statuses, handshakes,
// configuration. Out: their rows, links that end with them, what is to be discovered at them.
type ports struct {
	*inventory.Table
	pace      *probes.Pace
	prober    *probes.Prober
	hosts     *hosts.Tracker
	roles     *roles
	links     *links
	strangers *strangers
}

// status handles a port that was added, deleted or modified. It ignores late messages of a
// disconnected switch.
func (t *ports) status(dpid netview.DPID, reason openflow.PortReason, of *openflow.Port) {
	d := t.Devices[dpid]
	if d == nil || !d.Connected {
		return
	}
	r := t.PortRow(dpid, of)
	i, known := inventory.SearchPort(d.Ports, r.Number)
	if known && reason != openflow.PortDeleted && !d.Ports[i].Is(&r) { // replaced by another port
		t.deleted(d, i)
		known = false
	}
	switch {
	case reason == openflow.PortDeleted:
		if known {
			t.deleted(d, i)
		}
		return
	case !known && !t.strangers.roomForPort(d):
		return
	case !known:
		p := t.add(d, &r)
		p.Appeared, p.SentCleared = t.SinceStart(), t.Now // earlier probes from and to its number were another port's
		d.Ports = slices.Insert(d.Ports, i, p)
		t.Counts.Ports.Add(1)
		t.pace.Ports++
		row := t.EditRow(dpid)
		row.Ports = slices.Insert(row.Ports, i, r)
		t.prober.ScheduleRounds(d)
	}
	t.changed(d.Ports[i], i, r)
}

// changed updates a port and its row, the i-th of the switch, from a port status.
func (t *ports) changed(p *inventory.Port, i int, r netview.Port) {
	r.Role = p.Role
	if old, ok := t.Tx.Switch(p.At.DPID); !ok || old.Ports[i] != r {
		t.EditRow(p.At.DPID).Ports[i] = r
	}
	switch {
	case p.Up && !r.Up:
		t.down(p)
	case !p.Up && r.Up:
		t.up(p)
		t.prober.Start(p)
	}
}

func (t *ports) deleted(d *inventory.Device, i int) {
	p := d.Ports[i]
	if p.Up {
		t.down(p)
	}
	t.rememberRemoved(d, p)
	row := t.EditRow(d.DPID)
	row.Ports = slices.Delete(row.Ports, i, i+1)
	d.Ports = slices.Delete(d.Ports, i, i+1)
	t.Counts.Ports.Add(-1)
	t.pace.Ports--
}

// up starts the discovery at a port that came up.
func (t *ports) up(p *inventory.Port) {
	p.Up = true
	p.Hosts = 0
	for range t.Tx.HostsAt(p.At) {
		p.Hosts++
	}
	t.roles.setUnknown(p)
}

// down removes a port's links, in both directions, and makes its hosts unconfirmed.
func (t *ports) down(p *inventory.Port) {
	p.Up, p.EdgeSince = false, time.Time{}
	p.NoteCarrierLost()
	t.prober.Forget(p)
	p.VacatedAt, p.QueriedAt, p.Querying = time.Time{}, time.Time{}, false
	for _, e := range p.Links() {
		t.links.removeLink(e)
	}
	t.hosts.Rows.SetUnconfirmed(p)
	t.hosts.Deferred.Take(p.At)
	t.roles.setRole(p, netview.PortUnknown)
}
