package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// linkHistory is why a silent port may be a link's all the same. Silence alone is no evidence: the
// switch at the other end may forward while disconnected, and probes may be lost.
type linkHistory uint8

const (
	historyNone        linkHistory = iota // no link was ever here, or it is known to be gone
	historyRestored                       // the restored view, or rules on the switch, had a link; the other end is unknown
	historyCarrier                        // a link was heard, and the carrier has been up ever since
	historyUnobserved                     // a link was heard, and the session was lost since: the carrier was not observed
	historyCarrierLost                    // a link was heard, and the carrier was lost since: the cable may lead elsewhere
)

// noteLink notes that a link between two ports was heard.
func noteLink(p, q *port) {
	p.history, p.peer = historyCarrier, q.at
	q.history, q.peer = historyCarrier, p.at
}

// noteCarrierLost and noteSessionLost note what happened to a port since its link was heard.
func (p *port) noteCarrierLost() {
	if p.history == historyCarrier || p.history == historyUnobserved {
		p.history = historyCarrierLost
	}
}

func (p *port) noteSessionLost() {
	if p.history == historyCarrier {
		p.history = historyUnobserved
	}
}

// requiredSilence returns how long a port must be silent to be an edge, counted from when, and how
// many probes must have been sent in that time. ok is false while no silence is long enough.
func (c *Core) requiredSilence(p *port) (from time.Time, long time.Duration, probes int, ok bool) {
	lost := max(maxSettles*c.pace.settle, missedProbes*c.pace.period)
	switch p.history {
	case historyNone:
		return p.quietSince, c.pace.settle, 2, true
	case historyRestored:
		return p.quietSince, unobservedSilence, 3, true
	case historyUnobserved:
		long = unobservedSilence
	case historyCarrierLost:
		long = lost
	case historyCarrier:
		if !c.peerPortGone(p) {
			return p.quietSince, 0, 0, false
		}
		long = lost
	}
	peer := c.devices[p.peer.DPID]
	if peer == nil || !peer.connected {
		return p.quietSince, long, 3, c.newHostSpoke(p)
	}
	return later(p.quietSince, peer.connectedAt), long, 3, true
}

// peerPortGone handles a port whose carrier is no evidence, because something in between keeps it
// up (a converter, a virtual cable): it reports whether the port at the other end, of a connected
// switch, is gone or down, or has a link to another port.
func (c *Core) peerPortGone(p *port) bool {
	d := c.devices[p.peer.DPID]
	if d == nil || !d.connected {
		return false
	}
	q := d.port(p.peer.Port)
	return q == nil || !q.up || q.history == historyCarrier && q.peer != p.at && len(q.in) > 0
}

// newHostSpoke reports whether a host was heard at a port, and is not known elsewhere: then it does
// not speak through the switch that used to be there. A removed location on a connected switch does
// not count. While a neighbour has carrier to that switch, which may forward what any host sends,
// it returns false.
func (c *Core) newHostSpoke(p *port) bool {
	list, d := c.deferred.at[p.at], c.devices[p.peer.DPID]
	if len(list) == 0 || d != nil && neighbourHasCarrier(d) {
		return false
	}
	through := c.hostsBehind(d, p)
	for i := range list {
		s := &list[i]
		if !s.certain || through[s.id] {
			continue
		}
		h, known := c.tx.Host(s.id)
		if !known || h.At == p.at {
			return true
		}
		if d := c.devices[h.At.DPID]; h.State == netview.HostUnconfirmed && d != nil && d.connected {
			return true
		}
	}
	return false
}

// hostsBehind returns the hosts heard at ports, other than p, that led to a switch (which may be
// nil): they are behind that switch.
func (c *Core) hostsBehind(d *device, p *port) map[netview.HostID]bool {
	if d == nil {
		return nil
	}
	hosts := make(map[netview.HostID]bool)
	for _, end := range d.ports {
		if end.peer == p.at {
			continue
		}
		for i := range c.deferred.at[end.peer] {
			hosts[c.deferred.at[end.peer][i].id] = true
		}
	}
	return hosts
}

// formerLinkPorts notes which ports of a switch led to other switches before the restart. Only the
// first call counts: later rules are from this process.
func (c *Core) formerLinkPorts(dpid netview.DPID, ports []uint32) {
	d := c.devices[dpid]
	if d == nil || !d.connected || d.formerLinksKnown {
		return
	}
	d.formerLinksKnown = true
	for _, number := range ports {
		p := d.port(number)
		if p == nil || p.history != historyNone {
			continue
		}
		if p.role == netview.PortEdge {
			if c.now.Sub(p.quietSince) >= unobservedSilence {
				continue
			}
			c.hosts.setUnconfirmed(p)
			c.setUnknown(p)
			c.startProbing(p)
		}
		p.history = historyRestored
	}
}

// awaitsFormerLink reports whether a port is still unknown that led to another switch before the
// restart.
func (d *device) awaitsFormerLink() bool {
	for _, p := range d.ports {
		if p.up && p.role == netview.PortUnknown && p.history == historyRestored {
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
