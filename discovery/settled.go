package discovery

import (
	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// settling finds out when everything at a switch has been discovered that can be soon after its
// handshake.
type settling struct {
	*inventory.Table
	pace  *probes.Pace
	hosts *hosts.Tracker
	ends  inventory.Deadlines[inventory.Deadline]
}

func (s *settling) tasks() []inventory.Task {
	return []inventory.Task{s.ends.On(s.Transaction, s.dueSettled)}
}

// start starts with the handshake of a switch: in two periods all its links will have been heard.
func (s *settling) start(d *inventory.Device) {
	s.ends.Add(s.Now.Add(2*s.pace.Period), inventory.Deadline{At: netview.Point{DPID: d.DPID}, Since: s.Now})
}

// due returns a switch that has had its time, if it is still this session; nil if not. If a port led
// to another switch before the restart it waits for that one, for a bounded time; until then the
// switch keeps its rules.
func (s *settling) due(l inventory.Deadline) *inventory.Device {
	d := s.Devices[l.At.DPID]
	switch {
	case d == nil || d.Settled || !d.Connected || !d.ConnectedAt.Equal(l.Since):
		return nil
	case d.AwaitsFormerLink() && s.Now.Before(d.ConnectedAt.Add(unobservedSilence+maxSettles*s.pace.Settle)):
		s.ends.Add(s.Now.Add(s.pace.Period), l)
		return nil
	}
	return d
}

// isComplete reports whether nothing is left to discover at a switch: the role of each port that is
// up is known, and each link was heard twice since the handshake.
func isComplete(d *inventory.Device) bool {
	for _, p := range d.Ports {
		if p.Up && p.Role == netview.PortUnknown {
			return false
		}
		for _, e := range p.Links() {
			if e.BothConnected() && e.HeardCount < 2 {
				return false
			}
		}
	}
	return true
}

func (s *settling) dueSettled(l inventory.Deadline) {
	if d := s.due(l); d != nil {
		s.settle(d)
	}
}

// settleEarly settles a switch before its time if it is complete.
func (s *settling) settleEarly(d *inventory.Device) {
	if !d.Settled && d.Connected && isComplete(d) {
		s.settle(d)
	}
}

// settle settles a switch, and with the last connected one the view.
func (s *settling) settle(d *inventory.Device) {
	d.Settled = true
	for _, p := range d.Ports {
		s.hosts.QuerySuccessor(p)
	}
	s.EditRow(d.DPID).Settled = true
	if s.Settled++; s.Settled == s.Connected {
		s.Tx.SetSettled()
	}
}
