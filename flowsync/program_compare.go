package flowsync

import "time"

// beginListing has the rows of programs ready for a listing.
func (p *programs) beginListing() {
	if p == nil {
		return
	}
	p.unkept = 0
	for i := range p.rows {
		r := &p.rows[i]
		r.flags &^= rowMoved | rowSeen
		if r.flags&rowFlies != 0 {
			r.flags |= rowMoved
		}
	}
}

// listed takes the entries of a listing that may be programs' rules. What it holds in the place of a row of which something is under way, or was
// while it was made, is not known; other rows are compared.
func (c *Core) listed(l *ledger, packed *Packed) {
	if packed.Count == 0 {
		return
	}
	if l.programs == nil {
		l.programs = &programs{}
	}
	p := l.programs
	for b := packed.bytes; len(b) > 0; {
		var e packedEntry
		e, b = nextPacked(b)
		hash := e.place.hash()
		i, ok := p.find(e.place, hash)
		if !ok {
			l.strangeAt(&e, hash)
			continue
		}
		r := &p.rows[i]
		switch {
		case r.flags&rowMoved != 0:
			p.set(i, rowSeen, 0)
		case e.is(r.program, r.rule):
			p.set(i, rowSeen|rowHeld|rowSure, rowAlien)
		case r.flags&(rowWanted|rowFlies) == 0 && !e.owned(r.program):
			c.estrange(l, i, &e)
		default:
			p.set(i, rowSeen|rowHeld, rowSure)
		}
	}
}

// estrange makes a row, whose program is not wanted, that of another owner's entry in its place, which nobody wants either.
func (c *Core) estrange(l *ledger, i uint32, e *packedEntry) {
	p := l.programs
	r := &p.rows[i]
	if r.flags&rowRemoval != 0 {
		c.outcome(r.program, r.rule, OrderRemoved)
	}
	r.program, r.rule = e.program(l), 0
	p.set(i, rowSeen|rowHeld, rowRemoval|rowGoing|rowTold|rowSure|rowOurs|rowAlien)
	if !e.other {
		p.set(i, rowSure, 0)
	}
	p.calm(i)
	p.stale(time.Time{})
}

// strangeAt keeps an entry that nobody ordered.
func (l *ledger) strangeAt(e *packedEntry, hash uint32) {
	p := l.programs
	if p.count[classStale] >= staleMax {
		p.unkept++
		return
	}
	i := p.add(e.program(l), 0, hash)
	flags := rowSeen | rowHeld
	if !e.other {
		flags |= rowSure
	}
	p.set(i, flags, 0)
	p.stale(time.Time{})
}

// strange keeps an entry that nobody ordered and that a switch told of.
func (l *ledger) strange(a place, e *Entry) {
	if l.programs == nil {
		l.programs = &programs{}
	}
	var keep Packed
	if packed, ok := packOne(e, l.single, &keep); ok {
		l.strangeAt(&packed, a.hash())
		if i, ok := l.programs.find(a, a.hash()); ok {
			l.programs.set(i, rowMoved, 0)
		}
	}
}

// stale notes that there is an entry that nobody wants, which may go at a time.
func (p *programs) stale(at time.Time) {
	p.unpruned = true
	if at.After(p.pruneAt) {
		p.pruneAt = at
	}
}

// comparePrograms draws what follows from a listing that was made while nothing was written.
func (c *Core) comparePrograms(l *ledger) {
	p := l.programs
	if p == nil {
		return
	}
	p.queue = p.queue[:0]
	for n := range p.rows {
		i := uint32(n)
		r := &p.rows[i]
		if r.program == nil {
			continue
		}
		r.flags &^= rowWaits
		switch {
		case r.flags&rowSeen == 0:
			p.heldIs(i, false)
		case r.flags&rowMoved != 0: // the switch told of the place meanwhile: it is written again
			p.heldIs(i, true)
		}
		if r.flags&rowSure == 0 {
			c.lose(l, i)
		}
		switch {
		case r.flags&rowWanted != 0 && r.flags&rowSure != 0:
			c.told(l, i)
		case r.flags&(rowWanted|rowRemoval|rowGoing) != 0:
			if r.flags&(rowHeld|rowWanted) == 0 {
				c.endGone(l, i)
			} else {
				l.wait(i)
			}
		case r.flags&rowHeld == 0:
			p.drop(i)
		default:
			p.stale(time.Time{})
		}
	}
}

// prunePrograms removes the entries that nobody wants. It returns when to look again, zero if there is nothing to remove.
func (c *Core) prunePrograms(l *ledger, now time.Time) {
	p := l.programs
	switch {
	case p == nil:
		return
	case p.unkept > 0 && p.count[classStale] == 0:
		p.unkept = 0
		l.auditBy(now)
	case !p.unpruned:
		return
	case now.Before(p.pruneAt):
		c.wakeAt(l, p.pruneAt)
		return
	}
	p.unpruned, p.pruneAt = false, time.Time{}
	for n := range p.rows {
		i := uint32(n)
		if f := p.rows[i].flags; f.class() == classStale && f&rowGoing == 0 {
			p.set(i, rowGoing, 0)
			l.wait(i)
		}
	}
}

