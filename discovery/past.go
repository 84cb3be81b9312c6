package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// past says why a port at which nothing is heard may be a link's all the same. Silence alone is no evidence: the switch
// at the other end may go on forwarding without a session, and probes may be lost.
type past uint8

const (
	pastNone   past = iota // nothing says that a link ever was here, or that it is gone has been found out
	pastRows               // rows of ours, from an earlier life, say so; the other end is not known
	pastKept               // a link was heard, and the carrier has been there ever since
	pastUnseen             // a link was heard, and the switch's session was lost since: nobody saw what the carrier did
	pastLost               // a link was heard, and the carrier was lost since: the cable may lead elsewhere
)

// remember notes that a link between two ports was heard.
func remember(p, q *port) {
	p.past, p.peer = pastKept, q.at
	q.past, q.peer = pastKept, p.at
}

// carrierLost and sessionLost note what happened to a port since its link was heard.
func (p *port) carrierLost() {
	if p.past == pastKept || p.past == pastUnseen {
		p.past = pastLost
	}
}

func (p *port) sessionLost() {
	if p.past == pastKept {
		p.past = pastUnseen
	}
}

// silence is how long a port must be silent to be an edge, from when on, and how many probes must have left it in that
// time. ok is false while no silence is long enough.
func (c *Core) silence(p *port) (from time.Time, long time.Duration, probes int, ok bool) {
	lost := max(settleMax*c.cfg.Settle, missedProbes*c.cfg.Period)
	switch p.past {
	case pastNone:
		return p.quiet, c.cfg.Settle, 2, true
	case pastRows:
		return p.quiet, unseenWait, 3, true
	case pastUnseen:
		long = unseenWait
	case pastLost:
		long = lost
	case pastKept:
		if !c.otherEndGone(p) {
			return p.quiet, 0, 0, false
		}
		long = lost
	}
	peer := c.devices[p.peer.DPID]
	if peer == nil || !peer.connected {
		return p.quiet, long, 3, c.stranger(p.at)
	}
	return later(p.quiet, peer.since), long, 3, true
}

// otherEndGone is true if a port's carrier says nothing, since something is in between that keeps it (a converter, a virtual
// cable): the port at the other end, of a switch that is connected, is gone or down, or has a link to another port.
func (c *Core) otherEndGone(p *port) bool {
	d := c.devices[p.peer.DPID]
	if d == nil || !d.connected {
		return false
	}
	q := d.port(p.peer.Port)
	return q == nil || !q.up || q.past == pastKept && q.peer != p.at && len(q.in) > 0
}

// stranger is true if a host has spoken for itself at a port, and is not known elsewhere: then it is not one that
// speaks through the switch that used to be there. A place that has gone, of a switch that is connected, does not count.
func (c *Core) stranger(at netview.Point) bool {
	for i := range c.pending[at] {
		s := &c.pending[at][i]
		if !s.certain {
			continue
		}
		h, known := c.tx.Host(s.id)
		if !known || h.At == at {
			return true
		}
		if d := c.devices[h.At.DPID]; h.State == netview.HostUnconfirmed && d != nil && d.connected {
			return true
		}
	}
	return false
}

// recall takes in which ports of a switch led to other switches in an earlier life. Only the first time counts: what is
// in a switch later was put there in this life.
func (c *Core) recall(dpid netview.DPID, ports []uint32) {
	d := c.devices[dpid]
	if d == nil || !d.connected || d.recalled {
		return
	}
	d.recalled = true
	for _, number := range ports {
		p := d.port(number)
		if p == nil || p.past != pastNone {
			continue
		}
		if p.role == netview.PortEdge {
			if c.now.Sub(p.quiet) >= unseenWait {
				continue
			}
			c.doubtHosts(p)
			c.doubt(p)
			c.startProbing(p)
		}
		p.past = pastRows
	}
}

// recalls is true while a port of the switch is awaited that led to another switch in an earlier life.
func (d *device) recalls() bool {
	for _, p := range d.ports {
		if p.up && p.role == netview.PortUnknown && p.past == pastRows {
			return true
		}
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
