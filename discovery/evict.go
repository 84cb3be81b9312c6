package discovery

import (
	"github.com/weirnet/weir/discovery/inventory"
)

// makeRoom deletes the longest disconnected switch without configuration if Limits.Switches is
// reached. Connected switches stay: sessions have a limit of their own.
func (s *switches) makeRoom() {
	if len(s.Devices) < s.Limits.Switches {
		return
	}
	if oldest := s.strangers.longestDisconnected(nil); oldest != nil {
		s.evict(oldest)
	}
}

// evict deletes a switch to make room.
func (s *switches) evict(d *inventory.Device) {
	s.remove(d)
	s.Counts.Evicted.Add(1)
}

// remove deletes a switch with its links and hosts.
func (s *switches) remove(d *inventory.Device) {
	for _, p := range d.Ports {
		p.Up = false // so that removeLink does not re-evaluate it
		for _, e := range p.Links() {
			s.links.removeLink(e)
		}
	}
	s.hosts.Removed(d)
	s.control.SessionReturned(d.DPID)
	s.strangers.keep(d)
	s.RemoveSuccession(d)
	s.Counts.Ports.Add(-int64(len(d.Ports)))
	delete(s.Devices, d.DPID)
	s.DeleteRow(d.DPID)
}
