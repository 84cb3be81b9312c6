package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// ruleOrders takes what owners order.
type ruleOrders struct{ *ruleTable }

// orderInstall takes an order to install a rule in a place.
func (t ruleOrders) orderInstall(o *ruleset.Order, a place, hash uint32) {
	i, ok := t.claim(o.Rules, o.Rule, a, hash)
	if !ok {
		return
	}
	if s := t.rows[i].state; s.holds(holdsRule) && !s.moves() && t.phase == phaseReady && !t.needsReading(i) {
		t.reportInstalled(i)
		return
	}
	t.enqueue(i)
}

// claim has a rule wanted in its place, and returns the row; false if another owner keeps the place.
func (t ruleOrders) claim(set *ruleset.Set, rule uint16, a place, hash uint32) (uint32, bool) {
	if why := misfit(set); why != "" {
		t.ready.refuse(set, rule, 0, why)
		return 0, false
	}
	i, ok := t.find(a, hash)
	if !ok && t.rowCount() >= rowsMax && !policyOf(set).prevails {
		t.ready.refuse(set, rule, 0, fmt.Sprintf("%d rules are ordered at the switch, no more are kept", rowsMax))
		return 0, false
	}
	if !ok {
		i = t.addRow(set, rule, hash)
		t.apply(i, ruleOrdered)
		t.objects.want(i, set, rule)
		return i, true
	}
	r := &t.rows[i]
	owned := r.ownedBy(set)
	switch {
	case r.state.wants(wantsRemoval):
		t.ready.outcome(r.set, r.rule, ruleset.Removed)
	case !r.state.wants(wantsRule) || owned:
	case policyOf(set).prevails && policyOf(r.set).prevails: // another owner's in the view, which has it no more
	case policyOf(set).prevails:
		t.ready.refuse(r.set, r.rule, 0, fmt.Sprintf("a rule of %s stands in its place", ownerOf(set)))
	default:
		t.ready.refuse(set, rule, 0, fmt.Sprintf("a rule of %s stands in its place", ownerOf(r.set)))
		return 0, false
	}
	if !sameRule(r.set, r.rule, set, rule) && !t.foundAs(r, set, rule) {
		t.apply(i, ruleReplaced)
		t.failures.forget(i)
		t.mortals.forget(i)
	} else if t.mortals.ends(i) { // the order before, whose entry is gone: this one has a life of its own
		t.mortals.forget(i)
	}
	if !owned && r.state&(held|inFlight) != 0 {
		t.apply(i, ownerReplaced)
	}
	t.give(i, set, rule)
	t.apply(i, ruleOrdered)
	t.objects.want(i, set, rule)
	return i, true
}

// settlePlaces ends orders for places that other rows are in, since the switch has come back in another form.
func (t ruleOrders) settlePlaces() {
	for n := range t.rows {
		i := uint32(n)
		for t.rows[i].set != nil {
			other, _ := t.find(t.place(i), t.rows[i].hash)
			if other == i {
				break
			}
			if policyOf(t.rows[i].set).prevails {
				t.yieldPlace(other, i)
			} else {
				t.yieldPlace(i, other)
			}
		}
	}
}

// yieldPlace ends the order of a row that is in another's place.
func (t ruleOrders) yieldPlace(i, other uint32) {
	if r := &t.rows[i]; r.state.wants(wantsRule) {
		t.ready.refuse(r.set, r.rule, 0, fmt.Sprintf("a rule of %s stands in its place", ownerOf(t.rows[other].set)))
	} else {
		t.ready.outcome(r.set, r.rule, ruleset.Removed)
	}
	t.drop(i)
}

// ownedBy reports whether a row is of a set's owner. Another that has the same number keeps what it wants.
func (r *ruleRow) ownedBy(set *ruleset.Set) bool {
	return r.set.Kind == set.Kind && r.set.Number == set.Number &&
		(policyOf(r.set).status == policyOf(set).status || !r.state.wants(wantsRule))
}

// foundAs reports whether a row has an entry that the switch listed, and this is a rule, as the switch says it, or what was
// left of the rule's time.
func (t ruleOrders) foundAs(r *ruleRow, set *ruleset.Set, rule uint16) bool {
	rest := isRest(set, r.set.Idle, r.set.Hard)
	if r.set.Policy != ruleset.Found || r.set.Version != set.Version && isExact(set) ||
		r.set.Kind != set.Kind || r.set.Number != set.Number || !r.set.SameTimes(set) && !rest {
		return false
	}
	_, hop := r.set.At(int(r.rule))
	_, own := set.At(int(rule))
	return rest && hop.Do.Equal(own.Do) || t.version.FixedMatch() && t.listsAs(set, rule, []byte(hop.Do.Key()))
}

// orderRemoval takes an order to remove an owner's entry in a place.
func (t ruleOrders) orderRemoval(o *ruleset.Order, a place, hash uint32) {
	i, ok := t.find(a, hash)
	known := t.phase == phaseReady && t.staleOverflow == 0 || t.phase == phaseDown && t.facts == nil
	switch {
	case !ok && (known || t.rowCount() >= rowsMax+staleMax):
		t.ready.outcome(o.Rules, o.Rule, ruleset.Removed)
		return
	case !ok:
		i = t.addRow(o.Rules, o.Rule, hash)
		t.apply(i, removalOrdered)
		t.apply(i, entryUnknown)
		t.enqueue(i)
		return
	}
	r := &t.rows[i]
	if !r.ownedBy(o.Rules) || r.state.class() == classNone {
		t.ready.outcome(o.Rules, o.Rule, ruleset.Removed)
		return
	}
	if !sameRule(r.set, r.rule, o.Rules, o.Rule) {
		t.apply(i, ruleReplaced)
		t.mortals.forget(i)
	}
	t.give(i, o.Rules, o.Rule)
	t.apply(i, removalOrdered)
	t.objects.Unwant(i)
	t.failures.clear(i)
	t.enqueue(i)
}

// withdraw has a rule not wanted any more, for an owner that waits for no answer. What the switch may hold is removed: at
// once or, where that is not known, as a stale entry.
func (t ruleOrders) withdraw(i uint32) {
	t.failures.clear(i)
	t.objects.Unwant(i)
	switch {
	case t.phase == phaseReady:
		t.apply(i, pruneDue)
		t.enqueue(i)
	default:
		t.apply(i, ruleWithdrawn)
		if s := t.rows[i].state; s.class() == classNone && !s.moves() {
			t.freeRow(i)
		} else {
			t.schedulePrune(time.Time{})
		}
	}
}

// pruneSoft queues the early removal of a soft entry of an earlier run. It returns false if its place has a row.
func (t ruleOrders) pruneSoft(e *SoftEntry) bool {
	r := &netview.Rule{DPID: t.dpid, Table: e.Table, Priority: e.Priority, Cookie: e.Cookie, Match: e.Match}
	set := ruleset.FromView(r, nil)
	set.Policy = ruleset.Leftover
	a := placeOf(set, 0, t.singleTable)
	hash := a.hash()
	if _, ok := t.find(a, hash); ok {
		return false
	}
	i := t.add(set, 0, hash)
	t.apply(i, entryUnknown)
	t.apply(i, pruneDue)
	t.enqueue(i)
	return true
}
