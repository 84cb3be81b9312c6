package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/netview"
)

// startProbing starts a port's fast start, when the pace allows it. A port that has reserved a time
// keeps it: one that flaps takes no more than one reservation.
func (c *Core) startProbing(p *port) {
	p.fastStep = 0
	if p.hasTurn && p.fastDue.After(c.now) {
		return
	}
	p.hasTurn = false
	c.fastProbe(p)
}

// fastProbe sends the next probe of a fast start if its time has come, and sets the timer for the
// one after it: when that is due and this one could have been heard. It ends early when both
// directions have been heard twice.
func (c *Core) fastProbe(p *port) {
	if p.linksConfirmed() {
		p.fastStep = len(fastStartTimes)
		return
	}
	if !p.hasTurn {
		if at := c.pace.reserve(probesOfPort, c.now); at.After(c.now) {
			p.hasTurn = true
			c.fastAt(p, at)
			return
		}
	}
	p.hasTurn = false
	c.probe(p, nearAndFar, false)
	p.fastStep++
	if p.fastStep < len(fastStartTimes) {
		c.fastAt(p, c.now.Add(max(fastStartTimes[p.fastStep]-fastStartTimes[p.fastStep-1], lagFactor/2*c.pace.lagAt(c.now))))
	}
}

func (c *Core) fastAt(p *port, at time.Time) {
	p.fastDue = at
	c.fastStarts.add(at, fastStart{p.at, at})
}

func (p *port) linksConfirmed() bool {
	if len(p.in) == 0 || len(p.out) == 0 {
		return false
	}
	for _, e := range p.links() {
		if e.heardCount < 2 {
			return false
		}
	}
	return true
}

// fastStart is a port in its fast start, and when its next probe is due.
type fastStart struct {
	at  netview.Point
	due time.Time
}

func (c *Core) dueFastStart(s fastStart) {
	// else it was restarted or stopped
	if p := c.port(s.at); p != nil && p.fastStep < len(fastStartTimes) && p.fastDue.Equal(s.due) {
		c.fastProbe(p)
	}
}

// probeReach is which probes are sent: near ones, which no bridge forwards, far ones, which every
// bridge does, or both. Of both the near one is first, so that a cable is recognised before it can
// be mistaken for something else.
type probeReach uint8

const (
	onlyNear probeReach = iota
	onlyFar
	nearAndFar
)

// periodicReach returns what a port sends in a periodic round. Along a cable a near probe is
// enough. At an edge a far one is enough to detect something; further probes find out what.
func (p *port) periodicReach() probeReach {
	switch {
	case p.role == netview.PortEdge || p.role == netview.PortBlocked:
		return onlyFar
	case p.role == netview.PortLink && len(p.out) == 1 && p.out[0].near && !p.out[0].shared():
		return onlyNear
	}
	return nearAndFar
}

// probe sends a probe out of a port.
func (c *Core) probe(p *port, r probeReach, round bool) {
	if !p.up || !p.device.connected {
		return
	}
	if r != onlyFar {
		c.sendProbe(p, false, round && r == onlyNear)
	}
	if r != onlyNear {
		c.sendProbe(p, true, round)
	}
}

// sendProbe sends one probe, with a new number.
func (c *Core) sendProbe(p *port, far, round bool) {
	c.lastNumber++
	if p.sent == nil {
		p.sent = new(sentProbes)
	}
	copy(p.sent[1:], p.sent[:])
	p.sent[0] = sentProbe{number: c.lastNumber, at: max(c.sinceStart(), 1)}
	c.out.frames = c.codec.encode(c.out.frames, probe{p.at, c.lastNumber, far}, p.mac)
	c.out.add(outgoing{at: p.at, number: c.lastNumber, periodic: round})
}

// forgetProbes clears the sent probes of a port: whatever is heard of them is ignored.
func (c *Core) forgetProbes(p *port) {
	p.sent = nil
	p.fastStep = len(fastStartTimes)
	p.sentCleared = c.now
}

// frameSent notes whether a frame was really sent. A probe of a periodic round counts as missed
// until it is heard; one that was not sent is forgotten.
func (c *Core) frameSent(s *outgoing, ok bool) {
	if s.query != nil {
		c.queries.sent(s, ok)
		return
	}
	p := c.port(s.at)
	if !ok {
		c.Counts.Unsent.Add(1)
		if p != nil {
			p.forgetSent(s.number)
		}
		return
	}
	c.Counts.Sent.Add(1)
	if p != nil {
		c.noteSendTime(p, s.number)
	}
	if p == nil || !s.periodic || c.control.suspected() {
		return
	}
	for _, e := range p.out {
		if e.bothConnected() {
			e.missed++
			e.noteMiss()
		}
	}
}

func (p *port) forgetSent(number uint64) {
	if p.sent == nil {
		return
	}
	if i := slices.IndexFunc(p.sent[:], func(r sentProbe) bool { return r.number == number }); i >= 0 {
		copy(p.sent[i:], p.sent[i+1:])
		p.sent[len(p.sent)-1] = sentProbe{}
	}
}

// scheduleRounds sets the timers for rounds of new segments.
func (c *Core) scheduleRounds(d *device) {
	for ; d.scheduledSegments*segmentPorts < len(d.ports); d.scheduledSegments++ {
		c.scheduleRound(d, d.scheduledSegments, c.sinceStart())
	}
}

// scheduleRound sets the timer for the next round of a segment: in the period after that of a time
// since the start. Switches, and the segments of large ones, are spread over the period by slots.
// Rounds missed during a suspend are not made up for.
func (c *Core) scheduleRound(d *device, segment int, after time.Duration) {
	period := c.pace.period
	slot := time.Duration((d.slot+segment)%roundSlots) * (period / roundSlots)
	phase := beat.Phase(c.started)
	at := (after + phase).Truncate(period) + period + slot - phase
	if at <= c.sinceStart() {
		at = (c.sinceStart() + phase).Truncate(period) + period + slot - phase
	}
	c.rounds.add(c.started.Add(at), round{d.dpid, d.created, segment, at})
}

// round is the periodic probing of a segment of a switch's ports.
type round struct {
	dpid    netview.DPID
	created time.Time // of its device
	segment int
	due     time.Duration // since the core's start
}

// dueRound probes a segment's ports and removes links from there that are not heard any more.
func (c *Core) dueRound(r round) {
	d := c.devices[r.dpid]
	if d == nil || !d.created.Equal(r.created) {
		return
	}
	begin := r.segment * segmentPorts // rounds go on even while the segment has no ports
	if d.connected && begin == 0 {
		c.countRound(d)
	}
	if d.connected && begin < len(d.ports) {
		for _, p := range d.ports[begin:min(begin+segmentPorts, len(d.ports))] {
			c.expireLinks(p)
			if p.up && p.fastStep >= len(fastStartTimes) {
				c.probe(p, p.periodicReach(), true)
			}
		}
	}
	c.scheduleRound(d, r.segment, r.due)
}

// expireLinks removes the links from a port of which the last three periodic probes were not heard.
// Silence counts only while the sessions of both ends are up and both ends are heard, and while the
// control network is not suspected.
func (c *Core) expireLinks(p *port) {
	if c.control.suspected() {
		return
	}
	for i := 0; i < len(p.out); {
		e := p.out[i]
		if e.bothConnected() && e.missed >= missedProbes && e.bothHeardSinceMiss() {
			c.removeLink(e)
			continue
		}
		i++
	}
}
