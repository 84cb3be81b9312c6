package flowsync

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// meters are the meters of one switch. They are read when the first is desired, or when discovery
// has settled. Those found that no one desires are removed if their number says that they are ours
// and firm, and no foreign entry is on the switch: a meter has no cookie, and two Weirs that share
// a switch share its meters.
type meters struct {
	rows      map[uint32]*meterRow
	reading   bool
	known     bool // rows and held are what the switch holds
	held      map[uint32]netview.Meter
	converged bool // no row is missing or to be removed, nor in flight
}

// meterRow is one meter.
type meterRow struct {
	id      uint32
	desired *netview.Meter // nil: to be removed
	content netview.Meter  // valid if held
	held    bool
	reason  string // of the switch's refusal; "" if it did not refuse
}

// refused returns why the switch refused a desired meter; "" if it has it, or was not asked.
func (m *meters) refused(id uint32) string {
	if r := m.rows[id]; r != nil && !r.held {
		return r.reason
	}
	return ""
}

// reset drops what is known of the switch's meters.
func (m *meters) reset() {
	m.reading, m.known, m.held = false, false, nil
	maps.DeleteFunc(m.rows, func(_ uint32, r *meterRow) bool { return r.desired == nil })
	for _, id := range m.ids() {
		r := m.rows[id]
		r.held, r.reason, r.content = false, "", netview.Meter{}
	}
}

func (m *meters) add(r *meterRow) {
	if m.rows == nil {
		m.rows = make(map[uint32]*meterRow)
	}
	m.rows[r.id] = r
}

func (m *meters) ids() []uint32 { return slices.Sorted(maps.Keys(m.rows)) }

// setDesiredMeter takes a new or changed meter.
func (sw *switchState) setDesiredMeter(wanted *netview.Meter) {
	m := &sw.meters
	m.converged = false
	r := m.rows[wanted.ID]
	if r == nil {
		r = &meterRow{id: wanted.ID}
		r.content, r.held = m.held[wanted.ID]
		m.add(r)
	}
	if r.desired == nil || *r.desired != *wanted {
		r.reason = ""
	}
	r.desired = wanted
}

// withdrawMeter withdraws a meter. It is removed when no rule uses it any more: a switch removes a
// meter's rules with it.
func (sw *switchState) withdrawMeter(id uint32) {
	if r := sw.meters.rows[id]; r != nil {
		r.desired, sw.meters.converged = nil, false
		if !sw.meters.known {
			delete(sw.meters.rows, id)
		}
	}
}

// sendMeters sends the meters that the switch lacks. It returns true if rules have to wait.
func (c *Core) sendMeters(sw *switchState, now time.Time) bool {
	m := &sw.meters
	switch {
	case m.reading:
		return true
	case len(m.rows) == 0:
		return false
	case !m.known:
		c.readMeters(sw, now)
		return true
	case m.converged:
		return false
	}
	if !m.any((*meterRow).missing) {
		m.converged = !m.any((*meterRow).removing)
		return false
	}
	f := &inflightBatch{}
	for _, id := range m.ids() {
		r := m.rows[id]
		if !r.missing() {
			continue
		}
		command := openflow.MeterAdd
		if r.held {
			command = openflow.MeterModify
		}
		m := meterMod(command, r.desired)
		if _, err := m.Append(nil, sw.version); err != nil {
			r.reason = err.Error()
			continue
		}
		f.ops = append(f.ops, op{meter: r, desired: r.desired})
		f.messages = append(f.messages, m)
	}
	if len(f.ops) == 0 {
		return false
	}
	c.startBatch(sw, f, now)
	return true
}

// missing reports whether the switch lacks the meter and has not refused it.
func (r *meterRow) missing() bool {
	return r.desired != nil && r.reason == "" && !(r.held && r.content == *r.desired)
}

// removing reports whether the meter is to be removed.
func (r *meterRow) removing() bool { return r.desired == nil }

// any reports whether f is true of a meter.
func (m *meters) any(f func(*meterRow) bool) bool {
	for _, r := range m.rows {
		if f(r) {
			return true
		}
	}
	return false
}

