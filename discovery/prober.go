package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/netview"
)

// startProbing begins a port's fast start, as soon as it is its turn. One that waits for its turn already keeps it: a port that
// comes and goes takes no more than one from the others.
func (c *Core) startProbing(p *port) {
	p.fast = 0
	if p.turned && p.fastAt.After(c.now) {
		return
	}
	p.turned = false
	c.fastProbe(p)
}

// fastProbe sends the next probe of a fast start if it is the port's turn, and makes the appointment for the one after
// it: when that is due and this one could have been heard. It ends early when all is known: both directions heard twice.
func (c *Core) fastProbe(p *port) {
	if p.certain() {
		p.fast = len(fastStart)
		return
	}
	if !p.turned {
		if at := c.pace.turn(probesOfPort, c.now); at.After(c.now) {
			p.turned = true
			c.fastAt(p, at)
			return
		}
	}
	p.turned = false
	c.probe(p, nearAndFar, false)
	p.fast++
	if p.fast < len(fastStart) {
		c.fastAt(p, c.now.Add(max(fastStart[p.fast]-fastStart[p.fast-1], patience/2*c.pace.lagAt(c.now))))
	}
}

func (c *Core) fastAt(p *port, at time.Time) {
	p.fastAt = at
	c.agenda.add(appointment{at: at, duty: dutyProbe, point: p.at})
}

func (p *port) certain() bool {
	if len(p.in) == 0 || len(p.out) == 0 {
		return false
	}
	for _, e := range p.edges() {
		if e.heard < 2 {
			return false
		}
	}
	return true
}

func (c *Core) dueProbe(a appointment) {
	if p := c.port(a.point); p != nil && p.fast < len(fastStart) && p.fastAt.Equal(a.at) { // else it was started anew, or stopped
		c.fastProbe(p)
	}
}

// reach says which probes are sent: near ones, that no bridge forwards, far ones, that every bridge does, or both. Of
// both the near one is first, so that a cable is known as one before it can be taken for something else.
type reach uint8

const (
	onlyNear reach = iota
	onlyFar
	nearAndFar
)

// ofRound is what a port sends in a periodic round. Along a cable the near probe says all. At an edge the far one is
// enough to find out that there is something; what it is is asked then.
func (p *port) ofRound() reach {
	switch {
	case p.role == netview.PortEdge || p.role == netview.PortBlocked:
		return onlyFar
	case p.role == netview.PortLink && len(p.out) == 1 && p.out[0].near && !p.out[0].shared():
		return onlyNear
	}
	return nearAndFar
}

// probe sends a probe out of a port.
func (c *Core) probe(p *port, r reach, round bool) {
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

// sendProbe sends one probe, with a number of its own.
func (c *Core) sendProbe(p *port, far, round bool) {
	c.number++
	if p.sent == nil {
		p.sent = new(probings)
	}
	copy(p.sent[1:], p.sent[:])
	p.sent[0] = probing{number: c.number, at: max(c.since(), 1)}
	begin := len(c.frames)
	c.frames = c.sealer.append(c.frames, probe{p.at, c.number, far}, p.mac)
	c.sends = append(c.sends, send{at: p.at, number: c.number, round: round, begin: begin, end: len(c.frames)})
}

// forgetProbes forgets what was sent out of a port: what is heard of it from now on means nothing.
func (c *Core) forgetProbes(p *port) {
	p.sent = nil
	p.fast = len(fastStart)
	p.forgot = c.now
}

// left notes whether a probe really left. If so, and it is one of a periodic round, it counts as missed until it is heard;
// if not, it is as if it had never been made.
func (c *Core) left(s *send, ok bool) {
	if s.ask != nil {
		c.leftAsk(s, ok)
		return
	}
	p := c.port(s.at)
	if !ok {
		c.Counts.Unsent.Add(1)
		if p != nil {
			p.unsend(s.number)
		}
		return
	}
	c.Counts.Sent.Add(1)
	if p != nil {
		c.timed(p, s.number)
	}
	if p == nil || !s.round || c.suspects() {
		return
	}
	for _, e := range p.out {
		if e.live() {
			e.missed++
			c.mark(e)
		}
	}
}

func (p *port) unsend(number uint64) {
	if p.sent == nil {
		return
	}
	if i := slices.IndexFunc(p.sent[:], func(r probing) bool { return r.number == number }); i >= 0 {
		copy(p.sent[i:], p.sent[i+1:])
		p.sent[len(p.sent)-1] = probing{}
	}
}

// scheduleRounds puts the rounds of segments that have none yet on the agenda.
func (c *Core) scheduleRounds(d *device) {
	for ; d.segments*segment < len(d.ports); d.segments++ {
		c.scheduleRound(d, d.segments, c.since())
	}
}

// scheduleRound puts the next round of a segment on the agenda: in the period after that of a time since the start. Switches,
// and the segments of large ones, are spread over the period, each has a slot of it. If we slept, the rounds of that time are
// not made up for.
func (c *Core) scheduleRound(d *device, segment int, after time.Duration) {
	period := c.cfg.Period
	slot := time.Duration((d.slot+segment)%slots) * (period / slots)
	phase := beat.Phase(c.start)
	at := (after + phase).Truncate(period) + period + slot - phase
	if at <= c.since() {
		at = (c.since() + phase).Truncate(period) + period + slot - phase
	}
	c.agenda.add(appointment{
		at: c.start.Add(at), duty: dutyRound, point: netview.Point{DPID: d.dpid, Port: uint32(segment)}, stamp: d.made,
	})
}

// dueRound probes a segment's ports and sees whether the links from there are still heard.
func (c *Core) dueRound(a appointment) {
	d := c.devices[a.point.DPID]
	if d == nil || !d.made.Equal(a.stamp) {
		return
	}
	begin := int(a.point.Port) * segment // a segment stays on the agenda even while it has no ports
	if d.connected && begin == 0 {
		c.turn(d)
	}
	if d.connected && begin < len(d.ports) {
		for _, p := range d.ports[begin:min(begin+segment, len(d.ports))] {
			c.age(p)
			if p.up && p.fast >= len(fastStart) {
				c.probe(p, p.ofRound(), true)
			}
		}
	}
	c.scheduleRound(d, int(a.point.Port), a.at.Sub(c.start))
}

// age removes the links from a port of which the last three periodic probes were not heard. Silence counts only while the
// sessions of both ends are up and both ends are heard, and while the control network is not suspected to lose what it
// carries.
func (c *Core) age(p *port) {
	if c.suspects() {
		return
	}
	for i := 0; i < len(p.out); {
		e := p.out[i]
		if e.live() && e.missed >= missedProbes && c.spoken(e) {
			c.dropEdge(e)
			continue
		}
		i++
	}
}
