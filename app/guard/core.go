package guard

import (
	"cmp"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Core decides which ports are held back, and how. It is stepped ten times a second.
type Core struct {
	cfg    Config
	Counts Counts

	switches map[netview.DPID]*device
	ports    map[netview.Point]*port // those that sent something recently, or are held back
	last     time.Time
	writes   uint64 // number of the last

	active []netview.Point // scratch: the ports of the step, in order
	rates  []float64       // scratch
	ready  Ready
}

// device is a connected switch.
type device struct {
	form
	epoch     uint64
	meterless bool      // it refuses meters, or they do not work
	cleanAt   time.Time // when meters of an earlier run are looked for; zero: never, or done
	guarded   int       // ports held back
	sent      []sent    // the latest writes, the oldest first
}

// sent is a write whose messages an error may still answer.
type sent struct {
	number   uint64
	messages []openflow.Message
	port     uint32
}

// sentMax is how many writes to a switch are remembered.
const sentMax = 32

// NewCore returns a core that knows no switch.
func NewCore(cfg Config) *Core {
	return &Core{cfg: cfg.withDefaults(), switches: make(map[netview.DPID]*device), ports: make(map[netview.Point]*port)}
}

// Ready is what is to be done, in this order. It is valid until the next Step.
type Ready struct {
	Writes []Write
	Clean  []netview.DPID // switches whose meters are to be read, for the event Meters
	Alarms []Alarm
}

// Write is a list of messages for a switch, sent together. Sent reports it.
type Write struct {
	Number   uint64
	Epoch    uint64        // of the session
	At       netview.Point // the port that it concerns; its Port is 0 if it concerns none
	Messages []openflow.Message
}

// Alarm is raised or cleared for a port.
type Alarm struct {
	At     netview.Point
	Raised bool
	Text   string
}

// Step takes what happened, in order, then the counts since the last step.
func (c *Core) Step(events []Event, samples []Sample, snap *netview.Snapshot, now time.Time) *Ready {
	c.ready.Writes, c.ready.Clean, c.ready.Alarms = c.ready.Writes[:0], c.ready.Clean[:0], c.ready.Alarms[:0]
	for i := range events {
		c.event(&events[i], now)
	}
	elapsed := now.Sub(c.last)
	if c.last.IsZero() || elapsed <= 0 || elapsed > time.Second {
		elapsed = interval
	}
	c.last = now
	for i := range samples {
		c.count(&samples[i], elapsed)
	}
	c.active = c.active[:0]
	for at, p := range c.ports {
		p.age(elapsed, &c.cfg)
		c.active = append(c.active, at)
	}
	slices.SortFunc(c.active, netview.Point.Compare)
	bar := -1.0
	for _, at := range c.active {
		p := c.ports[at]
		if class := c.floods(p, snap, &bar); class != 0 {
			c.hold(p, class, snap, now)
		}
		c.checkHeld(p, snap, now)
		if p.idle() {
			delete(c.ports, at)
		}
	}
	c.clean(now)
	return &c.ready
}

// Held returns which packet-ins of a port are held back, and how many of each kind the instance
// still handles in a second.
func (c *Core) Held(at netview.Point) (class Class, allowed uint32) {
	p := c.ports[at]
	switch {
	case p == nil || p.held == 0:
		return 0, 0
	case p.link:
		return p.held, c.cfg.Allowed * linkShare
	}
	return p.held, c.cfg.Allowed
}

// holdsAt reports whether a port of a switch is held back.
func (c *Core) holdsAt(dpid netview.DPID) bool {
	d := c.switches[dpid]
	return d != nil && d.guarded > 0
}

// newWrite is a write without messages to a switch.
func (c *Core) newWrite(at netview.Point) Write {
	c.writes++
	w := Write{Number: c.writes, At: at}
	if d := c.switches[at.DPID]; d != nil {
		w.Epoch = d.epoch
	}
	return w
}

// Sent records that the switch's session accepted a write. One that was not accepted is retried.
func (c *Core) Sent(w *Write) {
	d := c.switches[w.At.DPID]
	if d == nil || d.epoch != w.Epoch {
		return
	}
	if len(d.sent) >= sentMax {
		d.sent = slices.Delete(d.sent, 0, 1)
	}
	d.sent = append(d.sent, sent{w.Number, w.Messages, w.At.Port})
	if p := c.ports[w.At]; p != nil && p.held != 0 {
		p.unsent, p.metered = false, p.means == byMeter
	}
}

// floods returns which packet-ins of a port are a flood. bar is the rate of a quarter of all ports,
// negative while it is not known.
func (c *Core) floods(p *port, snap *netview.Snapshot, bar *float64) (class Class) {
	if p.probes.level > c.cfg.Burst {
		class |= ClassProbes
	}
	if p.data.level <= c.cfg.Burst {
		return class
	}
	if p.data.rate <= c.cfg.Ceiling {
		if *bar < 0 {
			*bar = c.quarter(snap)
		}
		if p.data.rate <= c.cfg.Dominance**bar {
			return class
		}
	}
	return class | ClassData
}

// quarter returns the rate that a quarter of all ports at which hosts may be do not exceed; held
// ports are left out.
func (c *Core) quarter(snap *netview.Snapshot) float64 {
	total := 0
	for sw := range snap.Switches() {
		if !sw.Connected {
			continue
		}
		for i := range sw.Ports {
			if q := &sw.Ports[i]; q.Up && q.Role != netview.PortLink && q.Number < openflow.PortMax {
				total++
			}
		}
	}
	c.rates = c.rates[:0]
	for at, p := range c.ports {
		switch sw, ok := snap.Switch(at.DPID); {
		case p.held != 0:
			total--
		case !ok:
		default:
			if q, ok := sw.Port(at.Port); ok && q.Up && q.Role != netview.PortLink {
				c.rates = append(c.rates, p.data.rate)
			}
		}
	}
	slices.SortFunc(c.rates, cmp.Compare[float64])
	silent := max(0, total-len(c.rates))
	if at := (silent+len(c.rates))/4 - silent; at >= 0 && at < len(c.rates) {
		return c.rates[at]
	}
	return 0
}
