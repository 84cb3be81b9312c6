package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// phase says how far a session has come.
type phase uint8

const (
	phaseDown    phase = iota // no session
	phaseReading              // the switch's entries are being read: nothing is sent
	phaseReady                // what it holds is known
)

// ledger is what is wanted of one switch, and what the switch is known to hold.
type ledger struct {
	dpid    netview.DPID
	session uint64
	version openflow.Version
	single  bool // the single-table form of the plan
	phase   phase
	found   bool // the switch has been read in this session

	byCookie bool // the version can restrict deletions and readings to cookies
	filtered bool // the reading under way is restricted to our cookies

	rows    map[entryKey]*row // wanted, or being removed
	queue   []*row            // to be looked at, in the order in which they changed
	retries []*row            // failed, to be looked at again at row.retryAt
	meters  meters

	programs *programs // rules of programs; nil if there are none
	flight   *flight   // the batch that is under way, nil if none

	stale   map[entryKey]*Entry     // firm entries of ours that nobody wants
	soft    map[entryKey]*SoftEntry // soft entries of an earlier life
	foreign map[entryKey]*Entry     // entries of others
	adopted int                     // of soft, in Core.adopted
	unkept  int                     // foreign entries above Config.ForeignMax

	shadowing string    // what was said of foreign entries that shadow ours; "" if there are none
	unjudged  bool      // whether there are has to be looked at
	judged    time.Time // when that was done last

	watch     Watch
	late      []Change  // of the flow monitor, that came while the switch was read
	lateHeld  int       // bytes of them, and of the first that was too many
	overrun   bool      // there were more
	owed      bool      // the flow monitor left something out: all rows have to be read once
	weight    int       // of Core.reading
	readSince time.Time // when the reading that has a weight was asked for
	waits     bool      // in Core.unread
	reading   uint64    // the reading that is under way while nothing is written, or was last
	audit     audit     // the reading that is under way beside the writing
	auditAt   time.Time
	paceAt    time.Time     // the last auditAt that was set for no other reason than the pace
	cost      time.Duration // of a reading
	took      time.Duration // the last reading beside the writing, from request to answer
	moves     uint64        // how often something was sent to the switch or told by it
	asked     bool          // somebody wants the next audit's findings
	checking  bool          // somebody wants those of the audit under way

	batch       int              // messages before a barrier at most
	barrier     time.Duration    // how long barriers take, smoothed
	stuck       bool             // it answers nothing
	alarmed     bool             // the alarm stuck-switch is raised
	drifted     bool             // the alarm drift was raised, and nothing confirmed since
	unconfirmed bool             // a batch had no answer since one was confirmed
	lying       bool             // it does not keep what it confirms
	trustAt     time.Time        // when that is forgotten
	rest        bool             // nothing is left to do
	agreed      netview.Revision // while there is: the last revision that was known to be agreed with

	touched bool // in this step
	own     bool // the infrastructure's rules are wanted

	view     *netview.Switch // as the view has it, nil if it does not
	settled  time.Time       // when the view said so for this session; zero if not yet
	wake     time.Time       // see deadlines
	readAt   time.Time       // when to read the switch (again); zero for never
	answerBy time.Time       // when the reading or batch under way has failed; zero if none is
	resendAt time.Time       // when to go on with a batch that did not fit; zero if it did
	silent   int             // batches and readings in a row without an answer
	misread  int             // readings in a row that the session or the switch refused
}

func newLedger(dpid netview.DPID) *ledger {
	return &ledger{dpid: dpid, rows: make(map[entryKey]*row)}
}

// rowState says where a row stands on its way to the switch.
type rowState uint8

const (
	rowIdle   rowState = iota // nothing to do, or failed and in retries
	rowQueued                 // in the queue
	rowFlying                 // in the batch under way
)