// pruneMeters queues the removal of our meters that no one desires. Those of protection are soft:
// package guard manages them.
func (c *Core) pruneMeters(sw *switchState, now time.Time) {
	m := &sw.meters
	switch {
	// OpenFlow 1.0 has neither meters nor cookie masks
	case m.reading || sw.inflight != nil || len(sw.queue) > 0 || !sw.cookieMasks:
		return
	case !m.known:
		c.readMeters(sw, now)
		return
	case len(sw.foreign)+sw.foreignOverflow > 0 || len(m.held) == 0:
		return
	}
	for _, id := range slices.Sorted(maps.Keys(m.held)) {
		protection := id >= plan.MeterProtectionFirst && id <= plan.MeterProtectionLast
		if m.rows[id] == nil && plan.OurMeter(id) && !protection {
			m.add(&meterRow{id: id, held: true, content: m.held[id]})
			m.converged = false
		}
	}
}

// readMeters requests the switch's meters.
func (c *Core) readMeters(sw *switchState, now time.Time) {
	sw.meters.reading = true
	sw.answerDeadline = now.Add(c.config.Answer)
	c.ready.MeterReadings = append(c.ready.MeterReadings, Address{sw.dpid, sw.epoch})
}

// meterRemovals returns the batch that removes meters, nil if there are none to remove.
func (sw *switchState) meterRemovals() *inflightBatch {
	if sw.meters.converged || !sw.meters.any((*meterRow).removing) {
		return nil
	}
	var f *inflightBatch
	for _, id := range sw.meters.ids() {
		r := sw.meters.rows[id]
		switch {
		case r.desired != nil || sw.usesMeter(id):
			continue
		case !r.held:
			delete(sw.meters.rows, id)
			continue
		case f == nil:
			f = &inflightBatch{}
		}
		f.ops = append(f.ops, op{meter: r})
		f.messages = append(f.messages, &openflow.MeterMod{Command: openflow.MeterDelete, Meter: id})
	}
	return f
}

// usesMeter reports whether an entry that the switch is known to hold uses a meter.
func (sw *switchState) usesMeter(id uint32) bool {
	for _, w := range sw.rows {
		if w.contentKnown && meterOf(w.content.instructions) == id {
			return true
		}
	}
	return false
}

// meterDone handles the end of a meter-mod, and queues the rules that use the meter if what the
// switch holds changed.
func (c *Core) meterDone(sw *switchState, o *op) {
	r, had := o.meter, o.meter.held
	switch {
	case o.refused == nil && o.desired == nil:
		r.held, r.content = false, netview.Meter{}
		delete(sw.meters.held, r.id)
	case o.refused == nil:
		r.held, r.content = true, *o.desired
	case o.refused.Code == openflow.MeterModFailedMeterExists && !had:
		r.held, r.content = true, netview.Meter{} // it is modified next
	case o.refused.Code == openflow.MeterModFailedUnknownMeter && had:
		r.held = false // it is added next
	default:
		r.reason = refusalText(o.refused, sw.version)
		if o.desired == nil {
			r.held = false // it remains on the switch
		}
	}
	if had != r.held {
		c.requeueMetered(sw, r.id)
	}
}

// requeueMetered queues the rules that use a meter.
func (c *Core) requeueMetered(sw *switchState, id uint32) {
	for _, key := range sortedKeys(sw.rows) {
		if w := sw.rows[key]; w.rule != nil && meterOf(w.rule.Instructions) == id {
			w.unmetered = false
			sw.enqueue(w)
		}
	}
}

// onMeters takes the switch's meters. Without an answer it assumes none.
func (c *Core) onMeters(sw *switchState, in Meters) {
	m := &sw.meters
	if !m.reading {
		return
	}
	m.reading, m.known, m.converged = false, true, false
	m.held = make(map[uint32]netview.Meter, len(in.Held))
	for _, held := range in.Held {
		held.DPID = sw.dpid
		m.held[held.ID] = held
	}
	sw.answerDeadline = time.Time{}
	for _, id := range m.ids() {
		r := m.rows[id]
		if r.content, r.held = m.held[id]; r.held {
			c.requeueMetered(sw, id)
		}
	}
}

// meterMod returns the message for a meter of one band that drops packets above its rate.
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
