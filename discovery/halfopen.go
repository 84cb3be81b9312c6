package discovery

// A silent link is no evidence while one of its ends sends nothing at all: its TCP connection may
// be half open. So a link is removed only when both ends have sent something after the last missed
// probe.

// noteMiss notes the bytes received from both ends when missedProbes is reached.
func (e *link) noteMiss() {
	if e.missed == missedProbes {
		e.bytesAtLastMiss = [2]uint64{e.src.device.bytes(), e.dst.device.bytes()}
	}
}

// bothHeardSinceMiss reports whether both ends have sent something since.
func (e *link) bothHeardSinceMiss() bool {
	return e.src.device.sentSince(e.bytesAtLastMiss[0]) && e.dst.device.sentSince(e.bytesAtLastMiss[1])
}

// bytes returns how much a switch has sent in its session; 0 if that is unknown.
func (d *device) bytes() uint64 {
	if d.received == nil {
		return 0
	}
	return d.received.Load()
}

// sentSince reports whether a switch has sent something since it had sent some bytes, as far as is
// known.
func (d *device) sentSince(bytes uint64) bool { return d.received == nil || d.received.Load() != bytes }

// heardSinceSilence reports whether the switch of a port with a history, and the connected one at
// the other end, have sent something since the port had been silent for long enough to be an edge:
// as for links, silence is no evidence while a session may be half open.
func (c *Core) heardSinceSilence(p *port) bool {
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
