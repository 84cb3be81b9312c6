package intent

import (
	"fmt"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// fail sets the state of an intent without a rule set, removes the rules of its previous one, and
// registers for the changes that may help.
func (d *decider) fail(n uint32, e *coreEntry, p problem) {
	if ref := d.refusals.avoided(n); ref != nil && (p.code == NoPath || p.code == LinkDown) {
		p.code, p.text = ref.code, ref.text
	}
	if e.rules != nil {
		d.transitions.start(n, nil, strategy{mode: immediate}, nil)
		d.transitions.scheduleRetiring(n, e.transition)
	}
	e.state, e.code = Failed, p.code
	switch p.code {
	case HostUnknown:
		e.state = Waiting
	case SwitchUnknown, PortUnknown:
		e.state = Waiting
		d.waiting.addForSwitch(p.dpid, n)
	case NoPath, LinkDown, NoTag:
		d.waiting.addPathless(n)
	case Conflicting:
		d.waiting.addBlocked(n, p.other)
	case TableFull, Refused:
		d.refusals.retry(n)
	}
	d.progress.emit(n, e, p.text)
}

// refused handles a switch's refusal of a rule of the desired rule set.
func (d *decider) refused(n uint32, e *coreEntry, o *ruleset.Outcome) {
	d.step.counts.Refusals++
	_, hop := o.Rules.At(int(o.Rule))
	code := Refused
	if o.Code == openflow.FlowModFailedTableFull {
		code = TableFull
	}
	d.refusals.add(n, hop.DPID, code, fmt.Sprintf("switch %s: %s", hop.DPID, o.Reason), d.step.now)
	if tr := e.transition; tr != nil && !tr.done && tr.mode == hitless && !tr.final && d.transitions.rollBack(n, e) {
		return
	}
	d.decide(n, byFailure)
}

// retryRefused decides about an intent again if the backoff of its refusals has passed.
func (d *decider) retryRefused(n uint32, e *coreEntry) {
	if d.refusals.expire(n, d.step.now) && e.rules == nil && e.state == Failed && !e.has(withdrawing) {
		d.decide(n, byRequest)
	}
}

// textOf recomputes the text of an intent that has failed or waits.
func (d *decider) textOf(n uint32, e *coreEntry) string {
	if e.rules != nil || e.state != Failed && e.state != Waiting {
		return ""
	}
	s := spec.Read(e.content)
	g, p := d.compiler.compile(n, &s, d.refusals.around(n))
	if p.code == NoCode {
		p = d.obstacle(g)
	}
	return p.text
}
