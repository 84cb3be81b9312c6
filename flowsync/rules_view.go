package flowsync

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// viewRule is what is special to a rule that the view desires.
type viewRule struct {
	rule     *netview.Rule
	set      *ruleset.Set // of the rule
	bare     *ruleset.Set // without its meter; nil if it has none
	meter    uint32       // 0: none
	oldMeter uint32       // of the rule before, whose entry the switch may hold as long as this one is not installed

	unmetered bool // the switch refused the rule with its meter
	blocked   bool // a foreign entry is in its place

	status   ruleStatus // RulePending if not decided
	reported ruleStatus // as in the view, as far as is known
}

// ruleStatus is a rule's state with its reason.
type ruleStatus struct {
	state  netview.RuleState
	reason string
}

var pending = ruleStatus{state: netview.RulePending}

// viewRules takes what the view desires of a switch: each rule is ordered as a set of one, and what becomes of it is
// its status in the view.
type viewRules struct{ ruleOrders }

// rowOf returns the row in a rule's place; false if there is none.
func (v viewRules) rowOf(r *netview.Rule) (uint32, bool) {
	v.key = r.Match.AppendCanonical(v.key[:0])
	in, match := ruleset.CutInPort(v.key)
	a := place{match, in, r.Priority, r.Table}
	return v.find(a, a.hash())
}

// desire takes a new or changed rule.
func (v viewRules) desire(r *netview.Rule) {
	i, ok := v.rowOf(r)
	if was := v.view[i]; ok && was != nil && was.rule.Owner == r.Owner && v.sameContent(was, r) {
		was.rule, was.reported = r, ruleStatus{r.State, r.Reason}
		if !v.rows[i].state.moves() && v.phase == phaseReady && !v.denied { // else its master reports
			v.write(was, was.status) // the status in the view may be older
		}
		return
	}
	is := &viewRule{rule: r, set: ruleset.FromView(r, r.Instructions), meter: meterOf(r.Instructions), status: pending}
	if is.meter != 0 {
		is.bare = ruleset.FromView(r, withoutMeter(r.Instructions))
	}
	a := placeOf(is.set, 0, v.singleTable)
	i, _ = v.claim(is.set, 0, a, a.hash())
	if was := v.view[i]; was != nil {
		is.oldMeter = cmp.Or(was.meter, was.oldMeter)
	}
	if v.view == nil {
		v.view = make(map[uint32]*viewRule)
	}
	v.view[i] = is
	is.reported = ruleStatus{r.State, r.Reason}
	v.foreign.markDirty()
	if v.health.stuck {
		v.setStatus(i, v.health.unconfirmed(v.failures.losses(i)))
	}
	v.enqueue(i)
}

// sameContent reports whether a rule's entry would be that of another's.
func (v viewRules) sameContent(was *viewRule, r *netview.Rule) bool {
	if was.rule.Cookie != r.Cookie {
		return false
	}
	v.key = ruleset.AppendKey(v.key[:0], r.Instructions)
	_, hop := was.set.At(0)
	return string(v.key) == hop.Do.Key()
}

// withdraw has a rule not desired any more.
func (v viewRules) withdraw(r *netview.Rule) {
	if i, ok := v.rowOf(r); ok && v.view[i] != nil {
		v.end(i)
	}
}

func (v viewRules) end(i uint32) {
	delete(v.view, i)
	v.foreign.markDirty()
	v.ruleOrders.withdraw(i)
}

// replace replaces all that is desired.
func (v viewRules) replace(rules []*netview.Rule) {
	keep := make(map[uint32]bool, len(rules))
	for _, r := range rules {
		v.desire(r)
		if i, ok := v.rowOf(r); ok {
			keep[i] = true
		}
	}
	for _, i := range v.sorted() {
		if !keep[i] {
			v.end(i)
		}
	}
}

// sorted returns the rows of the view's rules, in the order in which a switch is filled.
func (t viewRules) sorted() []uint32 {
	type keyed struct {
		key entryKey
		row uint32
	}
	list := make([]keyed, 0, len(t.view))
	for i := range t.view {
		list = append(list, keyed{t.place(i).key(), i})
	}
	slices.SortFunc(list, func(a, b keyed) int { return a.key.compare(b.key) })
	rows := make([]uint32, len(list))
	for n := range list {
		rows[n] = list[n].row
	}
	return rows
}

// desired returns the view's rules, in the order in which a switch is filled.
func (t viewRules) desired() []*netview.Rule {
	rows := t.sorted()
	rules := make([]*netview.Rule, len(rows))
	for n, i := range rows {
		rules[n] = t.view[i].rule
	}
	return rules
}

// setStatus decides the status of a view's rule.
func (t viewRules) setStatus(i uint32, s ruleStatus) {
	switch s.state {
	case netview.RulePending:
		t.apply(i, ruleOpen)
	case netview.RuleFailed:
		t.apply(i, ruleFailed)
	}
	t.write(t.view[i], s)
}

