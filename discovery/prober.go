package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// startProbing begins a port's fast start, with its first probe.
func (c *Core) startProbing(p *port) {
	p.fast = 0
	c.fastProbe(p, c.now)
}

// fastProbe sends the next probe of a fast start that began at start. It ends early when all is known: both directions
// heard twice.
func (c *Core) fastProbe(p *port, start time.Time) {
	if p.certain() {
		p.fast = len(fastStart)
		return
	}
	c.probe(p)
	p.fast++
	if p.fast < len(fastStart) {
		c.agenda.add(appointment{at: start.Add(fastStart[p.fast]), duty: dutyProbe, point: p.at, stamp: start})
	}
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
	p := c.port(a.point)
	if p == nil || p.fast >= len(fastStart) || !a.stamp.Add(fastStart[p.fast]).Equal(a.at) {
		return // it was started anew, or stopped
	}
	c.fastProbe(p, a.stamp)
}

// probe sends a probe out of a port, with a number of its own.
func (c *Core) probe(p *port) {
	if !p.up || !p.device.connected {
		return
	}
	c.number++
	copy(p.sent[1:], p.sent[:])
	p.sent[0] = round{number: c.number, at: c.now}
	p.probes++
	var src packet.MAC
	if row, ok := c.tx.Switch(p.at.DPID); ok {
		if r, ok := row.Port(p.at.Port); ok {
			src = r.MAC
		}
	}
	begin := len(c.frames)
	c.frames = c.sealer.append(c.frames, probe{p.at, c.number}, src)
	c.sends = append(c.sends, Send{At: p.at, begin: begin, end: len(c.frames)})
	c.Counts.Sent.Add(1)
}

// scheduleRounds puts the rounds of segments that have none yet on the agenda. Switches, and the segments of large ones,
// are spread over the period: a round's time is a multiple of a slot's length.
func (c *Core) scheduleRounds(d *device) {
	length := c.cfg.Period / slots
	next := c.now.Sub(c.start).Truncate(c.cfg.Period) + c.cfg.Period // by the monotonic clock
	for ; d.segments*segment < len(d.ports); d.segments++ {
		slot := (d.slot + d.segments) % slots
		at := c.start.Add(next + time.Duration(slot)*length)
		c.agenda.add(appointment{at: at, duty: dutyRound, point: netview.Point{DPID: d.dpid, Port: uint32(d.segments)}})
	}
}

// dueRound probes a segment's ports and sees whether the links from there are still heard.
func (c *Core) dueRound(a appointment) {
	d := c.devices[a.point.DPID]
	begin := int(a.point.Port) * segment // a segment stays on the agenda even while it has no ports
	if d.connected && begin < len(d.ports) {
		for _, p := range d.ports[begin:min(begin+segment, len(d.ports))] {
			c.age(p)
			if p.up && p.fast >= len(fastStart) {
				c.probe(p)
			}
		}
	}
	rounds := 1 + c.now.Sub(a.at)/c.cfg.Period // if we slept, those are not made up for
	a.at = a.at.Add(rounds * c.cfg.Period)
	c.agenda.add(a)
}

// age counts a period for the links from a port and removes those that were not heard in the last three. Silence counts
// only while the sessions of both ends are up.
func (c *Core) age(p *port) {
	for i := 0; i < len(p.out); {
		e := p.out[i]
		if e.live() && e.missed >= missedProbes {
			c.dropEdge(e)
			continue
		}
		if e.live() && p.fast >= len(fastStart) {
			e.missed++
		}
		i++
	}
}
