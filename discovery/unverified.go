package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// A host whose switch is disconnected cannot be queried at its old location. It moves all the same
// once its switch seems to be gone, or after disconnectedHoldTime, since a host that really moved
// must not stay unreachable for as long as its old switch is away. The move may be an attack, so
// the old location is kept, and checked when its switch is back: if the host answers there, it is
// moved back.

// acceptUnverified moves a host to where it was seen, without a query at its old location.
func (c *Core) acceptUnverified(old *netview.Host, s *sighting) {
	c.acceptClaim(s)
	h, ok := c.tx.Host(s.id)
	if !ok || h.At != s.at {
		return
	}
	first, again := c.unverified[s.id]
	if !again { // of several moves the first location counts
		first = old.At
		c.unverified[s.id] = first
	}
	d := c.devices[first.DPID]
	if d == nil || d.successor != nil || !neighbourHasCarrier(d) {
		return
	}
	c.alarms.raise(netview.AlarmUnverifiedMove, s.id.String(), "host %s was moved from %s to %s, where it spoke, though switch %s "+
		"has had no session for %s and may still forward: it is asked at its old place when the switch is back",
		s.id, first, s.at, first.DPID, c.now.Sub(d.disconnectedAt).Round(time.Second))
}

// endUnverified drops the old location of an unverified move.
func (c *Core) endUnverified(id netview.HostID) {
	if _, ok := c.unverified[id]; !ok {
		return
	}
	delete(c.unverified, id)
	if a := c.queries[id]; a != nil && a.elsewhere {
		delete(c.queries, id)
	}
	c.alarms.clear(netview.AlarmUnverifiedMove, id.String())
}

// moveBack moves a host back to its location before an unverified move, if it is seen there.
func (c *Core) moveBack(h *netview.Host, s *sighting) bool {
	if at, ok := c.unverified[s.id]; !ok || at != s.at {
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
	if len(c.unverified) == 0 {
		return
	}
	ids := make([]netview.HostID, 0, len(c.unverified))
	for id := range c.unverified {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, netview.HostID.Compare)
	for _, id := range ids {
		at := c.unverified[id]
		h, known := c.tx.Host(id)
		p := c.port(at)
		switch {
		case !known || h.At == at || p == nil || p.role == netview.PortLink || p.device.connected && !p.up:
			c.endUnverified(id)
		case p.device.connected && p.role == netview.PortEdge && c.queries[id] == nil:
			if a := c.startQueryAt(h, at); a != nil {
				a.elsewhere = true
			}
		}
	}
}

// keepAbandoned is how many abandoned queries a switch may keep besides the open ones.
const keepAbandoned = 64

// barrierAfter schedules a barrier to a query's switch, after the frames of the transaction, and
// returns its number.
func (c *Core) barrierAfter(a *query) uint64 {
	d := c.devices[a.at.DPID]
	if d.lastBarrier != c.barrierNumber {
		d.lastBarrier = c.barrierNumber
		c.barrierDevices = append(c.barrierDevices, d)
	}
	if len(d.awaitingBarrier) > 2*len(c.queries)+keepAbandoned { // a switch that answers no barrier keeps no abandoned queries
		d.awaitingBarrier = slices.DeleteFunc(d.awaitingBarrier, func(o *query) bool { return c.queries[o.id] != o })
	}
	if !slices.Contains(d.awaitingBarrier, a) {
		d.awaitingBarrier = append(d.awaitingBarrier, a)
	}
	return c.barrierNumber
}

// Barriers calls ask for each switch that is to be sent a barrier, after the frames of Sends, with
// its number, which BarrierReply expects.
func (c *Core) Barriers(ask func(dpid netview.DPID, number uint64)) {
	for _, d := range c.barrierDevices {
		ask(d.dpid, d.lastBarrier)
	}
}

// BarrierReply handles a barrier reply: its switch has processed everything sent before.
func (c *Core) BarrierReply(dpid netview.DPID, number uint64) {
	d := c.devices[dpid]
	if d == nil {
		return
	}
	d.awaitingBarrier = slices.DeleteFunc(d.awaitingBarrier, func(a *query) bool {
		if a.barrier <= number && a.barrierAt.IsZero() {
			a.barrierAt = c.now
		}
		return !a.barrierAt.IsZero() || c.queries[a.id] != a
	})
}