// write writes a rule's status to the view if it differs from the one there.
func (t viewRules) write(v *viewRule, s ruleStatus) {
	v.status = s
	if v.reported != s {
		v.reported = s
		t.ready.Results = append(t.ready.Results,
			netview.RuleResult{Key: v.rule.Key(), Rule: v.rule, State: s.state, Reason: s.reason})
	}
}

// restate reports another status for the rules that have one.
func (v viewRules) restate(from, to ruleStatus) {
	for _, i := range v.sorted() {
		if v.view[i].status == from {
			v.setStatus(i, to)
		}
	}
}

// reportAnew takes the view to say of each rule what its row in the view does. Of a switch that answers nothing no
// reading will say what is so: then what is pending is reported.
func (v viewRules) reportAnew() {
	for _, i := range v.sorted() {
		is := v.view[i]
		is.reported = ruleStatus{is.rule.State, is.rule.Reason}
		if v.health.stuck && is.reported == pending {
			v.setStatus(i, v.health.unconfirmed(v.failures.losses(i)))
		}
	}
}

// installedStatus is the status of a view's rule that the switch holds.
func (t viewRules) installedStatus(i uint32) ruleStatus {
	v := t.view[i]
	v.blocked, v.oldMeter = false, 0
	s := ruleStatus{state: netview.RuleInstalled}
	if v.bare != nil && t.rows[i].set == v.bare {
		s.reason = t.withoutMeter(v)
	}
	return s
}

// blockedBy keeps a view's rule from being sent as long as a foreign entry is in its place.
func (t viewRules) blockedBy(i uint32, now time.Time) {
	if v := t.view[i]; v != nil {
		v.blocked = true
		t.reading.scheduleAudit(now.Add(t.config.RetryMax))
	}
}

// unblocked reports whether a rule was kept from being sent by a foreign entry that is gone.
func (t viewRules) unblocked(i uint32) bool {
	v := t.view[i]
	return v != nil && v.blocked && t.foreign.holds(t.place(i).key()) == ""
}

// withoutMeter returns why a rule is to be installed without its meter, "" if it is not.
func (t viewRules) withoutMeter(v *viewRule) string {
	switch why := t.objects.Refused(v.meter); {
	case why != "":
		return fmt.Sprintf("without meter %d, which the switch refused: %s", v.meter, why)
	case v.unmetered:
		return fmt.Sprintf("without meter %d, which the switch refused", v.meter)
	case !slices.Contains(t.objects.Fixed(), v.meter):
		return fmt.Sprintf("without meter %d, which nobody wants", v.meter)
	}
	return ""
}

// chooseMeter has a row be the view's rule with its meter or, where the switch refuses that, without it; it reports
// whether it was the other.
func (t viewRules) chooseMeter(i uint32) bool {
	v := t.view[i]
	set := v.set
	if v.bare != nil && t.withoutMeter(v) != "" {
		set = v.bare
	}
	if t.rows[i].set == set {
		return false
	}
	t.give(i, set, 0)
	return true
}

// lacksMeter reports whether a rule was sent without its meter, and the reason is gone since: somebody wants the meter now.
func (t viewRules) lacksMeter(i uint32) bool {
	v := t.view[i]
	return v.bare != nil && t.rows[i].set == v.bare && t.withoutMeter(v) == ""
}

// yieldMeter does without the meter of a rule that the switch refused, if that may be why.
func (t viewRules) yieldMeter(i uint32, code openflow.ErrorCode) bool {
	v := t.view[i]
	if v == nil || t.rows[i].set == v.bare || v.bare == nil || !mayConcernMeter(code) {
		return false
	}
	v.unmetered = true
	t.counters.Retries++
	return true
}

// usesMeter reports whether an entry that the switch may hold uses a meter.
func (v viewRules) usesMeter(id uint32) bool {
	for i, is := range v.view {
		r := &v.rows[i]
		if is.meter == id && r.set == is.set && !r.state.holds(holdsNothing) ||
			is.oldMeter == id && r.state.holds(holdsSomething) {
			return true
		}
	}
	return false
}

// requeueMetered queues the rules that use a meter.
func (v viewRules) requeueMetered(id uint32) {
	for _, i := range v.sorted() {
		if is := v.view[i]; is.meter == id {
			is.unmetered = false
			v.enqueue(i)
		}
	}
}

// meterOf returns the meter that instructions use, 0 if none.
func meterOf(instructions []openflow.Instruction) uint32 {
	for i := range instructions {
		if instructions[i].Type == openflow.InstructionMeter {
			return instructions[i].Meter
		}
	}
	return 0
}

// withoutMeter returns a copy of instructions without the meter.
func withoutMeter(instructions []openflow.Instruction) []openflow.Instruction {
	return slices.DeleteFunc(slices.Clone(instructions), func(i openflow.Instruction) bool {
		return i.Type == openflow.InstructionMeter
	})
}
