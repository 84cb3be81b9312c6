package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// onOrders takes orders for any switches.
func (c *Core) onOrders(list []Order, now time.Time) {
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
func (c *Core) outcome(p *ruleset.Set, rule uint16, what What) {
	c.ready.Outcomes = append(c.ready.Outcomes, Outcome{Program: p, Rule: rule, What: what})
}

// refuse reports the refusal of an order.
func (c *Core) refuse(p *ruleset.Set, rule uint16, code openflow.ErrorCode, reason string) {
	c.ready.Outcomes = append(c.ready.Outcomes, Outcome{Program: p, Rule: rule, What: OrderRefused, Code: code, Reason: reason})
}

// orderInstall takes an order to install a rule.
func (c *Core) orderInstall(sw *switchState, o *Order) {
	p, a := sw.compact, placeOf(o.Program, o.Rule)
	hash := a.hash()
	i, ok := p.find(a, hash)
	if !ok && p.rowCount() >= rowsMax {
		c.refuse(o.Program, o.Rule, 0, fmt.Sprintf("%d rules are ordered at the switch, no more are kept", rowsMax))
		return
	}
	if !ok {
		i = p.add(o.Program, o.Rule, hash)
		p.set(i, flagDesired, 0)
		sw.enqueueCompact(i)
		return
	}
	r := &p.rows[i]
	owned := r.set.Kind == o.Program.Kind && r.set.Number == o.Program.Number
	switch {
	case r.flags&flagDesired != 0 && !owned:
		c.refuse(o.Program, o.Rule, 0, fmt.Sprintf("a rule of %s %d stands in its place", r.set.Kind, r.set.Number))
		return
	case r.flags&flagRemovalOrdered != 0:
		c.outcome(r.set, r.rule, OrderRemoved)
	}
	cleared, set := flagRemovalOrdered|flagPruning|flagReported, flagDesired
	if !sameRule(r.set, r.rule, o.Program, o.Rule) {
		cleared |= flagVerified
		delete(p.failures, i)
	}
	if !owned && r.flags&(flagMayHold|flagInFlight) != 0 {
		set |= flagOtherOwner
	}
	r.set, r.rule = o.Program, o.Rule
	p.set(i, set, cleared)
	if r.flags&flagVerified != 0 && r.flags&(flagInFlight|flagQueued) == 0 && sw.phase == phaseReady &&
		!c.needsReadingCompact(sw, i) {
		c.reportInstalled(sw, i)
		return
	}
	sw.enqueueCompact(i)
}

// orderRemoval takes an order to remove an owner's entry in a place.
func (c *Core) orderRemoval(sw *switchState, o *Order) {
	p, a := sw.compact, placeOf(o.Program, o.Rule)
	hash := a.hash()
	i, ok := p.find(a, hash)
	known := sw.phase == phaseReady && p.staleOverflow == 0 || sw.phase == phaseDown && sw.facts == nil
	switch {
	case !ok && (known || p.rowCount() >= rowsMax+staleMax):
		c.outcome(o.Program, o.Rule, OrderRemoved)
		return
	case !ok:
		i = p.add(o.Program, o.Rule, hash)
		p.set(i, flagRemovalOrdered|flagMayHold, 0)
		sw.enqueueCompact(i)
		return
	}
	r := &p.rows[i]
	owned := r.set.Kind == o.Program.Kind && r.set.Number == o.Program.Number
	if !owned || r.flags.class() == classNone {
		c.outcome(o.Program, o.Rule, OrderRemoved)
		return
	}
	cleared := flagDesired | flagPruning | flagReported
	if !sameRule(r.set, r.rule, o.Program, o.Rule) {
		cleared |= flagVerified
	}
	r.set, r.rule = o.Program, o.Rule
	p.set(i, flagRemovalOrdered, cleared)
	p.clearRetry(i)
	sw.enqueueCompact(i)
}

// clearRetry cancels a row's retry.
func (p *compactTable) clearRetry(i uint32) {
	if t := p.failures[i]; t != nil {
		t.fails, t.retryAt = 0, time.Time{}
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
	p := sw.compact
	r := &p.rows[i]
	if r.flags&flagReported == 0 {
		c.outcome(r.set, r.rule, OrderInstalled)
	}
	p.set(i, flagReported|flagVerified|flagWasConfirmed|flagMayHold, flagOtherOwner)
	if len(p.failures) > 0 {
		p.clearRetry(i)
	}
	sw.displacedBy(r)
}

// displacedBy forgets the foreign entry that a rule of a rule set replaced, if there was one.
func (sw *switchState) displacedBy(r *compactRow) {
	if len(sw.foreign) > 0 {
		sw.displaced(r.place().key(ruleset.Table(sw.singleTable)))
	}
}

// unsupported returns why the switch's version cannot express a rule, "" if it can. OpenFlow 1.3
// can express all but those that are too long.
func (c *Core) unsupported(sw *switchState, m *openflow.FlowMod) string {
	if sw.version != openflow.V10 {
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
	p := sw.compact
	if sw.audit.id != 0 {
		p.set(i, flagChanged, ^rowFlags(0))
		return
	}
	p.drop(i)
}
