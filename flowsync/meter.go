package flowsync

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// meters are those wanted of one switch. A switch is asked for its meters when the first is wanted of it, or when discovery
// has settled. Those found there that nobody wants are removed if their number says that they are ours and firm, and no
// entry of others is there: a meter has no cookie, and two Weirs that share a switch share its meters.
type meters struct {
	rows    map[uint32]*meterRow
	reading bool
	known   bool // what the switch holds is in rows and held
	held    map[uint32]netview.Meter
}

// meterRow is one meter.
type meterRow struct {
	id     uint32
	wanted *netview.Meter // nil: to be removed
	on     netview.Meter  // what the switch holds, if held
	held   bool
	reason string // why the switch refused it; "" if it did not
}

// refused is why the switch does not have a meter that is wanted, "" if it has, or was not asked.
func (m *meters) refused(id uint32) string {
	if r := m.rows[id]; r != nil && !r.held {
		return r.reason
	}
	return ""
}

// forget drops what is known of the switch's meters.
func (m *meters) forget() {
	m.reading, m.known, m.held = false, false, nil
	maps.DeleteFunc(m.rows, func(_ uint32, r *meterRow) bool { return r.wanted == nil })
	for _, id := range m.ids() {
		r := m.rows[id]
		r.held, r.reason, r.on = false, "", netview.Meter{}
	}
}

func (m *meters) ids() []uint32 { return slices.Sorted(maps.Keys(m.rows)) }

// wantMeter takes a meter that is new or changed.
func (l *ledger) wantMeter(wanted *netview.Meter) {
	m := &l.meters
	r := m.rows[wanted.ID]
	if r == nil {
		if m.rows == nil {
			m.rows = make(map[uint32]*meterRow)
		}
		r = &meterRow{id: wanted.ID}
		r.on, r.held = m.held[wanted.ID]
		m.rows[wanted.ID] = r
	}
	if r.wanted == nil || *r.wanted != *wanted {
		r.reason = ""
	}
	r.wanted = wanted
}

// unwantMeter takes a meter that is wanted no longer. It is removed when no rule uses it any more: a switch removes a
// meter's rules with it.
func (l *ledger) unwantMeter(id uint32) {
	if r := l.meters.rows[id]; r != nil {
		r.wanted = nil
		if !l.meters.known {
			delete(l.meters.rows, id)
		}
	}
}

// drainMeters sends the meters that the switch lacks. It returns true if rules have to wait.
func (c *Core) drainMeters(l *ledger, now time.Time) bool {
	m := &l.meters
	switch {
	case m.reading:
		return true
	case len(m.rows) == 0:
		return false
	case !m.known:
		c.readMeters(l, now)
		return true
	}
	if !m.any((*meterRow).lacks) {
		return false
	}
	f := &flight{}
	for _, id := range m.ids() {
		r := m.rows[id]
		if !r.lacks() {
			continue
		}
		command := openflow.MeterAdd
		if r.held {
			command = openflow.MeterModify
		}
		m := meterMod(command, r.wanted)
		if _, err := m.Append(nil, l.version); err != nil {
			r.reason = err.Error()
			continue
		}
		f.ops = append(f.ops, op{meter: r, wanted: r.wanted})
		f.messages = append(f.messages, m)
	}
	if len(f.ops) == 0 {
		return false
	}
	c.take(l, f, now)
	return true
}

// lacks says whether the switch lacks the meter, and has not refused it.
func (r *meterRow) lacks() bool {
	return r.wanted != nil && r.reason == "" && !(r.held && r.on == *r.wanted)
}

// any says whether a meter is as f says.
func (m *meters) any(f func(*meterRow) bool) bool {
	for _, r := range m.rows {
		if f(r) {
			return true
		}
	}
	return false
}

