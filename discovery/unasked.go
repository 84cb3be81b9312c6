package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// A host whose switch has no session cannot be asked where it was. It moves all the same once its switch seems to be gone,
// or after blindHold, since a host that really moved must not stay unreachable for as long as its old switch is away. That
// may be a theft, so the old place is remembered, and looked at when its switch is back: whoever speaks there in the host's
// name was there first, and has it back.

// acceptUnasked moves a host to where it was seen, though nobody could ask it where it was.
func (c *Core) acceptUnasked(old *netview.Host, s *sighting) {
	c.accept(s)
	h, ok := c.tx.Host(s.id)
	if !ok || h.At != s.at {
		return
	}
	first, again := c.unasked[s.id]
	if !again { // it is the first place of several that it was asked at last
		first = old.At
		c.unasked[s.id] = first
	}
	d := c.devices[first.DPID]
	if c.cfg.Alarms == nil || d == nil || d.heir != nil || !carried(d) {
		return
	}
	c.cfg.Alarms.Raise(netview.AlarmUnverifiedMove, s.id.String(), "host "+s.id.String()+" was moved from "+first.String()+" to "+
		s.at.String()+", where it spoke, though switch "+first.DPID.String()+" has had no session for "+
		c.now.Sub(d.lost).Round(time.Second).String()+" and may still forward: it is asked at its old place when the switch is back")
}

// endUnasked forgets where a host was before it moved unasked.
func (c *Core) endUnasked(id netview.HostID) {
	if _, ok := c.unasked[id]; !ok {
		return
	}
	delete(c.unasked, id)
	if a := c.asks[id]; a != nil && a.elsewhere {
		delete(c.asks, id)
	}
	if c.cfg.Alarms != nil {
		c.cfg.Alarms.Clear(netview.AlarmUnverifiedMove, id.String())
	}
}

// giveBack moves a host back to where it was before it moved unasked, if that is where it speaks now.
func (c *Core) giveBack(h *netview.Host, s *sighting) bool {
	if at, ok := c.unasked[s.id]; !ok || at != s.at {
		return false
	}
	if q := c.port(h.At); q != nil && q.up && q.device.connected { // else it may have moved forth and back
		c.raise(netview.AlarmHostHijack, h.At, "host %s was seen at %s while its switch could not be asked, and is at %s: it was moved back",
			s.id, h.At, s.at)
		c.Counts.Hijacks.Add(1)
	}
	c.endUnasked(s.id)
	c.accept(s)
	return true
}

// lookBack asks hosts that moved unasked at their old places, as far as their switches are back.
func (c *Core) lookBack() {
	if len(c.unasked) == 0 {
		return
	}
	ids := make([]netview.HostID, 0, len(c.unasked))
	for id := range c.unasked {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, netview.HostID.Compare)
	for _, id := range ids {
		at := c.unasked[id]
		h, known := c.tx.Host(id)
		p := c.port(at)
		switch {
		case !known || h.At == at || p == nil || p.role == netview.PortLink || p.device.connected && !p.up:
			c.endUnasked(id)
		case p.device.connected && p.role == netview.PortEdge && c.asks[id] == nil:
			if a := c.startAskAt(h, at); a != nil {
				a.elsewhere = true
			}
		}
	}
}

// barrier is the number of the barrier that goes behind what the transaction sends to an ask's switch.
func (c *Core) barrier(a *ask) uint64 {
	d := c.devices[a.at.DPID]
	if d.barrier != c.barriers {
		d.barrier = c.barriers
		c.behind = append(c.behind, d)
	}
	if !slices.Contains(d.asking, a) {
		d.asking = append(d.asking, a)
	}
	return c.barriers
}

// Barriers hands over which switches are to be sent a barrier, behind what Sends sent, and its number; Passed wants to know
// when it came back.
func (c *Core) Barriers(ask func(dpid netview.DPID, number uint64)) {
	for _, d := range c.behind {
		ask(d.dpid, d.barrier)
	}
}

// Passed handles a barrier that came back: its switch has come to all that it was asked before.
func (c *Core) Passed(dpid netview.DPID, number uint64) {
	d := c.devices[dpid]
	if d == nil {
		return
	}
	d.asking = slices.DeleteFunc(d.asking, func(a *ask) bool {
		if a.barrier <= number && a.passed.IsZero() {
			a.passed = c.now
		}
		return !a.passed.IsZero() || c.asks[a.id] != a
	})
}
