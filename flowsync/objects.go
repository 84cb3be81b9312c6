package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// switchObjects are the groups and meters of one switch (package objects): those of rules of rule sets, whose users are
// rows of ruleTable, and the view's meters, which have fixed numbers. A switch with a flow monitor, which tells nothing of
// them, is asked for them by themselves.
type switchObjects struct {
	*objects.Table
	session *session
	health  *health
	reading *reading

	differences []objects.Difference // of the audit in flight
	alone       objectsReading
	silent      bool // the switch leaves the questions open: it is taken to have none before anything is written
}

// objectOp is one message of a batch about a group or a meter.
type objectOp struct {
	object  *objects.Op
	refused *openflow.ErrorMsg
}

// objectsReading is a reading of groups and meters alone.
type objectsReading struct {
	at       time.Time // when the next is due; zero if none is
	id       uint64    // of the request in flight; 0 if none is
	mark     uint64    // objects.Table.Mark
	deadline time.Time
}

func newSwitchObjects(s *session, h *health, r *reading) switchObjects {
	return switchObjects{session: s, health: h, reading: r, Table: objects.New(objects.Config{
		Domain: s.config.Domain, Window: s.config.LieWindow, Backoff: h.lossBackoff, Retry: s.config.backoff,
		Text: func(e *openflow.ErrorMsg) string { return refusalText(e, s.version) },
	})}
}

// reset ends a session.
func (o *switchObjects) reset() {
	o.Forget()
	o.alone, o.differences = objectsReading{}, nil
}

// replace replaces all meters that the view wants.
func (o *switchObjects) replace(list []*netview.Meter) {
	keep := make(map[uint32]bool, len(list))
	for _, m := range list {
		keep[m.ID] = true
		o.Fix(m.ID, m.Rate, m.Burst)
	}
	for _, id := range o.Fixed() {
		if !keep[id] {
			o.Unfix(id)
		}
	}
}

// next makes the next batch of messages about groups and meters; nil if there is nothing to send.
func (o *switchObjects) next(limit int, used func(uint32) bool, now time.Time) *inflightBatch {
	list := o.Next(limit, used, now)
	if o.AsksFeatures() {
		o.session.ready.Features = append(o.session.ready.Features, o.session.address())
	}
	if len(list) == 0 {
		return nil
	}
	f := &inflightBatch{}
	for _, l := range list {
		f.ops = append(f.ops, objectOp{object: l})
		f.messages = append(f.messages, l.Message)
	}
	return f
}

// want has the groups and meters of a row's rule made.
func (o *switchObjects) want(row uint32, set *ruleset.Set, rule uint16) {
	_, hop := set.At(int(rule))
	o.Want(row, hop.Do.Objects())
}

// render gives a flow-mod for a row the numbers of its objects. If these are not confirmed, the row waits, or the refusal
// says why it cannot be there.
func (o *switchObjects) render(row uint32, do *ruleset.Behaviour, m *openflow.FlowMod) (ready bool, why *objects.Refusal) {
	if ready, why = o.Ready(row); !ready {
		return false, why
	}
	list, err := do.Render(o.session.version, o.Number)
	if err != nil {
		return false, &objects.Refusal{Reason: err.Error()}
	}
	m.Instructions = list
	return true, nil
}

// doubt reports whether a rule is refused because the switch lacks a group or a meter that it uses, which is then sent
// anew. The rule waits for it.
func (o *switchObjects) doubt(row uint32, code openflow.ErrorCode) bool {
	switch code {
	case openflow.BadActionBadOutGroup:
		return o.Doubt(row, false)
	case openflow.MeterModFailedInvalidMeter, openflow.MeterModFailedUnknownMeter:
		return o.Doubt(row, true)
	}
	return false
}

// beginSession begins a session.
func (o *switchObjects) beginSession(version openflow.Version) {
	o.silent = false
	o.Begin(version)
}

// beginFirst begins a reading before anything is written.
func (o *switchObjects) beginFirst() {
	if o.silent {
		o.Compare(objects.Read(o.session.config.Domain, o.Numbers(), nil, nil))
	}
}

// begin returns what a reading of the switch is to be asked with.
func (o *switchObjects) begin(r *Request) {
	r.Objects, r.Numbers = o.Numbered() && !o.silent, o.Numbers()
}

// audited handles what an audit has found: each loss is drift, as that of a rule.
func (o *switchObjects) audited(list []objects.Difference, now time.Time) {
	lost := 0
	for i := range list {
		d := &list[i]
		if !d.Lost {
			continue
		}
		lost++
		o.session.counters.Repairs++
		o.session.counters.Drift[SourceReading]++
		if d.Count >= o.session.config.LieCount {
			o.health.markLying(d.Name, d.Count, d.Since, now)
		}
	}
	if lost > 0 {
		o.health.raiseDriftAlarm(fmt.Sprintf("%d groups and meters were lost or changed: they are put back (noticed by %s)",
			lost, SourceReading))
	}
}

// objectsCost is the assumed cost of reading a switch's groups and meters.
const objectsCost = 50 * time.Microsecond

// readAlone reads the groups and meters of a switch whose flow monitor saves it audits.
func (o *switchObjects) readAlone(now time.Time) {
	a, r := &o.alone, o.reading
	if reached(a.deadline, now) {
		a.id, a.deadline = 0, time.Time{}
	}
	if counts := o.Counts(); o.session.watch != WatchMonitor || o.session.phase != phaseReady ||
		counts.Groups+counts.Meters == 0 || !o.Numbered() || o.silent {
		a.at = time.Time{}
		return
	}
	switch {
	case a.at.IsZero():
		if r.cost == 0 {
			r.setCost(objectsCost)
		}
		a.at = r.regular(now, true)
	case reached(a.at, now) && a.id == 0:
		r.requests++
		r.counters.Readings++
		request := Request{Address: r.address(), ID: r.requests, ObjectsOnly: true}
		o.begin(&request)
		r.ready.Readings = append(r.ready.Readings, request)
		*a = objectsReading{at: r.regular(now, false), id: r.requests, mark: o.Mark(), deadline: now.Add(r.config.Answer)}
	}
}

// onObjects takes the groups and meters that a switch lists.
func (sw *switchCore) onObjects(in Objects, now time.Time) {
	o := &sw.objects
	switch {
	case sw.reading.awaits(in.ID):
		o.silent = in.Silent
		o.Compare(in.Listing)
		return
	case in.Silent: // of one that is audited it is not known what it has
	case sw.reading.audit.id != 0 && sw.reading.audit.id == in.ID:
		o.differences = o.Audit(in.Listing, sw.reading.audit.objectsMark, now)
		o.audited(o.differences, now)
	case o.alone.id != 0 && o.alone.id == in.ID:
		o.alone.id, o.alone.deadline = 0, time.Time{}
		o.audited(o.Audit(in.Listing, o.alone.mark, now), now)
	}
}

// wakeRules queues the rules whose objects are confirmed or refused.
func (o *switchObjects) wakeRules(rules viewRules) {
	woken, fixed := o.Woken()
	for _, i := range woken {
		if rules.rows[i].state.wants(wantsRule) {
			rules.enqueue(i)
		}
	}
	for _, id := range fixed {
		rules.requeueMetered(id)
	}
}