// pruneMeters has the meters of ours removed that nobody wants. Those of protection are soft: whoever made them looks after
// them.
func (c *Core) pruneMeters(l *ledger, now time.Time) {
	m := &l.meters
	switch {
	case m.reading || l.flight != nil || len(l.queue) > 0 || !l.byCookie: // OpenFlow 1.0 has neither meters nor filters for cookies
		return
	case !m.known:
		c.readMeters(l, now)
		return
	case len(l.foreign)+l.unkept > 0 || len(m.held) == 0:
		return
	}
	for _, id := range slices.Sorted(maps.Keys(m.held)) {
		protection := id >= plan.MeterProtectionFirst && id <= plan.MeterProtectionLast
		if m.rows[id] == nil && plan.OurMeter(id) && !protection {
			if m.rows == nil {
				m.rows = make(map[uint32]*meterRow)
			}
			m.rows[id] = &meterRow{id: id, held: true, on: m.held[id]}
		}
	}
}

// readMeters asks for the switch's meters.
func (c *Core) readMeters(l *ledger, now time.Time) {
	l.meters.reading = true
	l.answerBy = now.Add(c.config.Answer)
	c.ready.MeterReadings = append(c.ready.MeterReadings, Address{l.dpid, l.session})
}

// dropMeters is the batch that removes meters, nil if there are none to remove.
func (l *ledger) dropMeters() *flight {
	if !l.meters.any(func(r *meterRow) bool { return r.wanted == nil }) {
		return nil
	}
	var f *flight
	for _, id := range l.meters.ids() {
		r := l.meters.rows[id]
		switch {
		case r.wanted != nil || l.uses(id):
			continue
		case !r.held:
			delete(l.meters.rows, id)
			continue
		case f == nil:
			f = &flight{}
		}
		f.ops = append(f.ops, op{meter: r})
		f.messages = append(f.messages, &openflow.MeterMod{Command: openflow.MeterDelete, Meter: id})
	}
	return f
}

// uses says whether an entry that the switch is known to hold uses a meter.
func (l *ledger) uses(id uint32) bool {
	for _, w := range l.rows {
		if w.known && meterOf(w.on.instructions) == id {
			return true
		}
	}
	return false
}

// endMeter takes the end of a meter's message. The rules that use it are looked at again if what the switch holds changed.
func (c *Core) endMeter(l *ledger, o *op) {
	r, had := o.meter, o.meter.held
	switch {
	case o.refused == nil && o.wanted == nil:
		r.held, r.on = false, netview.Meter{}
		delete(l.meters.held, r.id)
	case o.refused == nil:
		r.held, r.on = true, *o.wanted
	case o.refused.Code == openflow.MeterModFailedMeterExists && !had:
		r.held, r.on = true, netview.Meter{} // and so it is modified next
	case o.refused.Code == openflow.MeterModFailedUnknownMeter && had:
		r.held = false // and so it is added next
	default:
		r.reason = reasonOf(o.refused, l.version)
		if o.wanted == nil {
			r.held = false // it stays behind, as one that nobody wants
		}
	}
	if had != r.held {
		c.requeueMetered(l, r.id)
	}
}

// requeueMetered looks again at the rules that use a meter.
func (c *Core) requeueMetered(l *ledger, id uint32) {
	for _, key := range l.keys() {
		if w := l.rows[key]; w.rule != nil && meterOf(w.rule.Instructions) == id {
			w.unmetered = false
			l.enqueue(w)
		}
	}
}

// metersRead takes the switch's meters. Without an answer the wanted ones are tried.
func (c *Core) metersRead(l *ledger, in Meters) {
	m := &l.meters
	if !m.reading {
		return
	}
	m.reading, m.known = false, true
	m.held = make(map[uint32]netview.Meter, len(in.Held))
	for _, held := range in.Held {
		held.DPID = l.dpid
		m.held[held.ID] = held
	}
	l.answerBy = time.Time{}
	for _, id := range m.ids() {
		r := m.rows[id]
		if r.on, r.held = m.held[id]; r.held {
			c.requeueMetered(l, id)
		}
	}
}

// meterMod is a meter of one band that drops what is above its rate.
func meterMod(command openflow.MeterModCommand, m *netview.Meter) *openflow.MeterMod {
	flags := openflow.MeterFlagPktps
	if m.Burst != 0 {
		flags |= openflow.MeterFlagBurst
	}
	return &openflow.MeterMod{
		Command: command, Flags: flags, Meter: m.ID,
		Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: m.Rate, Burst: m.Burst}},
	}
}
