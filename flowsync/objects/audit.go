package objects

import "time"

// Difference is one object that is not as wanted.
type Difference struct {
	Name   string // "group 1048576"
	Wanted string // its content; empty if nobody wants one
	Held   string // what the switch lists; empty if nothing

	Lost  bool      // the switch was known to have it
	Count int       // how often it was lost since Since, with this time
	Since time.Time // if Lost
}

// Mark begins an audit: a listing is requested. Its answer is for Audit, with what Mark returns.
func (t *Table) Mark() uint64 {
	clear(t.gone)
	return t.clock
}

// Audit compares a listing, made while messages were sent, with what is known. Rows that have changed since the mark are
// left out. What was lost or changed is due again, at once the first time, then after Config.Backoff.
func (t *Table) Audit(l *Listing, mark uint64, now time.Time) (list []Difference) {
	t.others = l.others
	at := make(map[numbered]*listed, len(l.list))
	for i := range l.list {
		is := &l.list[i]
		at[is.numbered] = is
		t.yieldTo(is)
		if r := t.byNumber[is.kind][is.number]; r == nil && t.gone[is.numbered] <= mark {
			t.set(t.listedRow(is), something)
		}
	}
	for _, r := range t.all() {
		if r.number == 0 || r.flight != nil {
			continue
		}
		is := at[numbered{r.kind, r.number}]
		if r.changed > mark && !(is != nil && r.stale) {
			continue
		}
		if d, differs := t.auditRow(r, is, now); differs {
			list = append(list, d)
		}
		t.touch(r)
	}
	return list
}

// auditRow compares one row with what the switch lists under its number, nil for nothing.
func (t *Table) auditRow(r *row, is *listed, now time.Time) (d Difference, differs bool) {
	was, h := r.held, nothing
	if is != nil {
		h = is.heldAs(r)
	}
	if h != was {
		t.set(r, h)
	}
	if h == something {
		r.other = is.text()
	}
	t.wakeIfHeld(r)
	switch {
	case r.isWanted() && h == it:
		if now.Sub(r.lostSince) > t.config.Window {
			r.losses = 0
		}
		return d, false
	case r.isWanted() && r.refusal != nil, !r.isWanted() && h == nothing:
		return d, false
	case !r.isWanted():
		return Difference{Name: r.name(), Held: is.text()}, r.stale
	}
	d = Difference{Name: r.name(), Wanted: r.content.String(), Held: is.text()}
	if was != it {
		return d, false // it is due already
	}
	if r.losses == 0 || now.Sub(r.lostSince) > t.config.Window {
		r.losses, r.lostSince = 0, now
	}
	r.losses++
	d.Lost, d.Count, d.Since = true, r.losses, r.lostSince
	if pause := t.config.Backoff(r.losses); pause > 0 && r.retryAt.IsZero() {
		t.waitUntil(r, now.Add(pause))
	}
	return d, true
}

// text is what is listed, for people.
func (is *listed) text() string {
	switch {
	case is == nil:
		return ""
	case is.content == nil:
		return is.kind.String() + " of others"
	}
	return is.content.String()
}
