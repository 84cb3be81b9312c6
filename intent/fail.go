package intent

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// refusal records the switches that refused rules of an intent: its paths avoid them until due.
type refusal struct {
	avoid []netview.DPID
	code  Code
	text  string
	tries int
	due   time.Time
}

// avoided returns the refusal of switches that an intent's paths avoid now; nil if there are none.
func (c *Core) avoided(n uint32) *refusal {
	if ref := c.refusals[n]; ref != nil && len(ref.avoid) > 0 {
		return ref
	}
	return nil
}

// around is what the paths of an intent leave out: the switches that refused its rules.
func (c *Core) around(n uint32) topology.Filter {
	if ref := c.avoided(n); ref != nil {
		return topology.Filter{Switches: ref.avoid}
	}
	return topology.Filter{}
}

// obstacle returns why a rule set cannot be installed though there is a path: one of its switches
// has refused a rule, or rules of another intent conflict.
func (c *Core) obstacle(n uint32, g *ruleset.Set) problem {
	if ref := c.avoided(n); ref != nil &&
		slices.ContainsFunc(ref.avoid, func(dpid netview.DPID) bool { return passesSwitch(g, dpid) }) {
		return problem{code: ref.code, text: ref.text}
	}
	c.conflicts.track(g, c.ruleSets)
	if who := c.conflicts.conflicting(g); who != 0 {
		return problem{code: Conflicting, other: who,
			text: "intent " + idOf(c.entries.at(who).content) + " has rules of the same match in the same place"}
	}
	if who, at := c.overlapping(g); who != 0 {
		return problem{code: Conflicting, other: who,
			text: fmt.Sprintf("intent %s has packets of both in the same priority, where both pass port %s: "+
				"give one of them another priority", idOf(c.entries.at(who).content), at)}
	}
	return problem{}
}

// ruleSets returns the rule sets of an intent that may have rules in switches: the desired one and
// the retiring ones.
func (c *Core) ruleSets(n uint32) (list []*ruleset.Set) {
	e := c.entries.at(n)
	if e.rules != nil && !e.has(restorable) {
		list = append(list, e.rules)
	}
	if e.transition != nil {
		for i := range e.transition.retiring {
			list = append(list, e.transition.retiring[i].rules)
		}
	}
	return list
}

// fail sets the state of an intent without a rule set, removes the rules of its previous one, and
// registers for the changes that may help.
func (c *Core) fail(n uint32, e *coreEntry, p problem) {
	if ref := c.avoided(n); ref != nil && (p.code == NoPath || p.code == LinkDown) {
		p.code, p.text = ref.code, ref.text
	}
	if e.rules != nil {
		c.startTransition(n, nil, strategy{mode: immediate}, nil)
		c.scheduleRetiring(n, e.transition)
	}
	e.state, e.code = Failed, p.code
	switch p.code {
	case HostUnknown:
		e.state = Waiting
	case SwitchUnknown, PortUnknown:
		e.state = Waiting
		if list := c.waitingFor[p.dpid]; !slices.Contains(list[max(0, len(list)-8):], n) {
			c.waitingFor[p.dpid] = append(list, n)
		}
	case NoPath, LinkDown:
		if !e.has(pathless) {
			e.flags |= pathless
			c.noPath = append(c.noPath, n)
		}
	case Conflicting:
		c.blocked[p.other] = append(c.blocked[p.other], n)
	case TableFull, Refused:
		c.timers.Add(c.refusals[n].due, n)
	}
	c.emit(n, e, p.text)
}

// unblock re-evaluates the intents that failed because of a conflict with n.
func (c *Core) unblock(n uint32) {
	if list := c.blocked[n]; len(list) > 0 {
		delete(c.blocked, n)
		c.enqueue(list)
	}
}

// retryPathless re-evaluates intents that failed without a path or with a conflict.
func (c *Core) retryPathless() {
	list := c.takePathless()
	for _, blocked := range c.blocked {
		list = append(list, blocked...)
	}
	clear(c.blocked)
	c.enqueue(list)
}

// takePathless empties the list of the intents that failed without a path.
func (c *Core) takePathless() []uint32 {
	list := c.noPath
	c.noPath = nil
	for _, n := range list {
		c.entries.at(n).flags &^= pathless
	}
	return list
}

// refused handles a switch's refusal of a rule.
func (c *Core) refused(n uint32, e *coreEntry, o *ruleset.Outcome) {
	c.counts.Refusals++
	_, hop := o.Rules.At(int(o.Rule))
	ref := c.refusals[n]
	if ref == nil {
		ref = &refusal{}
		c.refusals[n] = ref
	}
	if !slices.Contains(ref.avoid, hop.DPID) {
		ref.avoid = append(ref.avoid, hop.DPID)
		slices.Sort(ref.avoid)
	}
	ref.code = Refused
	if o.Code == openflow.FlowModFailedTableFull {
		ref.code = TableFull
	}
	ref.text = fmt.Sprintf("switch %s: %s", hop.DPID, o.Reason)
	if !c.now.Before(ref.due) {
		ref.due = c.now.Add(min(c.settings.Retry<<min(ref.tries, 16), c.settings.RetryMax))
		ref.tries++
		c.timers.Add(ref.due, n)
	}
	if tr := e.transition; tr != nil && !tr.done && tr.mode == hitless && !tr.final && c.rollBack(n, e) {
		return
	}
	c.decide(n, byFailure)
}

// onTimer does what is due for an intent.
func (c *Core) onTimer(n uint32) {
	e := c.entries.at(n)
	if e.content == "" {
		return
	}
	if tr := e.transition; tr != nil {
		late := tr.Late(c.now)
		if late {
			c.planner.moves.Free(&tr.Transition)
		}
		switch {
		case tr.done && tr.next != nil && tr.nextDue <= c.now.UnixNano():
			c.startTransition(n, tr.next, strategy{mode: hitless, final: true, requested: tr.requested}, nil)
		case tr.superseded && !tr.done && late:
			tr.superseded = false
			c.decide(n, byFailure)
		}
		if e.transition != nil {
			c.retire(n, e)
		}
	}
	c.expireRefusal(n, e)
}

// expireRefusal lets paths use the switches that refused again, when the backoff has passed. The
// number of refusals is reset after RetryMax without one.
func (c *Core) expireRefusal(n uint32, e *coreEntry) {
	ref := c.refusals[n]
	switch {
	case ref == nil || ref.due.After(c.now):
		return
	case !c.now.Before(ref.due.Add(c.settings.RetryMax)):
		delete(c.refusals, n)
	case len(ref.avoid) > 0:
		ref.avoid = nil
		c.timers.Add(ref.due.Add(c.settings.RetryMax), n)
	default:
		return
	}
	if e.rules == nil && e.state == Failed && !e.has(withdrawing) {
		c.decide(n, byRequest)
	}
}
