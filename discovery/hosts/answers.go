package hosts

import (
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// dueQuery acts on the result of a query. It returns a host that did not answer and may be deleted; nil
// if there is none.
func (m *moves) dueQuery(a *query) *netview.Host {
	switch result, h := m.queries.due(a); result {
	case queryNoPort:
		if a.claim != nil {
			m.hostClaimed(h, a.claim)
		}
	case queryStalled:
		m.switchStalled(a, h)
	case querySilent:
		return m.hostSilent(a, h)
	}
	return nil
}

// switchStalled acts on a switch that did not process a query: it ignores commands, or its session is
// stalled. The host stays where it is, and counts as alive if the query was for a port's sake.
func (m *moves) switchStalled(a *query, h *netview.Host) {
	if p := m.Port(a.at); p != nil {
		p.Alive = true
	}
	if a.elsewhere {
		if a.claim != nil {
			m.hostClaimed(h, a.claim) // the query was for another location: it says nothing about the claim
		}
		return
	}
	if p, q := m.Port(a.at), m.claimedPort(a); p != nil && q != nil && inventory.MayBeSameSwitch(p.Device, q.Device) {
		m.claims.hold(a.claim)
	} else if a.claim != nil {
		m.rejectClaim(a.claim, "its switch, %s, does not answer, so that it cannot be asked", a.at.DPID)
	}
}

// claimedPort returns the port where a queried host was seen; nil without a claim.
func (m *moves) claimedPort(a *query) *inventory.Port {
	if a.claim == nil {
		return nil
	}
	return m.Port(a.claim.At)
}

// hostSilent acts on a host that did not answer, and returns it if it may be deleted.
func (m *moves) hostSilent(a *query, h *netview.Host) *netview.Host {
	switch {
	case a.elsewhere:
		if m.unverified.from[a.id] == a.at {
			m.endUnverified(a.id)
		}
		if a.claim != nil { // now query its known location
			m.hostClaimed(h, a.claim)
		}
	case a.claim != nil:
		m.acceptClaim(a.claim)
	case a.deleteIfSilent && !m.control.Suspected():
		return h
	}
	return nil
}

// hostAnswered treats a sighting as the answer of a queried host.
func (m *moves) hostAnswered(p *inventory.Port, s *Sighting) {
	if h, ok := m.Tx.Host(s.ID); ok && h.At == s.At {
		p.Alive = true
	}
	a := m.queries.open[s.ID]
	if a == nil || a.at != s.At || a.elsewhere && m.unverified.from[s.ID] == s.At { // moveBack ends that
		return
	}
	m.queries.answered(a)
	if a.claim != nil {
		m.rejectClaim(a.claim, "it answers at %s", a.at)
	}
}
