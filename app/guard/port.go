package guard

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Class is a set of kinds of packet-ins.
type Class uint8

// The kinds of packet-ins.
const (
	ClassData   Class = 1 << iota // packets without a rule, and copies
	ClassProbes                   // discovery frames
)

// String names the kinds.
func (c Class) String() string {
	return [...]string{"nothing", "packets", "discovery frames", "packets and discovery frames"}[c&3]
}

// protection is how a port is held back at its switch.
type protection uint8

const (
	byMeter protection = iota
	byDrop
	byNothing // the switch refuses the rows: only the instance sheds
)

// port is one that sent something lately.
type port struct {
	at           netview.Point
	data, probes flow

	held            Class // 0: it is not held back, and the rest is not valid
	means           protection
	link            bool               // it led to another switch when it began
	rows            []openflow.FlowMod // that were written, to be deleted
	until           time.Time          // when the rows run out
	hold            time.Duration      // hard time-out of the rows
	unsent          bool               // the rows have to be written
	metered         bool               // the meter was written
	lastFlood       time.Time          // when it was last seen to flood
	exceededSeconds int                // seconds in which more came than the meter allows
	second          time.Time          // when the current of these seconds began
	secondCount     float64            // packet-ins of that second
}

// flow is what a port sends of one kind.
type flow struct {
	level    float64 // packet-ins above the rate that is allowed, as in a leaking bucket
	rate     float64 // packet-ins a second, over about half a second
	now      float64 // packet-ins a second, over the last step
	received uint64  // since the last step
}

// linkShare is how many times more than any other port one that leads to another switch may send
// when it is held back: most of it may be others'.
const linkShare = 10

// count takes a sample.
func (c *Core) count(s *Sample, elapsed time.Duration) {
	c.Counts.Seen.Add(s.Data + s.Probes)
	c.Counts.Shed.Add(s.Shed)
	p := c.ports[s.At]
	if p == nil {
		if c.switches[s.At.DPID] == nil {
			return
		}
		p = &port{at: s.At}
		c.ports[s.At] = p
	}
	p.data.received, p.probes.received = s.Data, s.Probes
}

// age lets time pass.
func (p *port) age(elapsed time.Duration, cfg *Config) {
	p.secondCount += float64(p.data.received + p.probes.received)
	p.data.age(elapsed, cfg.Rate, 2*cfg.Burst)
	p.probes.age(elapsed, cfg.Probes, 2*cfg.Burst)
}

// averaging is the time over which a rate is averaged.
const averaging = 500 * time.Millisecond

func (f *flow) age(elapsed time.Duration, allowed, most float64) {
	f.now = float64(f.received) / elapsed.Seconds()
	f.rate += (f.now - f.rate) * float64(elapsed) / float64(elapsed+averaging)
	f.level = min(max(0, f.level+(f.now-allowed)*elapsed.Seconds()), most)
	f.received = 0
}

// idle reports whether nothing has to be remembered of the port.
func (p *port) idle() bool {
	return p.held == 0 && p.data.level == 0 && p.probes.level == 0 && p.data.rate < 1 && p.probes.rate < 1
}

// hold begins or continues to hold a port back. The discovery frames of ports that lead to other
// switches are let through, and a port that does not exist cannot be held.
func (c *Core) hold(p *port, class Class, snap *netview.Snapshot, now time.Time) {
	d := c.switches[p.at.DPID]
	role, ok := roleOf(snap, p.at)
	if d == nil || !ok {
		return
	}
	if role == netview.PortLink {
		class &^= ClassProbes
	}
	p.lastFlood = now
	if class&^p.held == 0 {
		return
	}
	if p.held == 0 {
		if d.guarded >= c.cfg.Limits.AtSwitch || c.guarded() >= c.cfg.Limits.Guarded {
			c.Counts.Refused.Add(1)
			return
		}
		d.guarded++
		c.Counts.Floods.Add(1)
		p.link = role == netview.PortLink
		p.means, p.exceededSeconds, p.second, p.secondCount, p.metered = c.protectionFor(d, p), 0, now, 0, false
		p.hold = c.cfg.Hold
	}
	p.held |= class
	p.unsent = true
	c.raise(p)
}

