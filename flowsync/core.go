package flowsync

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Core decides what is sent to which switch. It does no I/O: Step takes what happened and returns
// what to do.
type Core struct {
	config       Config
	switches     map[netview.DPID]*switchState
	batches      uint64 // number of the last batch
	counters     Counters
	listedBytes  int              // bytes kept of listings, all switches
	leftover     int              // soft entries of an earlier run, all switches
	requests     uint64           // number of the last reading
	readCosts    time.Duration    // sum of switchState.readCost
	viewRevision netview.Revision // of the inputs so far
	previous     netview.Revision // viewRevision at the end of the last step

	holdUntil time.Time      // until then no switch is read for the first time; zero: any may be
	readQueue []*switchState // switches that wait for their first reading, in order
	readRules int            // rules of rule sets at the switches being read, about

	codec     codec
	mod       openflow.FlowMod // scratch memory
	frames    []byte           // flow-mods encoded in this step
	deadlines deadlines
	dirty     []*switchState
	ready     Ready
}

// NewCore returns a core that knows no switch.
func NewCore(config Config) *Core {
	return &Core{config: config.withDefaults(), switches: make(map[netview.DPID]*switchState)}
}

// Step takes inputs in the order in which they happened and returns what to do, valid until the
// next Step. Changes that belong together should come in one step: they leave in one batch.
func (c *Core) Step(inputs []Input, now time.Time) *Ready {
	c.ready.reset()
	if c.frames = c.frames[:0]; cap(c.frames) > framesKept {
		c.frames = nil
	}
	for _, in := range inputs {
		if sw := c.apply(in, now); sw != nil {
			c.markDirty(sw)
		}
	}
	for sw := c.due(now); sw != nil; sw = c.due(now) {
		c.markDirty(sw)
	}
	for _, sw := range c.dirty {
		sw.dirty = false
		c.advance(sw, now)
	}
	clear(c.dirty)
	c.dirty = c.dirty[:0]
	c.readQueued(now)
	c.previous = c.viewRevision
	c.ready.Wake = c.next()
	if len(c.readQueue) > 0 && !c.holdUntil.IsZero() && (c.ready.Wake.IsZero() || c.holdUntil.Before(c.ready.Wake)) {
		c.ready.Wake = c.holdUntil
	}
	return &c.ready
}

// markDirty has a switch advanced at the end of the step.
func (c *Core) markDirty(sw *switchState) {
	if !sw.dirty {
		sw.dirty = true
		c.dirty = append(c.dirty, sw)
	}
}

// apply applies one input and returns the state of its switch, nil if it is about none.
func (c *Core) apply(in Input, now time.Time) *switchState {
	switch in := in.(type) {
	case Up:
		sw := c.switchOf(in.DPID)
		if in.Epoch <= sw.epoch {
			return nil
		}
		c.onUp(sw, in, now)
		return sw
	case SwitchFacts:
		sw := c.switchOf(in.Switch.DPID)
		c.onFacts(sw, in, now)
		return sw
	case SwitchDeleted:
		return c.onDeleted(in.DPID)
	case Rule:
		return c.applyRule(in)
	case Meter:
		return c.applyMeter(in)
	case Orders:
		c.onOrders(in.List, now)
		return nil
	case ViewRevision:
		c.viewRevision = in.Revision
		return nil
	case Hold:
		c.holdUntil = time.Time{}
		if in.On {
			c.holdUntil = now.Add(holdMax)
		}
		return nil
	case Check:
		sw := c.switchOf(in.DPID)
		c.requestCheck(sw)
		return sw
	case Desired:
		sw := c.switchOf(in.DPID)
		c.replaceDesired(sw, in)
		return sw
	}
	if of, ok := in.(interface{ session() Address }); ok { // one of an earlier session is ignored
		if sw := c.inSession(of.session()); sw != nil {
			c.applyOf(sw, in, now)
			return sw
		}
	}
	return nil
}

// applyOf applies an input of a switch's current session.
func (c *Core) applyOf(sw *switchState, in Input, now time.Time) {
	switch in := in.(type) {
	case Down:
		c.onDown(sw, in)
	case Mastered:
		c.onMastered(sw, in, now)
	case Entries:
		c.onEntries(sw, in, now)
	case ListedPart:
		c.onListed(sw, in, now)
	case Meters:
		c.onMeters(sw, in)
	case Sent:
		c.onSent(sw, in, now)
	case Refused:
		c.onRefused(sw, in)
	case Confirmed:
		c.onConfirmed(sw, in, now)
	case Removed:
		c.onRemoved(sw, in, now)
	case *RemovedPacked:
		c.onRemovedPacked(sw, &in.Entries, now)
	case MonitorAnswer:
		c.onMonitoring(sw, in, now)
	case Changed:
		c.onChanged(sw, in, now)
	case Paused:
		c.onPaused(sw, in, now)
	case Overflow:
		c.onMissed(sw, now)
	}
}

// switchOf returns the state of a switch, made if there is none.
func (c *Core) switchOf(dpid netview.DPID) *switchState {
	sw := c.switches[dpid]
	if sw == nil {
		sw = newSwitchState(dpid)
		c.switches[dpid] = sw
	}
	return sw
}

// inSession returns the state of a switch if the session is its current one, else nil.
func (c *Core) inSession(a Address) *switchState {
	sw := c.switches[a.DPID]
	if sw == nil || sw.phase == phaseDown || sw.epoch != a.Epoch {
		return nil
	}
	return sw
}

