package flowsync

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
)

// up begins a session: the switch is read before anything is sent.
func (c *Core) up(l *ledger, in Up, now time.Time) {
	c.forget(l)
	c.alarmStuck(l, "")
	l.session, l.version = in.Session, in.Version
	l.batch, l.barrier = min(batchFirst, c.config.BatchMax), 0
	l.watch = WatchReading
	if !c.config.NoMonitor {
		l.watch = WatchAsked
		c.ready.Monitors = append(c.ready.Monitors, Address{l.dpid, l.session})
	}
	l.single = plan.SingleTable(in.Version, in.Tables)
	l.byCookie = c.former.canFilter(in.Version)
	l.silent, l.misread = 0, 0
	for _, key := range l.keys() {
		l.rows[key].formed = false
	}
	l.own = true
	c.ready.Own = append(c.ready.Own, Own{l.dpid, Infrastructure(c.config.Domain, in.Version, in.Tables)})
	c.read(l, now)
}

// forget ends a session: what was under way is not known any more. Rules that were installed still are.
func (c *Core) forget(l *ledger) {
	l.phase, l.found = phaseDown, false
	c.readingEnds(l)
	c.unreached(l)
	c.costOf(l, 0)
	l.watch, l.audit, l.late, l.overrun, l.owed, l.took = WatchReading, audit{}, nil, false, false, 0
	l.lateHeld = 0
	l.auditAt = time.Time{}
	if l.stuck {
		c.waitAgain(l)
	}
	l.unconfirmed = false
	l.flight, l.queue, l.retries = nil, nil, nil
	l.stale, l.soft, l.foreign, l.unkept = nil, nil, nil, 0
	l.readAt, l.answerBy, l.resendAt = time.Time{}, time.Time{}, time.Time{}
	l.meters.forget()
	l.forgetPrograms()
	maps.DeleteFunc(l.rows, func(_ entryKey, w *row) bool { return w.rule == nil })
	for _, key := range l.keys() {
		w := l.rows[key]
		w.state, w.retryAt, w.fails = rowIdle, time.Time{}, 0
		w.held, w.known, w.on, w.unmetered, w.lost, w.blocked = false, false, content{}, false, false, false
	}
}

// keys are those of all rows, in the order in which a switch is filled.
func (l *ledger) keys() []entryKey {
	return slices.SortedFunc(maps.Keys(l.rows), entryKey.compare)
}

// reread gives up the batch under way: what became of it is found out by reading.
func (c *Core) reread(l *ledger, now time.Time) {
	if f := l.flight; f != nil {
		l.flight, l.unconfirmed = nil, true
		if f.programs != nil {
			l.programs.giveUp()
		}
		for i := range f.ops {
			if w := f.ops[i].row; w != nil {
				w.state = rowIdle
				w.known = false
			}
		}
	}
	c.readingEnds(l)
	l.meters.forget()
	l.asked = l.asked || l.checking
	l.phase, l.audit, l.checking, l.auditAt = phaseReading, audit{}, false, time.Time{}
	l.silent++
	l.answerBy, l.resendAt = time.Time{}, time.Time{}
	l.readAt = now.Add(c.config.backoff(l.silent))
}

// read has the switch's entries asked for when its turn comes.
func (c *Core) read(l *ledger, now time.Time) {
	l.phase, l.readAt = phaseReading, time.Time{}
	if c.mayRead(l) {
		c.begin(l, now)
	}
}

// begin asks for the switch's entries. If all of them were too many for an answer, the next try asks for ours only.
func (c *Core) begin(l *ledger, now time.Time) {
	c.count(l, now)
	l.answerBy = now.Add(c.config.Answer)
	l.filtered = l.byCookie && l.misread%2 == 1
	c.requests++
	l.reading = c.requests
	l.programs.beginListing()
	c.counters.Readings++
	c.ready.Readings = append(c.ready.Readings, c.request(l, l.reading))
}

// request asks for the entries of a switch, or for ours only.
func (c *Core) request(l *ledger, id uint64) Request {
	r := Request{Address: Address{l.dpid, l.session}, ID: id, Single: l.single}
	if l.filtered {
		r.Cookie, r.Mask = plan.Cookie{Domain: c.config.Domain}.Encode(), plan.DomainMask
	}
	return r
}

// entries compares what the switch holds with what is wanted of it.
func (c *Core) entries(l *ledger, in Entries, now time.Time) {
	if l.audit.id != 0 && l.audit.id == in.ID {
		c.endAudit(l, in, now)
		return
	}
	if l.phase != phaseReading || l.answerBy.IsZero() || in.ID != l.reading {
		return
	}
	if in.Err != nil {
		l.misread++
		c.reread(l, now)
		return
	}
	c.readingEnds(l)
	l.phase, l.answerBy, l.misread = phaseReady, time.Time{}, 0
	if l.stuck && !l.unconfirmed { // only readings were not answered
		c.unstick(l)
	}
	if !l.stuck {
		l.silent = 0
	}
	c.learnCost(l, in.Cost)
	if !l.found {
		l.found = true
		c.ready.Found = append(c.ready.Found, Found{l.dpid, treeOf(in.Reading.Firm)})
	}
	l.sort(&in.Reading)
	l.requeue()
	for _, key := range l.keys() {
		c.compare(l, l.rows[key], now)
	}
	c.listed(l, &in.Reading.Programs)
	c.comparePrograms(l)
	c.dropSoft(l)
	c.catchUp(l, now)
	c.pace(l, now, true)
}