// protectionFor chooses how a port is held back.
func (c *Core) protectionFor(d *device, p *port) protection {
	_, ok := plan.MeterOfPort(p.at.Port)
	switch {
	case p.link && !d.single:
		return byNothing
	case !ok || d.single || d.meterless:
		return byDrop
	}
	return byMeter
}

func (c *Core) guarded() int {
	n := 0
	for _, d := range c.switches {
		n += d.guarded
	}
	return n
}

// roleOf is the role of a port that is up.
func roleOf(snap *netview.Snapshot, at netview.Point) (netview.PortRole, bool) {
	sw, ok := snap.Switch(at.DPID)
	if !ok {
		return 0, false
	}
	p, ok := sw.Port(at.Port)
	return p.Role, ok && p.Up
}

// checkHeld does what is due at a port that is held back.
func (c *Core) checkHeld(p *port, snap *netview.Snapshot, now time.Time) {
	if p.held == 0 {
		return
	}
	role, up := roleOf(snap, p.at)
	switch {
	case !up:
		c.release(p, true)
		return
	case p.means == byMeter:
		c.checkMetered(p, now)
	case p.means == byNothing:
		if now.Sub(p.lastFlood) >= c.cfg.ReleaseDelay {
			c.release(p, false)
		}
	case !p.unsent && now.After(p.until.Add(2*time.Second)): // nobody said how the rows ended
		c.release(p, false)
	}
	if p.held != 0 && p.means != byNothing {
		c.write(p, role, snap, now)
	}
}

// checkMetered decides from what still comes through the meter whether the flood continues: it then
// uses the meter up. More than that for some seconds means that the meter does not work.
func (c *Core) checkMetered(p *port, now time.Time) {
	if p.data.rate+p.probes.rate >= float64(c.cfg.Allowed)/2 {
		p.lastFlood = now
	}
	switch {
	case now.Sub(p.lastFlood) >= c.cfg.ReleaseDelay:
		c.release(p, true)
		return
	case p.until.Sub(now) <= p.hold/2:
		p.unsent = true
	}
	if now.Sub(p.second) < time.Second {
		return
	}
	if p.secondCount > 3*float64(c.cfg.Allowed)*now.Sub(p.second).Seconds() {
		p.exceededSeconds++
	} else {
		p.exceededSeconds = 0
	}
	p.second, p.secondCount = now, 0
	if p.exceededSeconds >= brokenSeconds {
		c.Counts.Broken.Add(1)
		c.switches[p.at.DPID].meterless = true
		c.useDropRows(p)
	} else if p.exceededSeconds > 0 {
		p.unsent = true // somebody may have deleted the rows
	}
}

// brokenSeconds is how many seconds in a row a meter may let through too much: what was queued
// before it is one of them.
const brokenSeconds = 4

// useDropRows replaces a meter by rows that drop.
func (c *Core) useDropRows(p *port) {
	c.erase(p)
	p.means, p.unsent = byDrop, true
	c.raise(p)
}

// release releases a port. If erase is false its rows have expired.
func (c *Core) release(p *port, erase bool) {
	if erase {
		c.erase(p)
	}
	if d := c.switches[p.at.DPID]; d != nil {
		d.guarded--
	}
	p.held, p.rows, p.unsent, p.metered = 0, nil, false, false
	c.ready.Alarms = append(c.ready.Alarms, Alarm{At: p.at})
}

// raise raises the alarm for a held port.
func (c *Core) raise(p *port) {
	how := [...]string{
		byMeter:   fmt.Sprintf("metered to %d/s at the switch", c.cfg.Allowed),
		byDrop:    fmt.Sprintf("dropped at the switch for %s at a time", p.hold),
		byNothing: "the switch refuses to hold it back; shed on arrival",
	}[p.means]
	if p.link {
		how = "it leads to another switch; shed on arrival"
	}
	c.ready.Alarms = append(c.ready.Alarms, Alarm{At: p.at, Raised: true,
		Text: fmt.Sprintf("floods the controller with %s, %.0f/s: %s", p.held, p.data.now+p.probes.now, how)})
}
