package discovery

import (
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// classifier finds out when a silent port of unknown role has been silent for long enough to be an
// edge.
type classifier struct {
	*inventory.Table
	pace     *probes.Pace
	deferred *hosts.Deferred
	ends     inventory.Deadlines[inventory.Deadline]
}

// start starts the classification of a port, which was heard last now.
func (c *classifier) start(p *inventory.Port) {
	p.QuietSince = c.Now
	c.ends.Add(c.Now.Add(c.pace.Settle), inventory.Deadline{At: p.At, Since: p.QuietSince})
}

// due returns a port that is to be an edge now; nil if it is none, or not yet.
func (c *classifier) due(d inventory.Deadline) *inventory.Port {
	p := c.Port(d.At)
	if p == nil || !p.Up || p.Role != netview.PortUnknown || !p.QuietSince.Equal(d.Since) || !p.Device.Connected {
		return nil
	}
	at, ok := c.edgeTime(p)
	switch {
	case !ok:
		at = c.Now.Add(c.pace.Period)
	case at.After(c.Now):
	case !c.heardSinceSilence(p):
		at = c.Now.Add(c.pace.Settle)
	default:
		return p
	}
	c.ends.Add(at, d)
	return nil
}

// edgeTime returns when a port becomes an edge if it stays silent: by its history, and counted from
// the last connection of a new switch, whose probes would have been heard here. If too few probes
// have been sent it is later.
func (c *classifier) edgeTime(p *inventory.Port) (at time.Time, ok bool) {
	from, long, probes, ok := c.requiredSilence(p)
	if !ok {
		return at, false
	}
	at = from.Add(long)
	if newest, latest := c.LastNewSwitch.Add(c.pace.Settle), at.Add((maxSettles-1)*c.pace.Settle); newest.After(at) {
		at = newest
		if at.After(latest) {
			at = latest
		}
	}
	nth := 2*probes - 1 // each is a near and a far one
	if s := p.Sent.SentAt(nth); !at.After(c.Now) && (s == 0 || c.Started.Add(s).Before(from)) {
		at = c.Now.Add(c.pace.Settle)
	}
	return at, true
}

// requiredSilence returns how long a port must be silent to be an edge, counted from when, and how
// many probes must have been sent in that time. ok is false while no silence is long enough.
func (c *classifier) requiredSilence(p *inventory.Port) (from time.Time, long time.Duration, probes int, ok bool) {
	lost := max(maxSettles*c.pace.Settle, inventory.MissedProbes*c.pace.Period)
	switch p.History {
	case inventory.HistoryNone:
		return p.QuietSince, c.pace.Settle, 2, true
	case inventory.HistoryRestored:
		return p.QuietSince, unobservedSilence, 3, true
	case inventory.HistoryUnobserved:
		long = unobservedSilence
	case inventory.HistoryCarrierLost:
		long = lost
	case inventory.HistoryCarrier:
		if !c.peerPortGone(p) {
			return p.QuietSince, 0, 0, false
		}
		long = lost
	}
	peer := c.Devices[p.Peer.DPID]
	if peer == nil || !peer.Connected {
		return p.QuietSince, long, 3, c.newHostSpoke(p)
	}
	return later(p.QuietSince, peer.ConnectedAt), long, 3, true
}

// peerPortGone handles a port whose carrier is no evidence, because something in between keeps it
// up (a converter, a virtual cable): it reports whether the port at the other end, of a connected
// switch, is gone or down, or has a link to another port.
func (c *classifier) peerPortGone(p *inventory.Port) bool {
	d := c.Devices[p.Peer.DPID]
	if d == nil || !d.Connected {
		return false
	}
	q := d.Port(p.Peer.Port)
	return q == nil || !q.Up || q.History == inventory.HistoryCarrier && q.Peer != p.At && len(q.In) > 0
}

// newHostSpoke reports whether a host was heard at a port, and is not known elsewhere: then it does
// not speak through the switch that used to be there. A removed location on a connected switch does
// not count. While a neighbour has carrier to that switch, which may forward what any host sends,
// it returns false.
func (c *classifier) newHostSpoke(p *inventory.Port) bool {
	list, d := c.deferred.List(p.At), c.Devices[p.Peer.DPID]
	if len(list) == 0 || d != nil && inventory.NeighbourHasCarrier(d) {
		return false
	}
	through := c.hostsBehind(d, p)
	for i := range list {
		s := &list[i]
		if !s.Certain || through[s.ID] {
			continue
		}
		h, known := c.Tx.Host(s.ID)
		if !known || h.At == p.At {
			return true
		}
		if d := c.Devices[h.At.DPID]; h.State == netview.HostUnconfirmed && d != nil && d.Connected {
			return true
		}
	}
	return false
}

// hostsBehind returns the hosts heard at ports, other than p, that led to a switch (which may be
// nil): they are behind that switch.
func (c *classifier) hostsBehind(d *inventory.Device, p *inventory.Port) map[netview.HostID]bool {
	if d == nil {
		return nil
	}
	hosts := make(map[netview.HostID]bool)
	for _, end := range d.Ports {
		if end.Peer == p.At {
			continue
		}
		for _, s := range c.deferred.List(end.Peer) {
			hosts[s.ID] = true
		}
	}
	return hosts
}

// heardSinceSilence reports whether the switch of a port with a history, and the connected one at
// the other end, have sent something since the port had been silent for long enough to be an edge:
// as for links, silence is no evidence while a session may be half open.
func (c *classifier) heardSinceSilence(p *inventory.Port) bool {
	if p.Device.Received == nil || p.History == inventory.HistoryNone {
		return true
	}
	peer := c.Devices[p.Peer.DPID]
	if !p.SilenceNoted.Equal(p.QuietSince) {
		p.SilenceNoted, p.BytesAtSilence = p.QuietSince, [2]uint64{p.Device.Bytes()}
		if peer != nil {
			p.BytesAtSilence[1] = peer.Bytes()
		}
		return false
	}
	return p.Device.SentSince(p.BytesAtSilence[0]) && (peer == nil || peer.SentSince(p.BytesAtSilence[1]))
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
