package discovery

import (
	"github.com/weirnet/weir/netview"
)

// dueQuery acts on the result of a query.
func (c *Core) dueQuery(a *query) {
	switch result, h := c.queries.due(a); result {
	case queryNoPort:
		if a.claim != nil {
			c.hostClaimed(h, a.claim)
		}
	case queryStalled:
		c.switchStalled(a, h)
	case querySilent:
		c.hostSilent(a, h)
	}
}

// switchStalled acts on a switch that did not process a query: it ignores commands, or its session is
// stalled. The host stays where it is, and counts as alive if the query was for a port's sake.
func (c *Core) switchStalled(a *query, h *netview.Host) {
	if p := c.port(a.at); p != nil {
		p.alive = true
	}
	if a.elsewhere {
		if a.claim != nil {
			c.hostClaimed(h, a.claim) // the query was for another location: it says nothing about the claim
		}
		return
	}
	if p, q := c.port(a.at), c.claimedPort(a); p != nil && q != nil && mayBeSameSwitch(p.device, q.device) {
		c.claims.hold(a.claim)
	} else if a.claim != nil {
		c.rejectClaim(a.claim, "its switch, %s, does not answer, so that it cannot be asked", a.at.DPID)
	}
}

// claimedPort returns the port where a queried host was seen; nil without a claim.
func (c *Core) claimedPort(a *query) *port {
	if a.claim == nil {
		return nil
	}
	return c.port(a.claim.at)
}

// hostSilent acts on a host that did not answer.
func (c *Core) hostSilent(a *query, h *netview.Host) {
	switch {
	case a.elsewhere:
		if c.unverified.from[a.id] == a.at {
			c.endUnverified(a.id)
		}
		if a.claim != nil { // now query its known location
			c.hostClaimed(h, a.claim)
		}
	case a.claim != nil:
		c.acceptClaim(a.claim)
	case a.deleteIfSilent && !c.control.suspected():
		c.sweeper.silent = append(c.sweeper.silent, h)
	}
}

// hostAnswered treats a sighting as the answer of a queried host.
func (c *Core) hostAnswered(p *port, s *sighting) {
	if h, ok := c.tx.Host(s.id); ok && h.At == s.at {
		p.alive = true
	}
	a := c.queries.open[s.id]
	if a == nil || a.at != s.at || a.elsewhere && c.unverified.from[s.id] == s.at { // moveBack ends that
		return
	}
	c.queries.answered(a)
	if a.claim != nil {
		c.rejectClaim(a.claim, "it answers at %s", a.at)
	}
}

// duePortQuery probes a port that was vacated: a link may be made.
func (c *Core) duePortQuery(d deadline) {
	if p := c.occupancy.due(d); p != nil {
		c.prober.start(p)
	}
}
