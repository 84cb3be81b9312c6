package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Watch says how it is noticed that a switch's entries change behind our back. Whatever it is, a switch tells of firm
// entries of ours that go, if it does as OpenFlow wants (flow-removed).
type Watch uint8

// The ways of watching a switch.
const (
	WatchReading Watch = iota // it is read again, at a pace
	WatchAsked                // it has been asked whether it has a flow monitor
	WatchMonitor              // its flow monitor tells of all changes
	WatchPaused               // its flow monitor cannot keep up, and tells of some
)

// String is "reading", "asked", "monitor" or "paused".
func (w Watch) String() string { return [...]string{"reading", "asked", "monitor", "paused"}[w] }

// Change is one change of a switch's entries that its flow monitor tells of.
type Change struct {
	Event openflow.FlowEvent // not FlowAbbreviated: our own changes are no news
	Entry Entry
	Match string // Match.Key of the entry
}

func (ch *Change) key() entryKey { return entryKey{ch.Entry.Table, ch.Entry.Priority, ch.Match} }

// monitoring takes the answer to the question whether a switch has a flow monitor.
func (c *Core) monitoring(l *ledger, in Monitoring, now time.Time) {
	if l.watch != WatchAsked {
		return
	}
	l.watch = WatchMonitor
	if in.Err != nil {
		l.watch = WatchReading
		c.pace(l, now, true)
	}
}

// paused takes the news that a flow monitor leaves things out, or that it has caught up: then the switch is read, so
// that nothing depends on what it has told of the time between.
func (c *Core) paused(l *ledger, in Paused, now time.Time) {
	switch {
	case l.watch != WatchMonitor && l.watch != WatchPaused:
	case in.On:
		l.watch = WatchPaused
	default:
		l.watch, l.owed = WatchMonitor, true
		l.auditBy(now)
	}
}

// changed takes changes that a flow monitor tells of. Those that come while the switch is read are looked at afterwards.
func (c *Core) changed(l *ledger, in Changed, now time.Time) {
	if l.phase == phaseReading {
		for i := range in.Changes {
			if l.lateHeld += in.Changes[i].sizeOf(); l.lateHeld > lateBytes {
				l.overrun = true
				break
			}
			l.late = append(l.late, in.Changes[i])
		}
		return
	}
	for i := range in.Changes {
		c.change(l, &in.Changes[i], now)
	}
}

// catchUp takes the changes that came while the switch was read.
func (c *Core) catchUp(l *ledger, now time.Time) {
	late := l.late
	l.late, l.lateHeld = nil, 0
	for i := range late {
		c.change(l, &late[i], now)
	}
	if l.overrun {
		l.overrun, l.owed = false, true
		l.auditBy(now)
	}
}

// change takes one change: of an entry of others, which is listed, or in the place of a rule, which is put right.
func (c *Core) change(l *ledger, ch *Change, now time.Time) {
	foreign := plan.Foreign(ch.Entry.Cookie, c.config.Domain)
	soft := !foreign && plan.Decode(ch.Entry.Cookie).Kind.Soft()
	key, gone := ch.key(), ch.Event == openflow.FlowDeleted
	if foreign {
		l.noteForeign(key, ch, c.config.ForeignMax)
	} else {
		l.unjudge()
		delete(l.foreign, key)
		key = l.place(key)
	}
	if c.changeRule(l, key, ch, now) {
		return
	}
	w := l.rows[l.place(key)]
	switch {
	case w != nil && w.rule != nil && gone:
		c.tookAway(l, w, foreign, SourceMonitor, now)
	case w != nil && w.rule != nil:
		c.putThere(l, w, &ch.Entry, now)
	case w != nil: // on its way out
		w.held = w.held || !gone
		l.auditBy(now.Add(c.config.RetryFirst))
	case foreign:
	case gone:
		delete(l.stale, key)
		delete(l.soft, key)
	case !soft:
		e := ch.Entry
		l.stale[key] = &e
	}
}

// noteForeign keeps the list of the entries of others.
func (l *ledger) noteForeign(key entryKey, ch *Change, most int) {
	_, known := l.foreign[key]
	l.unjudged = true
	switch {
	case ch.Event == openflow.FlowDeleted && known:
		delete(l.foreign, key)
	case ch.Event == openflow.FlowDeleted:
		l.unkept = max(0, l.unkept-1)
	case known || len(l.foreign) < most:
		e := ch.Entry
		e.Instructions = nil
		l.foreign[key] = &e
	case ch.Event == openflow.FlowAdded:
		l.unkept++
	}
}

// tookAway takes the news that an entry in the place of a wanted rule went; of others says that it was not one of ours.
func (c *Core) tookAway(l *ledger, w *row, ofOthers bool, s Source, now time.Time) {
	switch {
	case w.state == rowFlying:
		l.flight.lose(w, s)
	case w.known && !(ofOthers && c.holds(l, w, l.instructionsOf(w))):
		w.held, w.known, w.on = false, false, content{}
		c.drift(l, w, s, now)
	case ofOthers && w.blocked:
		l.enqueue(w)
	}
}

// putThere takes the news that an entry was added or changed in the place of a wanted rule.
func (c *Core) putThere(l *ledger, w *row, e *Entry, now time.Time) {
	if w.state == rowFlying {
		if !l.flight.says(w, content{e.Cookie, e.Instructions}) {
			l.flight.lose(w, SourceMonitor)
		}
		return
	}
	was := w.known
	w.hold(e)
	switch {
	case c.holds(l, w, l.instructionsOf(w)):
		if w.outcome.state != netview.RuleInstalled {
			l.enqueue(w)
		}
	case was || w.outcome.state == netview.RuleInstalled:
		c.drift(l, w, SourceMonitor, now)
	}
}

// says says whether an entry that the switch tells of is the one that is being added to it.
func (f *flight) says(w *row, told content) bool {
	for i := range f.ops {
		if o := &f.ops[i]; o.row == w && o.rule != nil {
			return content{o.rule.Cookie, o.instructions}.same(told)
		}
	}
	return false
}
