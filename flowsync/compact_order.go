package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// onOrders takes orders for any switches.
func (c *Core) onOrders(list []ruleset.Order, now time.Time) {
	var sw *switchState
	for i := range list {
		o := &list[i]
		if dpid := dpidOf(o); sw == nil || sw.dpid != dpid {
			sw = c.switchOf(dpid)
			c.markDirty(sw)
		}
		if sw.compact == nil {
			sw.compact = &compactTable{}
		}
		if o.Remove {
			c.orderRemoval(sw, o)
		} else {
			c.orderInstall(sw, o)
		}
	}
}

// outcome reports the result of an order.
func (c *Core) outcome(set *ruleset.Set, rule uint16, result ruleset.Result) {
	c.ready.Outcomes = append(c.ready.Outcomes, ruleset.Outcome{Rules: set, Rule: rule, Result: result})
}

// refuse reports the refusal of an order.
func (c *Core) refuse(set *ruleset.Set, rule uint16, code openflow.ErrorCode, reason string) {
	c.ready.Outcomes = append(c.ready.Outcomes,
		ruleset.Outcome{Rules: set, Rule: rule, Result: ruleset.Refused, Code: code, Reason: reason})
}

// orderInstall takes an order to install a rule.
func (c *Core) orderInstall(sw *switchState, o *ruleset.Order) {
	t, a := sw.compact, placeOf(o.Rules, o.Rule)
	hash := a.hash()
	i, ok := t.find(a, hash)
	if !ok && t.rowCount() >= rowsMax {
		c.refuse(o.Rules, o.Rule, 0, fmt.Sprintf("%d rules are ordered at the switch, no more are kept", rowsMax))
		return
	}
	if !ok {
		i = t.add(o.Rules, o.Rule, hash)
		t.set(i, flagDesired, 0)
		sw.enqueueCompact(i)
		return
	}
	r := &t.rows[i]
	owned := r.set.Kind == o.Rules.Kind && r.set.Number == o.Rules.Number
	switch {
	case r.flags&flagDesired != 0 && !owned:
		c.refuse(o.Rules, o.Rule, 0, fmt.Sprintf("a rule of %s %d stands in its place", r.set.Kind, r.set.Number))
		return
	case r.flags&flagRemovalOrdered != 0:
		c.outcome(r.set, r.rule, ruleset.Removed)
	}
	cleared, set := flagRemovalOrdered|flagPruning|flagReported, flagDesired
	if !sameRule(r.set, r.rule, o.Rules, o.Rule) {
		cleared |= flagVerified
		delete(t.failures, i)
	}
	if !owned && r.flags&(flagMayHold|flagInFlight) != 0 {
		set |= flagOtherOwner
	}
	r.set, r.rule = o.Rules, o.Rule
	t.set(i, set, cleared)
	if r.flags&flagVerified != 0 && r.flags&(flagInFlight|flagQueued) == 0 && sw.phase == phaseReady &&
		!c.needsReadingCompact(sw, i) {
		c.reportInstalled(sw, i)
		return
	}
	sw.enqueueCompact(i)
}

// orderRemoval takes an order to remove an owner's entry in a place.
func (c *Core) orderRemoval(sw *switchState, o *ruleset.Order) {
	t, a := sw.compact, placeOf(o.Rules, o.Rule)
	hash := a.hash()
	i, ok := t.find(a, hash)
	known := sw.phase == phaseReady && t.staleOverflow == 0 || sw.phase == phaseDown && sw.facts == nil
	switch {
	case !ok && (known || t.rowCount() >= rowsMax+staleMax):
		c.outcome(o.Rules, o.Rule, ruleset.Removed)
		return
	case !ok:
		i = t.add(o.Rules, o.Rule, hash)
		t.set(i, flagRemovalOrdered|flagMayHold, 0)
		sw.enqueueCompact(i)
		return
	}
	r := &t.rows[i]
	owned := r.set.Kind == o.Rules.Kind && r.set.Number == o.Rules.Number
	if !owned || r.flags.class() == classNone {
		c.outcome(o.Rules, o.Rule, ruleset.Removed)
		return
	}
	cleared := flagDesired | flagPruning | flagReported
	if !sameRule(r.set, r.rule, o.Rules, o.Rule) {
		cleared |= flagVerified
	}
	r.set, r.rule = o.Rules, o.Rule
	t.set(i, flagRemovalOrdered, cleared)
	t.clearRetry(i)
	sw.enqueueCompact(i)
}

// clearRetry cancels a row's retry.
func (t *compactTable) clearRetry(i uint32) {
	if failed := t.failures[i]; failed != nil {
		failed.fails, failed.retryAt = 0, time.Time{}
	}
}

// enqueueCompact queues a row, unless it is queued or in flight.
func (sw *switchState) enqueueCompact(i uint32) {
	r := &sw.compact.rows[i]
	if sw.phase == phaseReady && r.flags&(flagQueued|flagInFlight) == 0 {
		r.flags |= flagQueued
		sw.compact.queue = append(sw.compact.queue, i)
	}
}

// reportInstalled reports that a rule is installed, unless that was reported.
func (c *Core) reportInstalled(sw *switchState, i uint32) {
	t := sw.compact
	r := &t.rows[i]
	if r.flags&flagReported == 0 {
		c.outcome(r.set, r.rule, ruleset.Installed)
	}
	t.set(i, flagReported|flagVerified|flagWasConfirmed|flagMayHold, flagOtherOwner)
	if len(t.failures) > 0 {
		t.clearRetry(i)
	}
	sw.displacedBy(r)
}

// displacedBy forgets the foreign entry that a rule of a rule set replaced, if there was one.
func (sw *switchState) displacedBy(r *compactRow) {
	if len(sw.foreign) > 0 {
		sw.displaced(r.place().key(plan.ForwardingTable(sw.singleTable)))
	}
}

// unsupported returns why the switch's version cannot express a rule, "" if it can. OpenFlow 1.3
// can express all but those that are too long.
func (c *Core) unsupported(sw *switchState, m *openflow.FlowMod) string {
	if !sw.version.FixedMatch() {
		return ""
	}
	said, err := c.codec.roundTrip(sw.version, m)
	switch {
	case err != nil:
		return err.Error()
	case said.Match.Exact10():
		return "OpenFlow 1.0 gives a match without wildcards the highest priority"
	case said.Match.Key() != string(m.Match.OXM):
		return fmt.Sprintf("OpenFlow %s would match %s instead", sw.version, said.Match.String())
	}
	return ""
}

// freeRow drops a row. During an audit its place is kept until the end: the listing may be older.
func (sw *switchState) freeRow(i uint32) {
	t := sw.compact
	if sw.audit.id != 0 {
		t.set(i, flagChanged, ^rowFlags(0))
		return
	}
	t.drop(i)
}
