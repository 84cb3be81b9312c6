package guard

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Event is something that happened to a switch. Exactly one of the pointers is set, or Down is
// true.
type Event struct {
	DPID    netview.DPID
	Epoch   uint64 // of the session; events of one that has ended are dropped
	Up      *Up
	Down    bool
	Removed *Removed
	Refused *Refused
	Meters  []openflow.MeterStats // answers Ready.Clean; may be empty where the others are nil
}

// Up is a session that is ready for flow-mods.
type Up struct {
	Version openflow.Version
	Tables  uint8
}

// Removed is a protection row that went.
type Removed struct {
	Port    uint32
	Reason  openflow.FlowRemovedReason
	Packets uint64
	Lived   time.Duration
}

// Refused is an error about the message of a Write with this index.
type Refused struct {
	Number uint64
	Index  int
	Code   openflow.ErrorCode
}

func (c *Core) event(e *Event, now time.Time) {
	d := c.switches[e.DPID]
	switch {
	case e.Up != nil:
		c.lost(e.DPID)
		d = &device{epoch: e.Epoch, form: form{e.Up.Version, plan.SingleTable(e.Up.Version, e.Up.Tables)}}
		if !d.single {
			d.cleanAt = now.Add(c.cfg.Grace)
		}
		c.switches[e.DPID] = d
	case d == nil || d.epoch != e.Epoch:
	case e.Down:
		c.lost(e.DPID)
	case e.Removed != nil:
		c.removed(e.DPID, e.Removed, now)
	case e.Refused != nil:
		c.refused(d, e)
	default:
		c.unused(e.DPID, e.Meters)
	}
}

// lost forgets a switch whose session has ended. Its rows run out by themselves.
func (c *Core) lost(dpid netview.DPID) {
	if c.switches[dpid] == nil {
		return
	}
	var gone []netview.Point
	for at := range c.ports {
		if at.DPID == dpid {
			gone = append(gone, at)
		}
	}
	slices.SortFunc(gone, netview.Point.Compare)
	for _, at := range gone {
		if p := c.ports[at]; p.held != 0 {
			c.release(p, false)
		}
		delete(c.ports, at)
	}
	delete(c.switches, dpid)
}

// removed takes the end of a row. A row that drops tells by its count whether the flood goes on;
// one that others deleted is written again.
func (c *Core) removed(dpid netview.DPID, r *Removed, now time.Time) {
	p := c.ports[netview.Point{DPID: dpid, Port: r.Port}]
	if p == nil || p.held == 0 {
		return
	}
	if r.Reason != openflow.RemovedHard {
		if p.until.Sub(now) < p.hold-time.Second { // and not what was just written anew
			p.unsent = true
		}
		return
	}
	if p.means != byDrop || p.unsent || r.Lived <= 0 || float64(r.Packets)/r.Lived.Seconds() < c.cfg.Rate/2 {
		return
	}
	p.lastFlood, p.unsent = now, true
	p.hold = min(2*p.hold, max(c.cfg.HoldMax, c.cfg.Hold))
}

// refused takes an error. A meter that is refused makes room for a drop, at this port or, unless
// there were only too many, at the whole switch; a drop that is refused leaves the shedding to the
// instance.
func (c *Core) refused(d *device, e *Event) {
	i := slices.IndexFunc(d.sent, func(s sent) bool { return s.number == e.Refused.Number })
	if i < 0 || e.Refused.Index >= len(d.sent[i].messages) {
		return
	}
	s := d.sent[i]
	p := c.ports[netview.Point{DPID: e.DPID, Port: s.port}]
	c.Counts.Refusals.Add(1)
	if p == nil || p.held == 0 {
		return
	}
	switch m := s.messages[e.Refused.Index].(type) {
	case *openflow.MeterMod:
		if m.Command != openflow.MeterDelete && p.means == byMeter {
			d.meterless = d.meterless || e.Refused.Code != openflow.MeterModFailedOutOfMeters
			c.useDropRows(p)
		}
	case *openflow.FlowMod:
		switch {
		case m.Command != openflow.FlowAdd:
		case p.means == byMeter && usesMeter(m):
			c.useDropRows(p)
		case p.means == byDrop && !usesMeter(m):
			p.means, p.unsent = byNothing, false
			c.raise(p)
		}
	}
}

func usesMeter(m *openflow.FlowMod) bool {
	return slices.ContainsFunc(m.Instructions, func(i openflow.Instruction) bool { return i.Type == openflow.InstructionMeter })
}

// clean asks for the meters of switches that have been connected for long enough.
func (c *Core) clean(now time.Time) {
	for dpid, d := range c.switches {
		if !d.cleanAt.IsZero() && !d.cleanAt.After(now) {
			d.cleanAt = time.Time{}
			c.ready.Clean = append(c.ready.Clean, dpid)
		}
	}
	slices.Sort(c.ready.Clean)
}

// unused deletes the meters of an earlier run: those of our range that no entry uses.
func (c *Core) unused(dpid netview.DPID, meters []openflow.MeterStats) {
	w := c.newWrite(netview.Point{DPID: dpid})
	for i := range meters {
		m := &meters[i]
		ours := m.Meter >= plan.MeterProtectionFirst && m.Meter <= plan.MeterProtectionLast
		if !ours || m.Flows != 0 {
			continue
		}
		port := m.Meter - plan.MeterProtectionFirst
		if class, _ := c.Held(netview.Point{DPID: dpid, Port: port}); class == 0 {
			w.Messages = append(w.Messages, c.cfg.meter(openflow.MeterDelete, port))
		}
	}
	if len(w.Messages) > 0 {
		c.Counts.Cleaned.Add(uint64(len(w.Messages)))
		c.ready.Writes = append(c.ready.Writes, w)
	}
}