// listedPart takes a part of a listing that is under way.
func (c *Core) listedPart(l *ledger, in Listed, now time.Time) {
	switch {
	case l.audit.id != 0 && l.audit.id == in.ID:
		l.audit.by = now.Add(c.config.Answer)
	case l.phase == phaseReading && !l.answerBy.IsZero() && in.ID == l.reading:
		l.answerBy = now.Add(c.config.Answer)
	default:
		return
	}
	if c.listed(l, &in.Entries); now.Sub(l.readSince) > readingPatience {
		c.readingEnds(l)
	}
}

// treeOf are the entries of the tree's kind.
func treeOf(firm []Entry) (tree []Entry) {
	for i := range firm {
		if plan.Decode(firm[i].Cookie).Kind == plan.KindTree {
			tree = append(tree, firm[i])
		}
	}
	return tree
}

// sort takes in what a switch holds.
func (l *ledger) sort(r *Reading) {
	l.stale = make(map[entryKey]*Entry, len(r.Firm))
	l.soft = make(map[entryKey]*SoftEntry, len(r.Soft))
	for i := range r.Firm {
		l.stale[l.place(r.Firm[i].key())] = &r.Firm[i]
	}
	for i := range r.Soft {
		l.soft[l.place(r.Soft[i].key())] = &r.Soft[i]
	}
	if l.filtered && l.foreign != nil {
		return // and what is known of foreign entries may still be so
	}
	l.foreign = make(map[entryKey]*Entry, len(r.Foreign))
	for i := range r.Foreign {
		l.foreign[r.Foreign[i].key()] = &r.Foreign[i]
	}
	l.unkept = r.ForeignCount - len(r.Foreign)
	l.unjudged = !l.filtered && (len(l.foreign) > 0 || l.shadowing != "")
}

// place is the key of an entry of ours. In the single-table form all stand in the one table, whatever number the switch
// gives it.
func (l *ledger) place(key entryKey) entryKey {
	if l.single {
		key.table = plan.TableSingle
	}
	return key
}

// requeue drops from the queue what went while the switch was being read.
func (l *ledger) requeue() {
	l.queue = slices.DeleteFunc(l.queue, func(w *row) bool { return l.rows[w.key] != w })
}

// compare notes what the switch holds in the place of a row, and has the row looked at. What is left in l.stale at the
// end is wanted by nobody.
func (c *Core) compare(l *ledger, w *row, now time.Time) {
	w.held, w.known, w.on = false, false, content{}
	if e := l.stale[w.key]; e != nil {
		w.hold(e)
		delete(l.stale, w.key)
	}
	if l.soft[w.key] != nil {
		w.held = w.rule == nil // a removal that was not confirmed; an ADD replaces it
		delete(l.soft, w.key)
	}
	if w.lost {
		w.known, w.lost = false, false
	}
	if w.outcome.state == netview.RuleInstalled && !c.holds(l, w, w.rule.Instructions) &&
		!c.holds(l, w, withoutMeter(w.rule.Instructions)) {
		c.tell(w, c.waiting(l, w))
	}
	l.enqueue(w)
}

// prune removes what nobody wants, once discovery has settled and applications had their time.
func (c *Core) prune(l *ledger, now time.Time) {
	if l.phase != phaseReady || l.settled.IsZero() {
		return
	}
	if due := l.settled.Add(c.config.Grace); now.Before(due) {
		c.wakeAt(l, due)
		return
	}
	for _, key := range slices.SortedFunc(maps.Keys(l.stale), entryKey.compare) {
		if e := l.stale[key]; l.remove(key, e.Match, e.Cookie) {
			delete(l.stale, key)
		}
	}
	c.prunePrograms(l, now)
	c.pruneMeters(l, now)
}

// removed takes the news that an entry went from the switch. A firm one that is wanted is put back.
func (c *Core) removed(l *ledger, in Removed, now time.Time) {
	if plan.Foreign(in.Cookie, c.config.Domain) {
		return
	}
	key := l.place(entryKey{in.Table, in.Priority, in.Match})
	delete(l.stale, key)
	delete(l.soft, key)
	if i, ok := l.rowAt(key); ok {
		c.removedRule(l, i, now)
		return
	}
	w := l.rows[key]
	switch {
	case w == nil || w.rule == nil && w.state != rowFlying:
		return
	case l.phase == phaseReading: // the listing that comes may have been made before
		w.lost = true
		c.tell(w, c.waiting(l, w))
	case l.watch == WatchMonitor: // which tells too, and in order with our own changes
	default:
		c.tookAway(l, w, false, SourceRemoved, now)
	}
}

// facts takes what the view says of a switch.
func (c *Core) facts(l *ledger, in Facts, now time.Time) {
	before := l.view
	l.view = in.Switch
	switch {
	case !in.Settled:
		l.settled = time.Time{}
	case l.settled.IsZero():
		l.settled = now
	}
	if before == nil || !slices.EqualFunc(before.Ports, in.Switch.Ports, samePort) || before.State != in.Switch.State {
		c.dropSoft(l)
	}
}

func samePort(a, b netview.Port) bool { return a.Number == b.Number && a.Up == b.Up }

// dropSoft removes the adopted soft entries that output to a port which is down or gone.
func (c *Core) dropSoft(l *ledger) {
	if l.phase != phaseReady || len(l.soft) == 0 || l.view == nil || l.view.State != netview.SwitchReady {
		return
	}
	up := make(map[uint32]bool, len(l.view.Ports))
	for i := range l.view.Ports {
		up[l.view.Ports[i].Number] = l.view.Ports[i].Up
	}
	var broken []entryKey
	for key, e := range l.soft {
		if slices.ContainsFunc(e.Ports, func(p uint32) bool { return !up[p] }) {
			broken = append(broken, key)
		}
	}
	slices.SortFunc(broken, entryKey.compare)
	for _, key := range broken {
		if e := l.soft[key]; l.remove(key, e.Match, e.Cookie) {
			delete(l.soft, key)
		}
	}
}
