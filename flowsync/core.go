package flowsync

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Core decides what is sent to which switch. It does nothing by itself: Step takes what happened and says what to do.
type Core struct {
	config   Config
	ledgers  map[netview.DPID]*ledger
	batches  uint64 // the number of the last batch
	counters Counters
	adopted  int              // soft entries of an earlier life, all switches'
	requests uint64           // the number of the last reading
	costs    time.Duration    // of one reading of each switch that is watched by reading
	seen     netview.Revision // in the inputs so far
	before   netview.Revision // seen at the end of the last step

	heldUntil time.Time // no switch is read for the first time until then; zero: it may be
	unread    []*ledger // that wait to be read, first come first
	reading   int       // rules of programs at the switches that are being read, about

	former    former
	mod       openflow.FlowMod // of programs, used again
	frames    []byte           // encoded in this step
	deadlines deadlines
	touched   []*ledger
	ready     Ready
}

// NewCore returns a core that knows no switch.
func NewCore(config Config) *Core {
	return &Core{config: config.withDefaults(), ledgers: make(map[netview.DPID]*ledger)}
}

// Step takes inputs in the order in which they happened and returns what is to be done, valid until the next Step. What
// is wanted together should come in one step: it leaves in one batch.
func (c *Core) Step(inputs []Input, now time.Time) *Ready {
	c.ready.reset()
	if c.frames = c.frames[:0]; cap(c.frames) > framesKept {
		c.frames = nil
	}
	for _, in := range inputs {
		if l := c.apply(in, now); l != nil {
			c.touch(l)
		}
	}
	for l := c.due(now); l != nil; l = c.due(now) {
		c.touch(l)
	}
	for _, l := range c.touched {
		l.touched = false
		c.work(l, now)
	}
	clear(c.touched)
	c.touched = c.touched[:0]
	c.readMore(now)
	c.before = c.seen
	c.ready.Wake = c.next()
	if len(c.unread) > 0 && !c.heldUntil.IsZero() && (c.ready.Wake.IsZero() || c.heldUntil.Before(c.ready.Wake)) {
		c.ready.Wake = c.heldUntil
	}
	return &c.ready
}

// touch has a switch looked at at the end of the step.
func (c *Core) touch(l *ledger) {
	if !l.touched {
		l.touched = true
		c.touched = append(c.touched, l)
	}
}

// apply takes one input and returns the ledger that it is about, nil if none.
func (c *Core) apply(in Input, now time.Time) *ledger {
	switch in := in.(type) {
	case Up:
		l := c.ledger(in.DPID)
		if in.Session <= l.session {
			return nil
		}
		c.up(l, in, now)
		return l
	case Facts:
		l := c.ledger(in.Switch.DPID)
		c.facts(l, in, now)
		return l
	case Gone:
		return c.gone(in.DPID)
	case Rule:
		return c.applyRule(in)
	case Meter:
		return c.applyMeter(in)
	case Orders:
		c.orders(in.List, now)
		return nil
	case Seen:
		c.seen = in.Revision
		return nil
	case Hold:
		c.heldUntil = time.Time{}
		if in.On {
			c.heldUntil = now.Add(holdMost)
		}
		return nil
	case Check:
		l := c.ledger(in.DPID)
		c.ask(l)
		return l
	case Wanted:
		l := c.ledger(in.DPID)
		c.replace(l, in)
		return l
	}
	return c.applyAnswer(in, now)
}

// applyAnswer takes what comes from a session; that of an earlier session is ignored.
func (c *Core) applyAnswer(in Input, now time.Time) *ledger {
	switch in := in.(type) {
	case Down:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.down(l, in)
			return l
		}
	case Entries:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.entries(l, in, now)
			return l
		}
	case Listed:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.listedPart(l, in, now)
			return l
		}
	case Meters:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.metersRead(l, in)
			return l
		}
	case Sent:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.sent(l, in, now)
			return l
		}
	case Refused:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.refused(l, in)
		}
	case Confirmed:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.confirmed(l, in, now)
			return l
		}
	case Removed:
		if l := c.on(in.DPID, in.Session); l != nil {
			c.removed(l, in, now)
			return l
		}
	}
	return c.applyWord(in, now)
}

// applyWord takes what comes of a flow monitor.
func (c *Core) applyWord(in Input, now time.Time) *ledger {
	var l *ledger
	switch in := in.(type) {
	case *RemovedRules:
		if l = c.on(in.DPID, in.Session); l != nil {
			c.removedRules(l, &in.Entries, now)
		}
	case Monitoring:
		if l = c.on(in.DPID, in.Session); l != nil {
			c.monitoring(l, in, now)
		}
	case Changed:
		if l = c.on(in.DPID, in.Session); l != nil {
			c.changed(l, in, now)
		}
	case Paused:
		if l = c.on(in.DPID, in.Session); l != nil {
			c.paused(l, in, now)
		}
	case Missed:
		if l = c.on(in.DPID, in.Session); l != nil {
			c.missed(l, now)
		}
	}
	return l
}

// ledger is that of a switch, made if there is none.
func (c *Core) ledger(dpid netview.DPID) *ledger {
	l := c.ledgers[dpid]
	if l == nil {
		l = newLedger(dpid)
		c.ledgers[dpid] = l
	}
	return l
}

