package discovery

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// A host whose switch is disconnected cannot be queried at its old location. It moves all the same
// once its switch seems to be gone, or after disconnectedHoldTime, since a host that really moved
// must not stay unreachable for as long as its old switch is away. The move may be an attack, so
// the old location is kept, and checked when its switch is back: if the host answers there, it is
// moved back.

// unverifiedMoves are the locations of hosts before such moves.
type unverifiedMoves struct {
	*transaction
	from map[netview.HostID]netview.Point
}

// end drops the old location of a host, and reports whether there was one.
func (m *unverifiedMoves) end(id netview.HostID) bool {
	if _, ok := m.from[id]; !ok {
		return false
	}
	delete(m.from, id)
	m.alarms.clear(netview.AlarmUnverifiedMove, id.String())
	return true
}

// ids returns the hosts in order.
func (m *unverifiedMoves) ids() []netview.HostID {
	return slices.SortedFunc(maps.Keys(m.from), netview.HostID.Compare)
}

// acceptUnverified moves a host to where it was seen, without a query at its old location.
func (c *Core) acceptUnverified(old *netview.Host, s *sighting) {
	c.acceptClaim(s)
	h, ok := c.tx.Host(s.id)
	if !ok || h.At != s.at {
		return
	}
	first, again := c.unverified.from[s.id]
	if !again { // of several moves the first location counts
		first = old.At
		c.unverified.from[s.id] = first
	}
	d := c.devices[first.DPID]
	if d == nil || d.successor != nil || !neighbourHasCarrier(d) {
		return
	}
	c.alarms.raise(netview.AlarmUnverifiedMove, s.id.String(), "host %s was moved from %s to %s, where it spoke, "+
		"though switch %s has had no session for %s and may still forward: it is asked at its old place when the switch is back",
		s.id, first, s.at, first.DPID, c.now.Sub(d.disconnectedAt).Round(time.Second))
}

// endUnverified drops the old location of an unverified move, and the query there.
func (c *Core) endUnverified(id netview.HostID) {
	if !c.unverified.end(id) {
		return
	}
	if a := c.queries.open[id]; a != nil && a.elsewhere {
		delete(c.queries.open, id)
	}
}

// moveBack moves a host back to its location before an unverified move, if it is seen there.
func (c *Core) moveBack(h *netview.Host, s *sighting) bool {
	if at, ok := c.unverified.from[s.id]; !ok || at != s.at {
		return false
	}
	if q := c.port(h.At); q != nil && q.up && q.device.connected { // else it may really have moved, and moved back
		c.raiseAlarm(netview.AlarmHostHijack, h.At,
			"host %s was seen at %s while its switch could not be asked, and is at %s: it was moved back",
			s.id, h.At, s.at)
		c.Counts.Hijacks.Add(1)
	}
	c.endUnverified(s.id)
	c.acceptClaim(s)
	return true
}

// checkUnverified queries hosts at their locations before unverified moves, if those switches are
// back.
func (c *Core) checkUnverified() {
	if len(c.unverified.from) == 0 {
		return
	}
	for _, id := range c.unverified.ids() {
		at := c.unverified.from[id]
		h, known := c.tx.Host(id)
		p := c.port(at)
		switch {
		case !known || h.At == at || p == nil || p.role == netview.PortLink || p.device.connected && !p.up:
			c.endUnverified(id)
		case p.device.connected && p.role == netview.PortEdge && c.queries.open[id] == nil:
			if a := c.queries.start(h, at); a != nil {
				a.elsewhere = true
			}
		}
	}
}