// forgetPrograms ends a session.
func (l *ledger) forgetPrograms() {
	p := l.programs
	if p == nil {
		return
	}
	p.queue, p.retries, p.retryAt, p.unkept = nil, nil, time.Time{}, 0
	p.flights = programFlight{}
	for i := range p.troubles {
		p.calm(i)
	}
	for n := range p.rows {
		i := uint32(n)
		if p.rows[i].program == nil {
			continue
		}
		p.set(i, 0, rowSure|rowWaits|rowFlies|rowAdds|rowMoved|rowSeen|rowGoing|rowHeld)
		if p.rows[i].flags&(rowWanted|rowRemoval) == 0 {
			p.drop(i)
		}
	}
	if p.used() == 0 {
		l.programs = nil
	}
}

// buryPrograms ends the removals at a switch that is neither in the view nor connected.
func (c *Core) buryPrograms(l *ledger) {
	p := l.programs
	if p == nil {
		return
	}
	for n := range p.rows {
		if p.count[classRemoving] == 0 {
			break
		}
		if p.rows[n].flags&rowRemoval != 0 {
			c.endGone(l, uint32(n))
		}
	}
	if p.used() == 0 {
		l.programs = nil
	}
}

// dropGone forgets the rows that were kept only until the reading beside the writing ends.
func (p *programs) dropGone() {
	if p == nil {
		return
	}
	for n := range p.rows {
		if r := &p.rows[n]; r.program != nil && r.flags.class() == classNone {
			p.drop(uint32(n))
		}
	}
}

// auditPrograms compares the rows of programs, of which nothing is under way, with a listing that was made while others were written.
func (c *Core) auditPrograms(l *ledger, f *Findings, now time.Time) {
	p := l.programs
	if p == nil {
		return
	}
	for n := range p.rows {
		i := uint32(n)
		r := &p.rows[i]
		if r.program == nil {
			continue
		}
		if r.flags.class() == classNone {
			p.drop(i)
			continue
		}
		if r.flags.class() != classStale {
			f.Wanted++
			if r.flags&(rowMoved|rowWaits|rowFlies) != 0 {
				f.InFlight++
				continue
			}
			f.Compared++
		}
		c.auditRule(l, i, f, now)
	}
}

// auditRule takes what a listing says of one row. Its flags say so already, but for what was not listed.
func (c *Core) auditRule(l *ledger, i uint32, f *Findings, now time.Time) {
	p := l.programs
	r := &p.rows[i]
	if r.flags&(rowMoved|rowWaits|rowFlies) != 0 {
		return
	}
	was := r.flags & (rowSure | rowTold)
	if r.flags&rowSeen == 0 {
		p.heldIs(i, false)
	}
	switch {
	case r.flags&rowWanted == 0 && r.flags&rowHeld == 0:
		c.endGone(l, i)
	case r.flags&rowWanted == 0:
		f.extraRule(c, l, i)
	case r.flags&rowSure != 0:
		if t := p.troubles[i]; t != nil && !l.lying && now.Sub(t.lostSince) > c.config.LieWindow {
			t.losses = 0
		}
		c.told(l, i)
	case was != 0:
		f.addRule(c, l, i)
		if t := p.troubles[i]; t == nil || t.retryAt.IsZero() {
			c.driftRule(l, i, SourceReading, now)
		}
	default:
		if t := p.troubles[i]; t == nil || t.retryAt.IsZero() {
			l.wait(i)
		}
	}
}

// addRule notes that a program's rule is missing or changed.
func (f *Findings) addRule(c *Core, l *ledger, i uint32) {
	rule := c.ruleOf(l, i)
	d := Difference{
		Kind: DifferenceMissing, Table: rule.Table, Priority: rule.Priority, Match: rule.Match, Owner: rule.Owner,
		Wanted: describe(rule.Cookie, rule.Instructions),
	}
	if l.programs.rows[i].flags&rowHeld != 0 {
		d.Kind, d.Held = DifferenceChanged, "something else"
	} else if e := l.foreign[l.programs.rows[i].place().key(rule.Table)]; e != nil {
		d.Kind, d.Held = DifferenceChanged, describe(e.Cookie, e.Instructions)
	}
	f.Differences = append(f.Differences, d)
}

// extraRule notes an entry of the owner of programs that nobody wants. Orders to remove entries are no differences.
func (f *Findings) extraRule(c *Core, l *ledger, i uint32) {
	if l.programs.rows[i].flags&rowRemoval != 0 {
		return
	}
	rule := c.ruleOf(l, i)
	f.Differences = append(f.Differences, Difference{
		Kind: DifferenceExtra, Table: rule.Table, Priority: rule.Priority, Match: rule.Match, Held: describe(rule.Cookie, rule.Instructions),
	})
}
