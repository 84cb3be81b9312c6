package hosts

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// A host whose switch is disconnected cannot be queried at its old location. It moves all the same
// once its switch seems to be gone, or after inventory.disconnectedHoldTime, since a host that really moved
// must not stay unreachable for as long as its old switch is away. The move may be an attack, so
// the old location is kept, and checked when its switch is back: if the host answers there, it is
// moved back.

// unverifiedMoves are the locations of hosts before such moves.
type unverifiedMoves struct {
	*inventory.Transaction
	from map[netview.HostID]netview.Point
}

// end drops the old location of a host, and reports whether there was one.
func (m *unverifiedMoves) end(id netview.HostID) bool {
	if _, ok := m.from[id]; !ok {
		return false
	}
	delete(m.from, id)
	m.Alarms.Clear(netview.AlarmUnverifiedMove, id.String())
	return true
}

// ids returns the hosts in order.
func (m *unverifiedMoves) ids() []netview.HostID {
	return slices.SortedFunc(maps.Keys(m.from), netview.HostID.Compare)
}

// acceptUnverified moves a host to where it was seen, without a query at its old location.
func (m *moves) acceptUnverified(old *netview.Host, s *Sighting) {
	m.acceptClaim(s)
	h, ok := m.Tx.Host(s.ID)
	if !ok || h.At != s.At {
		return
	}
	first, again := m.unverified.from[s.ID]
	if !again { // of several moves the first location counts
		first = old.At
		m.unverified.from[s.ID] = first
	}
	d := m.Devices[first.DPID]
	if d == nil || d.Successor != nil || !inventory.NeighbourHasCarrier(d) {
		return
	}
	m.Alarms.Raise(netview.AlarmUnverifiedMove, s.ID.String(), "host %s was moved from %s to %s, where it spoke, "+
		"though switch %s has had no session for %s and may still forward: it is asked at its old place when the switch is back",
		s.ID, first, s.At, first.DPID, m.Now.Sub(d.DisconnectedAt).Round(time.Second))
}

// endUnverified drops the old location of an unverified move, and the query there.
func (m *moves) endUnverified(id netview.HostID) {
	if !m.unverified.end(id) {
		return
	}
	if a := m.queries.open[id]; a != nil && a.elsewhere {
		delete(m.queries.open, id)
	}
}

// endUnverifiedFrom does so for all whose old location was at a switch that is deleted.
func (m *moves) endUnverifiedFrom(dpid netview.DPID) {
	for _, id := range m.unverified.ids() {
		if m.unverified.from[id].DPID == dpid {
			m.endUnverified(id)
		}
	}
}

// moveBack moves a host back to its location before an unverified move, if it is seen there.
func (m *moves) moveBack(h *netview.Host, s *Sighting) bool {
	if at, ok := m.unverified.from[s.ID]; !ok || at != s.At {
		return false
	}
	if q := m.Port(h.At); q != nil && q.Up && q.Device.Connected { // else it may really have moved, and moved back
		m.RaiseAlarm(netview.AlarmHostHijack, h.At,
			"host %s was seen at %s while its switch could not be asked, and is at %s: it was moved back",
			s.ID, h.At, s.At)
		m.Counts.Hijacks.Add(1)
	}
	m.endUnverified(s.ID)
	m.acceptClaim(s)
	return true
}

// checkUnverified queries hosts at their locations before unverified moves, if those switches are
// back.
func (m *moves) checkUnverified() {
	if len(m.unverified.from) == 0 {
		return
	}
	for _, id := range m.unverified.ids() {
		at := m.unverified.from[id]
		h, known := m.Tx.Host(id)
		p := m.Port(at)
		switch {
		case !known || h.At == at || p == nil || p.Role == netview.PortLink || p.Device.Connected && !p.Up:
			m.endUnverified(id)
		case p.Device.Connected && p.Role == netview.PortEdge && m.queries.open[id] == nil:
			if a := m.queries.start(h, at); a != nil {
				a.elsewhere = true
			}
		}
	}
}
