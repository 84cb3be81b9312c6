package discovery

import (
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// switches keeps which switches there are, and acts on sessions that begin and end. In: handshakes, lost
// sessions, the limits, operators. Out: their rows, and the switches that are deleted.
type switches struct {
	*inventory.Table
	control   *inventory.ControlNetwork
	pace      *probes.Pace
	prober    *probes.Prober
	hosts     *hosts.Tracker
	cables    *cableTrust
	settling  *settling
	roles     *roles
	links     *links
	ports     *ports
	strangers *strangers
}

func (s *switches) tasks() []inventory.Task {
	return []inventory.Task{s.strangers.ends.On(s.Transaction, s.dueStranger)}
}

// up handles a handshake: of a new switch, or one that reconnects. Unchanged ports keep their
// history.
func (s *switches) up(f *SwitchFacts) {
	d := s.Devices[f.DPID]
	if d == nil {
		s.makeRoom()
		d = s.Add(f.DPID)
		s.LastNewSwitch = s.Now
		s.limitPorts(d, f)
	} else {
		s.down(f.DPID) // in case the end of its old session was not reported
		if s.Devices[f.DPID] == nil {
			d = s.Add(f.DPID) // it was evicted for lack of room
		}
		if row, ok := s.Tx.Switch(f.DPID); ok && differentSerial(row.Desc.Serial, f.Desc.Serial) {
			s.replaced(d)
		}
		s.strangers.keep(d)
		s.limitPorts(d, f)
	}
	d.Connected, d.ConnectedAt, d.Settled, d.Successor = true, s.Now, false, nil
	d.Received = f.Received
	s.Connected++
	row := s.row(f)
	inventory.SortPorts(row)
	s.Editing(row)
	s.ports.merge(d, row)
	d.HandshakePorts = len(d.Ports)
	s.pace.Ports += len(d.Ports)
	s.PutRow(row)
	s.control.SessionReturned(d.DPID)
	for _, p := range d.Ports {
		for _, e := range p.Links() {
			e.Missed, e.HeardCount, e.FarStreak = 0, 0, 0
			e.LongMissed, e.LongDue = 0, 0
		}
		p.BlockedAt = s.Now
		if p.Role == netview.PortEdge {
			s.cables.startEdgeTime(p)
		}
		if p.Up {
			if p.Role == netview.PortUnknown && !p.QuietSince.Equal(s.Now) {
				s.roles.setUnknown(p)
			}
			s.prober.Start(p)
		}
	}
	for _, p := range d.Ports {
		for _, e := range p.Links() {
			s.links.table.writeStates(e) // a link that was not heard yet shares no segment
		}
	}
	s.prober.ScheduleRounds(d)
	s.settling.start(d)
}

// row returns the switch's row as described by its handshake.
func (s *switches) row(f *SwitchFacts) *netview.Switch {
	row := &netview.Switch{
		DPID: f.DPID, State: netview.SwitchReady, Connected: true, Version: f.Version,
		Address: f.Address, Desc: f.Desc, Buffers: f.Buffers, Tables: f.Tables,
		Capabilities: f.Capabilities, Since: s.Now, Ports: make([]netview.Port, 0, len(f.Ports)),
	}
	row.Name = row.OwnName()
	for i := range f.Ports {
		row.Ports = append(row.Ports, s.PortRow(f.DPID, &f.Ports[i]))
	}
	return row
}

// down handles the loss of a session. Nothing is known to be down: links and hosts become
// unconfirmed.
func (s *switches) down(dpid netview.DPID) {
	d := s.Devices[dpid]
	if d == nil || !d.Connected {
		return
	}
	if d.Settled {
		s.Settled--
	}
	d.Connected, d.Settled, d.DisconnectedAt = false, false, s.Now
	d.Received = nil
	s.hosts.SessionLost(dpid)
	s.Connected--
	s.pace.Ports -= len(d.Ports)
	row := s.EditRow(dpid)
	row.Connected, row.State, row.Since, row.Settled = false, netview.SwitchDisconnected, s.Now, false
	if s.links.removeSuperseded(d); d.Successor == nil {
		s.control.SessionLost(dpid)
	}
	for _, p := range d.Ports {
		s.prober.Forget(p)
		p.NoteSessionLost()
		p.EdgeSince = time.Time{} // the carrier cannot be observed
		for _, e := range p.Links() {
			s.links.table.put(e.Key(), true, e.State())
		}
		s.hosts.Rows.SetUnconfirmed(p)
	}
	for _, over := range s.strangers.disconnected(d) {
		s.forgetStranger(over)
	}
}
