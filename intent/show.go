package intent

// outcome takes what became of an order.
func (c *Core) outcome(o *Outcome) {
	n := o.Program.Number
	e := c.entries.at(n)
	if e.content == "" {
		return
	}
	switch o.What {
	case RuleInstalled:
		c.installed(n, e, o)
	case RuleRemoved:
		c.removed(n, e, o)
	case RuleRefused:
		if o.Program == e.program {
			c.refused(n, e, o)
		} else {
			c.removed(n, e, o)
		}
	case RuleLost:
		if o.Program == e.program {
			c.counts.Lost++
			c.lost[n]++
			c.show(n)
		}
	}
}

func (c *Core) installed(n uint32, e *entry, o *Outcome) {
	if o.Program != e.program {
		return
	}
	ch := e.change
	switch {
	case ch != nil && !ch.done && ch.await.clear(o.Rule):
		if ch.left--; ch.left == 0 {
			c.advance(n, e)
		}
	case c.lost[n] > 0:
		if c.lost[n]--; c.lost[n] == 0 {
			delete(c.lost, n)
		}
		c.show(n)
	}
}

// show tells the state of an intent that has a program, if it is another than was told last.
func (c *Core) show(n uint32) {
	e := c.entries.at(n)
	if e.program == nil || e.has(leaving) || e.has(adopted) {
		return
	}
	if s, code := c.standing(n, e); s != e.state || code != e.code {
		e.state, e.code = s, code
		c.tell(n, e, "")
	}
}

// standing is the state of an intent that has a program.
func (c *Core) standing(n uint32, e *entry) (State, Code) {
	if ch := e.change; ch != nil && (!ch.done || ch.next != nil) {
		switch {
		case ch.how == fresh, ch.how == planned && (ch.asked || ch.again):
			return Installing, NoCode
		case ch.how == urgent:
			return Rerouting, NoCode
		case ch.how == revived:
			return Degraded, Unconfirmed
		}
	}
	switch {
	case len(c.lost) > 0 && c.lost[n] > 0:
		return Degraded, Drift
	case c.anyWay(e.program, func(w *way) bool { return w.unsure }):
		return Degraded, Unconfirmed
	}
	return Installed, NoCode
}

// tell has the front show an intent as it is.
func (c *Core) tell(n uint32, e *entry, text string) {
	if text == "" {
		text = texts[e.code]
	}
	c.updates = append(c.updates, Update{
		Number: n, State: e.state, Code: e.code, Retrying: e.state == Failed && e.code != TooLarge, Text: text, Program: e.program,
	})
}

// texts are those of codes that say all there is to say.
var texts = [codes]string{
	Unconfirmed: "not every switch and link of the path has confirmed what it holds since the last session began",
	Drift:       "a switch lost a rule: it is being put back",
}

// textOf is the text of an intent that is told again: computed anew.
func (c *Core) textOf(n uint32, e *entry) string {
	if e.program != nil || e.state != Failed && e.state != Waiting {
		return ""
	}
	s := parsed(e.content)
	g, p := c.compile(n, &s, c.mapOf(n))
	if p.code == NoCode {
		p = c.obstacle(n, g)
	}
	return p.text
}
