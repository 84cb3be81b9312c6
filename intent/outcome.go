package intent

import (
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/ruleset"
)

// outcome handles the outcome of an order.
func (c *Core) outcome(o *ruleset.Outcome) {
	n := o.Rules.Number
	e := c.entries.at(n)
	if e.content == "" {
		return
	}
	switch o.Result {
	case ruleset.Installed:
		c.installed(n, e, o)
	case ruleset.Removed:
		c.removed(n, e, o)
	case ruleset.Refused:
		if o.Rules == e.rules {
			c.refused(n, e, o)
		} else {
			c.removed(n, e, o)
		}
	case ruleset.Lost:
		if o.Rules == e.rules {
			c.counts.Lost++
			c.lost[n]++
			c.emitState(n)
		}
	}
}

func (c *Core) installed(n uint32, e *coreEntry, o *ruleset.Outcome) {
	if o.Rules != e.rules {
		return
	}
	tr := e.transition
	switch {
	case tr != nil && !tr.done && tr.await.clear(o.Rule):
		if tr.Confirm() {
			c.advance(n, e)
		}
	case c.lost[n] > 0:
		if c.lost[n]--; c.lost[n] == 0 {
			delete(c.lost, n)
		}
		c.emitState(n)
	}
}

// emitState emits the state of an intent that has a rule set, if it has changed.
func (c *Core) emitState(n uint32) {
	e := c.entries.at(n)
	if e.rules == nil || e.has(withdrawing) || e.has(restorable) {
		return
	}
	if s, code := c.stateOf(n, e); s != e.state || code != e.code {
		e.state, e.code = s, code
		c.emit(n, e, "")
	}
}

// stateOf returns the state of an intent that has a rule set.
func (c *Core) stateOf(n uint32, e *coreEntry) (State, Code) {
	if tr := e.transition; tr != nil && (!tr.done || tr.next != nil || tr.superseded) {
		switch {
		case tr.mode == install, tr.mode == hitless && (tr.requested || tr.superseded):
			return Installing, NoCode
		case tr.mode == immediate:
			return Rerouting, NoCode
		case tr.mode == restore:
			return Degraded, Unconfirmed
		}
	}
	switch {
	case len(c.lost) > 0 && c.lost[n] > 0:
		return Degraded, Drift
	case c.anyPath(e.rules, func(path *sharedPath) bool { return path.unconfirmed }):
		return Degraded, Unconfirmed
	}
	return Installed, NoCode
}

// emit appends an update of an intent.
func (c *Core) emit(n uint32, e *coreEntry, text string) {
	if text == "" {
		text = texts[e.code]
	}
	c.updates = append(c.updates, Update{
		Number: n, State: e.state, Code: e.code, Retrying: e.state == Failed && e.code != TooLarge, Text: text,
		Rules: e.rules,
	})
}

// texts are the fixed texts of codes.
var texts = [codes]string{
	Unconfirmed: "not every switch and link of the path has confirmed what it holds since the last session began",
	Drift:       "a switch lost a rule: it is being put back",
}

// textOf recomputes the text of an intent that has failed or waits.
func (c *Core) textOf(n uint32, e *coreEntry) string {
	if e.rules != nil || e.state != Failed && e.state != Waiting {
		return ""
	}
	s := spec.Read(e.content)
	g, p := c.compile(n, &s, c.around(n))
	if p.code == NoCode {
		p = c.obstacle(n, g)
	}
	return p.text
}