// onDeleted records that a switch is not in the view. As long as it is connected its state stays.
func (c *Core) onDeleted(dpid netview.DPID) *switchState {
	sw := c.switches[dpid]
	if sw != nil {
		sw.facts, sw.settled = nil, time.Time{}
	}
	return sw
}

// release withdraws the infrastructure's rules of a switch that is neither in the view nor
// connected, and drops its state when nothing else is desired of it.
func (c *Core) release(sw *switchState) {
	c.failChecks(sw)
	c.clearShadowAlarm(sw)
	c.setStuckAlarm(sw, "")
	if sw.lying {
		c.clearLying(sw)
	}
	if sw.infrastructure.desired {
		c.ready.Infrastructure = append(c.ready.Infrastructure, sw.infrastructure.withdraw(sw.dpid, c.config.Domain))
	}
	c.releaseCompact(sw)
	if len(sw.rows) == 0 && len(sw.meters.rows) == 0 && sw.compact == nil {
		delete(c.switches, sw.dpid)
	}
}

func (c *Core) applyRule(in Rule) *switchState {
	sw := c.switchOf(in.Rule.DPID)
	if in.Withdrawn {
		c.withdraw(sw, keyOf(in.Rule))
	} else {
		c.setDesired(sw, in.Rule)
	}
	return sw
}

func (c *Core) applyMeter(in Meter) *switchState {
	sw := c.switchOf(in.Meter.DPID)
	if in.Withdrawn {
		sw.withdrawMeter(in.Meter.ID)
	} else {
		sw.setDesiredMeter(in.Meter)
	}
	return sw
}

// replaceDesired replaces everything that is desired of a switch.
func (c *Core) replaceDesired(sw *switchState, in Desired) {
	rules := make(map[entryKey]bool, len(in.Rules))
	for _, r := range in.Rules {
		rules[keyOf(r)] = true
		c.setDesired(sw, r)
	}
	for _, key := range sortedKeys(sw.rows) {
		if !rules[key] {
			c.withdraw(sw, key)
		}
	}
	meters := make(map[uint32]bool, len(in.Meters))
	for _, m := range in.Meters {
		meters[m.ID] = true
		sw.setDesiredMeter(m)
	}
	for _, id := range sw.meters.ids() {
		if !meters[id] {
			sw.withdrawMeter(id)
		}
	}
}

// advance does what is due at one switch, and updates converged.
func (c *Core) advance(sw *switchState, now time.Time) {
	c.runDue(sw, now)
	c.alarmLost(sw)
	c.checkShadows(sw, now)
	c.leftover += len(sw.soft) - sw.leftover
	sw.leftover = len(sw.soft)
	rest := sw.phase == phaseReady && sw.inflight == nil && len(sw.queue) == 0 && !sw.meters.reading && sw.compact.converged() &&
		!slices.ContainsFunc(sw.retries, func(w *row) bool { return w.status == pending })
	if sw.converged && !rest {
		sw.convergedAt = c.previous
	}
	sw.converged = rest
}

// runDue handles timeouts and retries, begins readings, prunes, sends the next batch, and sets the
// next deadline.
func (c *Core) runDue(sw *switchState, now time.Time) {
	if sw.phase == phaseDown {
		if sw.facts == nil {
			c.release(sw)
		}
		return
	}
	if reached(sw.answerDeadline, now) {
		if sw.meters.reading {
			c.onMeters(sw, Meters{})
		} else {
			c.rereadLater(sw, now)
		}
	}
	if reached(sw.readAt, now) && sw.inflight == nil && !sw.meters.reading {
		if sw.unanswered > 0 && !sw.stuck {
			c.markStuck(sw)
		}
		c.startReading(sw, now)
	}
	c.runAudit(sw, now)
	c.retryDue(sw, now)
	c.retryDueCompact(sw, now)
	c.prune(sw, now)
	if reached(sw.resendAt, now) {
		if sw.resendAt = (time.Time{}); sw.inflight != nil {
			c.emitBatch(sw)
		}
	}
	c.sendNextBatch(sw, now)
	for _, t := range []time.Time{sw.answerDeadline, sw.readAt, sw.resendAt, sw.auditAt, sw.audit.deadline, sw.lyingUntil} {
		if !t.IsZero() && t.After(now) {
			c.wakeAt(sw, t)
		}
	}
	for _, w := range sw.retries {
		c.wakeAt(sw, w.retryAt)
	}
	if sw.compact != nil && !sw.compact.retryAt.IsZero() {
		c.wakeAt(sw, sw.compact.retryAt)
	}
}

// runAudit begins and ends audits.
func (c *Core) runAudit(sw *switchState, now time.Time) {
	if reached(sw.audit.deadline, now) {
		c.endAudit(sw, Entries{Err: errNoAnswer}, now)
	}
	if reached(sw.auditAt, now) && !sw.checkRequested && sw.auditAt.Equal(sw.regularAuditAt) && c.readCostGrew(sw) {
		sw.auditAt = time.Time{}
		c.scheduleRegularAudit(sw, now, false)
	}
	if (reached(sw.auditAt, now) || sw.checkRequested) && sw.phase == phaseReady && sw.audit.id == 0 {
		c.beginAudit(sw, now)
	}
	if reached(sw.lyingUntil, now) {
		c.clearLying(sw)
	}
}

// reached reports whether a deadline is set and has come.
func reached(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }

// dpids returns all known switches, in order.
func (c *Core) dpids() []netview.DPID {
	return slices.Sorted(maps.Keys(c.switches))
}
