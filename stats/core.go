package stats

import (
	"errors"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

type (
	portList  = openflow.PortStatsList
	tableList = openflow.TableStatsList
	totals    = openflow.AggregateStats
	flowList  = openflow.FlowStatsList
)

// Core decides whom to ask what, and when, and makes samples of the answers. Its owner steps
// it, one at a time.
type Core struct {
	cfg     Config
	counts  *Counts
	devices map[netview.DPID]*device
	lines   [sorts]line
	asked   int // questions that wait for answers
	gone    int // devices without a session
	parting uint64
	ready   Ready
}

// NewCore returns a core that knows no switches.
func NewCore(cfg Config) *Core {
	cfg = cfg.withDefaults()
	c := &Core{cfg: cfg, counts: new(Counts), devices: make(map[netview.DPID]*device)}
	for of := range sorts {
		c.lines[of] = line{agenda{of: of}, budget{share: cfg.Share}}
	}
	return c
}

// Step takes what happened, in order, and returns what to do.
func (c *Core) Step(inputs []Input, now time.Time) *Ready {
	clear(c.ready.Tenants)
	c.ready = Ready{News: c.ready.News[:0], Gone: c.ready.Gone[:0], Tenants: c.ready.Tenants[:0],
		Questions: c.ready.Questions[:0]}
	for _, in := range inputs {
		switch in := in.(type) {
		case Up:
			c.up(in, now)
		case Down:
			c.down(in)
		case Answer:
			c.answer(&in, now)
		case Forgotten:
			if d := c.devices[in.DPID]; d != nil && !d.connected {
				c.drop(d)
			}
		case Wanted:
			c.want(in, now)
		}
	}
	c.ask(now)
	c.ready.Wake = c.wake(now)
	return &c.ready
}

// up begins to ask a switch.
func (c *Core) up(in Up, now time.Time) {
	d := c.devices[in.DPID]
	switch {
	case d == nil:
		d = &device{now: &Switch{DPID: in.DPID}}
		c.devices[in.DPID] = d
	case d.connected:
		c.part(d)
		c.gone--
	default:
		c.gone--
	}
	d.address, d.connected, d.selectable = in.Address, true, selectable(in.Version)
	d.paces = [kinds]pace{}
	for k := KindTenants; k < kinds; k++ {
		d.paces[k].most = wantedPerSecond
	}
	for k := range KindTenants {
		if period := c.cfg.period(k); period > 0 && (k != KindFlows || d.selectable) {
			d.paces[k].due = now.Add(phase(c.cfg.Seed, uint64(in.DPID), k, period))
		}
	}
	c.schedule(d)
}

// down ends the questions to a switch. Its sample stays on the board.
func (c *Core) down(in Down) {
	if d := c.devices[in.DPID]; d != nil && d.connected && d.address == in.Address {
		c.part(d)
		c.forget()
	}
}

// part takes a session away from a device.
func (c *Core) part(d *device) {
	c.forsake(d)
	if d.asked != nil {
		d.asked = nil
		c.asked--
	}
	c.parting++
	c.gone++
	d.connected, d.missed, d.gone = false, 0, c.parting
	d.restart()
	d.remove()
}

// forget drops the device that has been without a session the longest, if there are too many.
func (c *Core) forget() {
	if c.gone <= goneMax {
		return
	}
	var oldest *device
	for _, d := range c.devices {
		if !d.connected && (oldest == nil || d.gone < oldest.gone) {
			oldest = d
		}
	}
	c.drop(oldest)
}

// drop drops a device without a session.
func (c *Core) drop(d *device) {
	c.gone--
	delete(c.devices, d.now.DPID)
	c.ready.Gone = append(c.ready.Gone, d.now.DPID)
}

// answer takes the end of a question.
func (c *Core) answer(a *Answer, now time.Time) {
	d := c.devices[a.DPID]
	if d == nil || !d.connected || d.address != a.Address || d.asked == nil {
		return // of a session that has ended
	}
	q := d.asked
	d.asked = nil
	c.asked--
	p, period := &d.paces[q.Kind], c.cfg.period(q.Kind)
	whole, err := false, a.Err
	if err == nil {
		whole, err = d.take(q, a, c.cfg.Domain)
	}
	c.counts.end(q.Kind, err)
	if err == nil && d.missed > 0 {
		d.recovered(a.At)
	}
	switch {
	case q.Kind.onDemand():
		if err != nil && !errors.Is(err, ErrRefused) {
			d.onMissed(&c.cfg, now)
		}
		c.tell(d, q.Kind, a, err, now)
	case err == nil:
		took := a.At.Sub(d.askedAt)
		_, bytes := kindOf(a.Body)
		c.counts.Bytes.Add(uint64(bytes))
		if q.Kind == KindFlows {
			took, bytes = d.addPart(took, bytes, whole)
		}
		if !whole {
			p.due = a.At // the next part
			break
		}
		p.answered(took, bytes, period, a.At)
		c.ready.News = append(c.ready.News, d.now)
	case errors.Is(err, ErrRefused):
		p.due = now.Add(max(MaxPeriod, period)) // it may have been for a while only
		if q.Kind == KindFlows {
			d.restart()
		}
	default:
		d.onMissed(&c.cfg, now)
		for k := KindTenants; k < kinds; k++ {
			if due := d.paces[k].due; !due.IsZero() {
				c.ready.Tenants = append(c.ready.Tenants, &TenantCounters{DPID: d.now.DPID, Kind: k, Err: ErrLater, Next: due})
			}
		}
	}
	c.schedule(d)
}

// schedule puts a device on the agenda.
func (c *Core) schedule(d *device) {
	d.remove()
	if _, at, ok := d.next(); ok {
		c.lines[regular].agenda.set(d, at)
	}
	if _, at, ok := d.nextWanted(); ok {
		c.lines[wanted].agenda.set(d, at)
	}
}

// ask asks those that are due, as far as the budgets go.
func (c *Core) ask(now time.Time) {
	for of := range sorts {
		c.askLine(of, now)
	}
}

func (c *Core) askLine(of sort, now time.Time) {
	l := &c.lines[of]
	for {
		d, due := l.agenda.first()
		if d == nil || due.After(now) {
			return
		}
		if !l.budget.allows(now) {
			c.counts.Held.Add(1)
			return
		}
		var k Kind
		if of == regular {
			k, due, _ = d.next()
		} else {
			k, due, _ = d.nextWanted()
			d.paces[k].due = time.Time{}
		}
		d.asked, d.askedAt = d.question(k), now
		if p := &d.paces[k]; d.part == 0 || k != KindFlows {
			p.begun = now
			if now.Sub(due) <= slot { // the slot's delay does not add up
				p.begun = due
			}
		}
		d.remove()
		c.asked++
		l.budget.spend(d.paces[k].bytes)
		c.counts.Asked[k].Add(1)
		c.ready.Questions = append(c.ready.Questions, *d.asked)
	}
}

// wake is when the next step is due. Answers do not ask for one of their own: they are taken with
// the next.
func (c *Core) wake(now time.Time) (at time.Time) {
	if c.asked > 0 {
		return now.Add(slot)
	}
	for i := range c.lines {
		if d, due := c.lines[i].agenda.first(); d != nil && (at.IsZero() || due.Before(at)) {
			at = due
		}
	}
	if !at.IsZero() && at.Before(now.Add(slot)) {
		return now.Add(slot)
	}
	return at
}