// on is the ledger of a switch whose session this is, nil if it has another or none.
func (c *Core) on(dpid netview.DPID, session uint64) *ledger {
	l := c.ledgers[dpid]
	if l == nil || l.phase == phaseDown || l.session != session {
		return nil
	}
	return l
}

// gone takes a switch out; as long as it is connected all the same it stays.
func (c *Core) gone(dpid netview.DPID) *ledger {
	l := c.ledgers[dpid]
	if l != nil {
		l.view, l.settled = nil, time.Time{}
	}
	return l
}

// bury withdraws what flowsync itself wants of a switch that is neither in the view nor connected, and forgets the switch
// when nobody else wants anything of it.
func (c *Core) bury(l *ledger) {
	c.unreached(l)
	c.lit(l)
	c.alarmStuck(l, "")
	if l.lying {
		c.trust(l)
	}
	if l.own {
		l.own = false
		c.ready.Own = append(c.ready.Own, Own{DPID: l.dpid})
	}
	c.buryPrograms(l)
	if len(l.rows) == 0 && len(l.meters.rows) == 0 && l.programs == nil {
		delete(c.ledgers, l.dpid)
	}
}

func (c *Core) applyRule(in Rule) *ledger {
	l := c.ledger(in.Rule.DPID)
	if in.Withdrawn {
		c.unwant(l, keyOf(in.Rule))
	} else {
		c.want(l, in.Rule)
	}
	return l
}

func (c *Core) applyMeter(in Meter) *ledger {
	l := c.ledger(in.Meter.DPID)
	if in.Withdrawn {
		l.unwantMeter(in.Meter.ID)
	} else {
		l.wantMeter(in.Meter)
	}
	return l
}

// replace takes all that is wanted of a switch.
func (c *Core) replace(l *ledger, in Wanted) {
	rules := make(map[entryKey]bool, len(in.Rules))
	for _, r := range in.Rules {
		rules[keyOf(r)] = true
		c.want(l, r)
	}
	for _, key := range l.keys() {
		if !rules[key] {
			c.unwant(l, key)
		}
	}
	meters := make(map[uint32]bool, len(in.Meters))
	for _, m := range in.Meters {
		meters[m.ID] = true
		l.wantMeter(m)
	}
	for _, id := range l.meters.ids() {
		if !meters[id] {
			l.unwantMeter(id)
		}
	}
}

// work does what is due at one switch, and says when to look again.
func (c *Core) work(l *ledger, now time.Time) {
	c.act(l, now)
	c.tellLost(l)
	c.judge(l, now)
	c.adopted += len(l.soft) - l.adopted
	l.adopted = len(l.soft)
	rest := l.phase == phaseReady && l.flight == nil && len(l.queue) == 0 && !l.meters.reading && l.programs.settled() &&
		!slices.ContainsFunc(l.retries, func(w *row) bool { return w.outcome == pending })
	if l.rest && !rest {
		l.agreed = c.before
	}
	l.rest = rest
}

func (c *Core) act(l *ledger, now time.Time) {
	if l.phase == phaseDown {
		if l.view == nil {
			c.bury(l)
		}
		return
	}
	if passed(l.answerBy, now) {
		if l.meters.reading {
			c.metersRead(l, Meters{})
		} else {
			c.reread(l, now)
		}
	}
	if passed(l.readAt, now) && l.flight == nil && !l.meters.reading {
		if l.silent > 0 && !l.stuck {
			c.stick(l)
		}
		c.read(l, now)
	}
	c.actAudit(l, now)
	c.retry(l, now)
	c.retryPrograms(l, now)
	c.prune(l, now)
	if passed(l.resendAt, now) {
		if l.resendAt = (time.Time{}); l.flight != nil {
			c.hand(l)
		}
	}
	c.drain(l, now)
	for _, t := range []time.Time{l.answerBy, l.readAt, l.resendAt, l.auditAt, l.audit.by, l.trustAt} {
		if !t.IsZero() && t.After(now) {
			c.wakeAt(l, t)
		}
	}
	for _, w := range l.retries {
		c.wakeAt(l, w.retryAt)
	}
	if l.programs != nil && !l.programs.retryAt.IsZero() {
		c.wakeAt(l, l.programs.retryAt)
	}
}

// actAudit begins and ends readings beside the writing.
func (c *Core) actAudit(l *ledger, now time.Time) {
	if passed(l.audit.by, now) {
		c.endAudit(l, Entries{Err: errNoAnswer}, now)
	}
	if passed(l.auditAt, now) && !l.asked && l.auditAt.Equal(l.paceAt) && c.grown(l) {
		l.auditAt = time.Time{}
		c.pace(l, now, false)
	}
	if (passed(l.auditAt, now) || l.asked) && l.phase == phaseReady && l.audit.id == 0 {
		c.beginAudit(l, now)
	}
	if passed(l.trustAt, now) {
		c.trust(l)
	}
}

// passed says whether a time that is set has come.
func passed(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }

// dpids are those of all switches known, in order.
func (c *Core) dpids() []netview.DPID {
	dpids := make([]netview.DPID, 0, len(c.ledgers))
	for dpid := range c.ledgers {
		dpids = append(dpids, dpid)
	}
	slices.Sort(dpids)
	return dpids
}
