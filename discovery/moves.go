package discovery

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	claimHold = time.Second      // a claim that was refused is not looked at again before that
	blindHold = 30 * time.Second // a host stays where it is for that long after its switch's session was lost
)

// claimed handles a host that is seen elsewhere than it is known to be. It is believed at once if it cannot be there any
// more. If it may be, it is asked there: silence is a move, an answer an attack (or a second host of the same address).
func (c *Core) claimed(old *netview.Host, s *sighting) {
	q := c.port(old.At)
	switch {
	case q == nil || !q.up || q.role == netview.PortLink:
		c.accept(s)
	case !q.device.connected && q.device.heir != nil && q.device.heir.dpid == s.at.DPID:
		c.acceptUnasked(old, s) // its switch has another datapath id
	case !q.device.connected:
		if c.lives(q.device) {
			c.refuse(s, "its switch, %s, cannot be asked, and seems to be alive", old.At.DPID)
			return
		}
		c.acceptUnasked(old, s)
	default:
		a := c.startAsk(old)
		if a == nil {
			c.Counts.Refused.Add(1)
			return
		}
		if a.claim == nil {
			copied := *s
			a.claim, a.purge = &copied, false
		}
	}
}

// lives is true if a switch whose session is lost is likely to forward all the same: the control network is suspected, or
// it was lost lately and one of its neighbours has carrier on a link to it.
func (c *Core) lives(d *device) bool {
	if c.suspects() {
		return !c.dark(d)
	}
	return c.now.Sub(d.lost) < blindHold && carried(d)
}

// carried is true if a neighbour of a switch has carrier on a link to it.
func carried(d *device) bool {
	for _, p := range d.ports {
		for _, e := range p.out {
			if e.dst.device.connected {
				return true
			}
		}
	}
	return false
}

// dark is true if a switch's neighbours see that it is gone: the carrier is lost on cables to it, and no link of it is left.
func (c *Core) dark(d *device) bool {
	lost := false
	for _, p := range d.ports {
		if len(p.in)+len(p.out) > 0 {
			return false
		}
		if q := c.port(p.peer); p.past > pastRows && q != nil && q.device.connected && !q.up {
			lost = true
		}
	}
	return lost
}

// accept moves a host to where it was seen, if hosts may be there still.
func (c *Core) accept(s *sighting) {
	if p := c.port(s.at); p != nil && p.up && p.device.connected && p.role == netview.PortEdge {
		c.write(p, s)
	}
}

// refuseClaim refuses a claim: the host has answered at its place.
func (c *Core) refuseClaim(a *ask) { c.refuse(a.claim, "it answers at %s", a.at) }

// refuse refuses a claim. For a while what comes from there is not looked at, so that a stream of such frames costs little.
func (c *Core) refuse(s *sighting, why string, args ...any) {
	c.Counts.Hijacks.Add(1)
	c.raise(netview.AlarmHostHijack, s.at, "host %s was seen at %s, but %s", s.id, s.at, fmt.Sprintf(why, args...))
	c.hold(s)
}

// hold has a claim that was not believed not looked at for a while.
func (c *Core) hold(s *sighting) {
	c.known.add(c.known.hashHost(s.id, s.at, s.ip))
	c.known.add(c.known.hashHost(s.id, s.at, anyAddress))
	c.agenda.add(appointment{at: c.now.Add(claimHold), duty: dutyRecheck, claim: s})
}

// dueRecheck lets a claim be looked at again, unless it has become true.
func (c *Core) dueRecheck(d appointment) {
	if h, ok := c.tx.Host(d.claim.id); ok && h.At == d.claim.at {
		return
	}
	c.known.remove(c.known.hashHost(d.claim.id, d.claim.at, d.claim.ip))
	c.known.remove(c.known.hashHost(d.claim.id, d.claim.at, anyAddress))
}