// row is one rule, or one entry on its way out.
type row struct {
	key  entryKey
	rule *netview.Rule // wanted; nil: to be removed

	formed bool   // unsaid is known for this session
	unsaid string // why the switch's version cannot say the rule; "" if it can

	// What a removal names: the match, and the cookies it is restricted to where the version can say that.
	match        openflow.Match
	cookie, mask uint64

	held      bool    // the switch may hold an entry of ours in this place
	known     bool    // and this is what it does:
	on        content //
	unmetered bool    // the switch refused it with its meter
	lost      bool    // the switch told, while it was being read, that it lost the entry
	ours      bool    // the switch was known to hold the rule: whatever stands in its place now came later
	blocked   bool    // a foreign entry stands in its place

	moved     uint64    // ledger.moves when something was last sent or told of this place
	losses    int       // how often the switch lost the rule since
	lostSince time.Time //

	state   rowState
	outcome verdict // what became of the rule, RulePending if not decided
	told    verdict // what the view says of it, as far as is known
	fails   int     // in a row
	retryAt time.Time
}

// verdict is a rule's state with its reason.
type verdict struct {
	state  netview.RuleState
	reason string
}

var pending = verdict{state: netview.RulePending}

// keyOf is the key under which the view wants a rule.
func keyOf(r *netview.Rule) entryKey { return entryKey{r.Table, r.Priority, r.Match.Key()} }

// want takes a rule that is new or changed. While there is no session, only what is wanted is kept.
func (c *Core) want(l *ledger, r *netview.Rule) {
	key := keyOf(r)
	w := l.rows[key]
	switch {
	case w == nil:
		w = &row{key: key, rule: r, outcome: pending}
		l.rows[key] = w
		l.claim(w)
	case w.rule != nil && w.rule.Owner == r.Owner && contentOf(w.rule).same(contentOf(r)):
		w.rule, w.told = r, verdict{r.State, r.Reason}
		if w.state == rowIdle && l.phase == phaseReady {
			c.tell(w, w.outcome) // what the view says may be older
		}
		return
	default:
		w.rule, w.outcome = r, pending
		w.formed, w.unmetered, w.losses = false, false, 0
		w.fails, w.retryAt = 0, time.Time{}
	}
	w.told = verdict{r.State, r.Reason}
	l.unjudge()
	if l.stuck {
		c.tell(w, c.waiting(l, w))
	}
	l.enqueue(w)
}

// claim takes over what the switch already holds in the place of a new row.
func (l *ledger) claim(w *row) {
	if l.phase != phaseReady {
		return
	}
	if e := l.stale[w.key]; e != nil {
		w.hold(e)
		delete(l.stale, w.key)
	}
	delete(l.soft, w.key) // an ADD replaces it
}

// hold notes what the switch was found to hold.
func (w *row) hold(e *Entry) {
	w.held, w.known, w.on = true, true, content{e.Cookie, e.Instructions}
}

// unwant takes a rule that is wanted no longer.
func (c *Core) unwant(l *ledger, key entryKey) {
	w := l.rows[key]
	if w == nil || w.rule == nil {
		return
	}
	if l.phase != phaseReady {
		delete(l.rows, key) // what the switch holds of it will be found to be stale
		return
	}
	l.unjudge()
	w.match, w.rule = openflow.Match{OXM: []byte(key.match)}, nil
	w.cookie, w.mask = plan.Cookie{Domain: c.config.Domain}.Encode(), plan.DomainMask
	w.outcome, w.told, w.retryAt = pending, pending, time.Time{}
	l.enqueue(w)
}

// remove has an entry removed that nobody wants. It returns false if a row has its key.
func (l *ledger) remove(key entryKey, match openflow.Match, cookie uint64) bool {
	if l.rows[key] != nil {
		return false
	}
	w := &row{key: key, match: match, cookie: cookie, mask: plan.ExactMask, held: true, outcome: pending, told: pending}
	l.rows[key] = w
	l.enqueue(w)
	return true
}

// tell reports a verdict on a rule to the view, unless it has it.
func (c *Core) tell(w *row, v verdict) {
	w.outcome = v
	if w.rule == nil || w.told == v {
		return
	}
	w.told = v
	c.ready.Results = append(c.ready.Results,
		netview.RuleResult{Key: w.rule.Key(), Rule: w.rule, State: v.state, Reason: v.reason})
}

// enqueue puts a row into the queue, unless it is there or under way.
func (l *ledger) enqueue(w *row) {
	if l.phase == phaseReady && w.state == rowIdle {
		w.state = rowQueued
		l.queue = append(l.queue, w)
	}
}

// contentOf is what the rule's entry does.
func contentOf(r *netview.Rule) content { return content{r.Cookie, r.Instructions} }
