package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// classifier finds out when a silent port of unknown role has been silent for long enough to be an
// edge.
type classifier struct {
	*deviceTable
	pace     *pace
	deferred *deferredSightings
	ends     deadlines[deadline]
}

// silence is since when nothing was heard at a port, and what its switch sends since.
type silence struct {
	quietSince     time.Time // since when no link was heard here: it came up, or lost its link
	silenceNoted   time.Time // quietSince, when bytesAtSilence was noted
	bytesAtSilence [2]uint64 // bytes received from its switch and from the peer's, when it had been silent for long enough
}

// start starts the classification of a port, which was heard last now.
func (c *classifier) start(p *port) {
	p.quietSince = c.now
	c.ends.add(c.now.Add(c.pace.settle), deadline{p.at, p.quietSince})
}

// due returns a port that is to be an edge now; nil if it is none, or not yet.
func (c *classifier) due(d deadline) *port {
	p := c.port(d.at)
	if p == nil || !p.up || p.role != netview.PortUnknown || !p.quietSince.Equal(d.since) || !p.device.connected {
		return nil
	}
	at, ok := c.edgeTime(p)
	switch {
	case !ok:
		at = c.now.Add(c.pace.period)
	case at.After(c.now):
	case !c.heardSinceSilence(p):
		at = c.now.Add(c.pace.settle)
	default:
		return p
	}
	c.ends.add(at, d)
	return nil
}

// edgeTime returns when a port becomes an edge if it stays silent: by its history, and counted from
// the last connection of a new switch, whose probes would have been heard here. If too few probes
// have been sent it is later.
func (c *classifier) edgeTime(p *port) (at time.Time, ok bool) {
	from, long, probes, ok := c.requiredSilence(p)
	if !ok {
		return at, false
	}
	at = from.Add(long)
	if newest, latest := c.lastNewSwitch.Add(c.pace.settle), at.Add((maxSettles-1)*c.pace.settle); newest.After(at) {
		at = newest
		if at.After(latest) {
			at = latest
		}
	}
	nth := 2*probes - 1 // each is a near and a far one
	if s := p.sent.sentAt(nth); !at.After(c.now) && (s == 0 || c.started.Add(s).Before(from)) {
		at = c.now.Add(c.pace.settle)
	}
	return at, true
}

// requiredSilence returns how long a port must be silent to be an edge, counted from when, and how
// many probes must have been sent in that time. ok is false while no silence is long enough.
func (c *classifier) requiredSilence(p *port) (from time.Time, long time.Duration, probes int, ok bool) {
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
func (c *classifier) peerPortGone(p *port) bool {
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
func (c *classifier) newHostSpoke(p *port) bool {
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
func (c *classifier) hostsBehind(d *device, p *port) map[netview.HostID]bool {
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

// heardSinceSilence reports whether the switch of a port with a history, and the connected one at
// the other end, have sent something since the port had been silent for long enough to be an edge:
// as for links, silence is no evidence while a session may be half open.
func (c *classifier) heardSinceSilence(p *port) bool {
	if p.device.received == nil || p.history == historyNone {
		return true
	}
	peer := c.devices[p.peer.DPID]
	if !p.silenceNoted.Equal(p.quietSince) {
		p.silenceNoted, p.bytesAtSilence = p.quietSince, [2]uint64{p.device.bytes()}
		if peer != nil {
			p.bytesAtSilence[1] = peer.bytes()
		}
		return false
	}
	return p.device.sentSince(p.bytesAtSilence[0]) && (peer == nil || peer.sentSince(p.bytesAtSilence[1]))
}
