package discovery

// An edge's silence means nothing while one of its ends is silent altogether: its session may be cut, half open, and nobody
// has found out yet. So a link is given up only when both ends have said something, whatever it is, after the probe that
// was one too many.

// mark notes, when an edge's probe was missed that is one too many, how much its ends had said.
func (c *Core) mark(e *edge) {
	if c.cfg.Received != nil && e.missed == missedProbes {
		e.said = [2]uint64{c.cfg.Received(e.src.at.DPID), c.cfg.Received(e.dst.at.DPID)}
	}
}

// spoken tells whether both ends have said something since.
func (c *Core) spoken(e *edge) bool {
	return c.cfg.Received == nil ||
		c.cfg.Received(e.src.at.DPID) != e.said[0] && c.cfg.Received(e.dst.at.DPID) != e.said[1]
}

// spokeSince tells whether the switch of a port where a link was, and the one at the other end if it is there, have said something
// since the port was silent for long enough to be an edge: as of links, silence means nothing where a session may be half open.
func (c *Core) spokeSince(p *port) bool {
	if c.cfg.Received == nil || p.past == pastNone {
		return true
	}
	said := [2]uint64{c.cfg.Received(p.at.DPID)}
	other := c.devices[p.peer.DPID]
	if other != nil && other.connected {
		said[1] = c.cfg.Received(p.peer.DPID)
	}
	if !p.judged.Equal(p.quiet) {
		p.judged, p.said = p.quiet, said
		return false
	}
	return said[0] != p.said[0] && (said[1] != p.said[1] || other == nil || !other.connected)
}
