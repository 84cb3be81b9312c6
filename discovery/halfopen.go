package discovery

// A silent link is no evidence while one of its ends sends nothing at all: its TCP connection may
// be half open. So a link is removed only when both ends have sent something after the last missed
// probe.

// noteMiss notes the bytes received from both ends when missedProbes is reached.
func (c *Core) noteMiss(e *link) {
	if c.cfg.Received != nil && e.missed == missedProbes {
		e.bytesAtLastMiss = [2]uint64{c.cfg.Received(e.src.at.DPID), c.cfg.Received(e.dst.at.DPID)}
	}
}

// bothHeardSinceMiss reports whether both ends have sent something since.
func (c *Core) bothHeardSinceMiss(e *link) bool {
	return c.cfg.Received == nil ||
		c.cfg.Received(e.src.at.DPID) != e.bytesAtLastMiss[0] && c.cfg.Received(e.dst.at.DPID) != e.bytesAtLastMiss[1]
}

// heardSinceSilence reports whether the switch of a port with a history, and the connected one at
// the other end, have sent something since the port had been silent for long enough to be an edge:
// as for links, silence is no evidence while a session may be half open.
func (c *Core) heardSinceSilence(p *port) bool {
	if c.cfg.Received == nil || p.history == historyNone {
		return true
	}
	said := [2]uint64{c.cfg.Received(p.at.DPID)}
	other := c.devices[p.peer.DPID]
	if other != nil && other.connected {
		said[1] = c.cfg.Received(p.peer.DPID)
	}
	if !p.silenceNoted.Equal(p.quietSince) {
		p.silenceNoted, p.bytesAtSilence = p.quietSince, said
		return false
	}
	return said[0] != p.bytesAtSilence[0] && (said[1] != p.bytesAtSilence[1] || other == nil || !other.connected)
}
