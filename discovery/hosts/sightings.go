package hosts

import (
	"slices"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// Handle handles a sighting: at an edge it creates, moves, or refreshes a host; at a port
// of unknown role it is deferred; at a link it is ignored.
func (t *Tracker) Handle(s *Sighting) {
	p := t.Port(s.At)
	switch {
	case p == nil || !p.Up || !p.Device.Connected || t.Occupancy.mayBeCopy(p, s):
	case p.Role == netview.PortLink:
		t.Seen.add(t.Seen.hashPort(p.At))
	case p.Role == netview.PortEdge:
		t.moves.hostAnswered(p, s)
		t.admitHost(p, s)
	default:
		t.moves.hostAnswered(p, s)
		t.Deferred.add(s)
	}
}

// admitHost handles a sighting at an edge. A host known elsewhere moves only if it is gone there.
func (t *Tracker) admitHost(p *inventory.Port, s *Sighting) {
	if old, ok := t.Tx.Host(s.ID); ok && old.At != s.At {
		if !t.moves.moveBack(old, s) {
			t.moves.hostClaimed(old, s)
		}
		return
	}
	t.Rows.learn(p, s)
}

// Delete deletes a host with all its state.
func (t *Tracker) Delete(h *netview.Host) {
	t.moves.endUnverified(h.HostID)
	delete(t.queries.open, h.HostID)
	t.Rows.delete(h)
}

// Expel deletes the hosts at a port that has become a link's.
func (t *Tracker) Expel(p *inventory.Port) {
	for _, h := range slices.Clone(t.Rows.hostsAt(p.At)) {
		t.Delete(h)
		t.Counts.Expelled.Add(1)
	}
	p.Hosts = 0
}

// Forget deletes a host, and reports whether it was known. It is learned again with its next packet.
func (t *Tracker) Forget(id netview.HostID) bool {
	h, ok := t.Tx.Host(id)
	if !ok {
		return false
	}
	t.Delete(h)
	t.Counts.Forgotten.Add(1)
	return true
}
