package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// phase is how far a session has come.
type phase uint8

const (
	phaseDown    phase = iota // no session
	phaseReading              // the entries are being read; nothing is sent
	phaseReady                // the entries are known
)

// switchState is what is desired of one switch and what the switch is known to hold.
type switchState struct {
	dpid        netview.DPID
	epoch       uint64 // of the last session
	version     openflow.Version
	singleTable bool // the single-table form of the plan is in use
	phase       phase
	wasRead     bool // read at least once in this session
	denied      bool // another instance is its master: nothing is sent but questions

	cookieMasks bool // the version can restrict deletions and readings by cookie
	oursOnly    bool // the reading in flight is restricted to our cookies

	rows    map[entryKey]*row // desired, or being removed
	queue   []*row            // to be compared and sent, in order of change
	retries []*row            // failed; back in the queue at row.retryAt
	meters  meters

	compact  *compactTable  // rules of rule sets; nil if there are none
	inflight *inflightBatch // nil if no batch is in flight

	stale           map[entryKey]*Entry     // firm entries of ours that no one desires
	soft            map[entryKey]*SoftEntry // leftover: soft entries of an earlier run
	foreign         map[entryKey]*Entry     // entries of others
	listedBytes     int                     // part of Core.listedBytes
	leftover        int                     // len(soft), as counted in Core.leftover
	foreignOverflow int                     // foreign entries above Config.ForeignMax, counted only

	shadowText     string    // text of the alarm raised for foreign entries above ours; "" if none is raised
	shadowsDirty   bool      // foreign entries or rules changed since shadowsChecked
	shadowsChecked time.Time // when shadows were looked for last

	watch            Watch
	deferred         []Change  // changes reported by the flow monitor during a reading
	deferredBytes    int       // size of deferred, and of the first change that did not fit
	deferredOverflow bool      // changes were dropped for deferredMax
	resyncDue        bool      // the flow monitor dropped changes: every row has to be compared once
	readWeight       int       // part of Core.readRules
	readSince        time.Time // when the reading counted by readWeight was requested
	inReadQueue      bool      // in Core.readQueue
	readID           uint64    // the latest reading during which nothing is written
	audit            audit     // the reading in flight during which writing continues; audit.id is 0 if none
	auditAt          time.Time
	regularAuditAt   time.Time     // the last auditAt set by scheduleRegularAudit
	readCost         time.Duration // processor time of one reading
	readTook         time.Duration // duration of the last audit, from request to answer
	changeSeq        uint64        // number of messages sent or received about single entries
	checkRequested   bool          // a caller waits for the findings of the next audit
	checkRunning     bool          // a caller waits for the findings of the audit in flight

	batchSize       int              // largest number of messages before a barrier
	barrierTime     time.Duration    // smoothed time a barrier takes
	stuck           bool             // answers neither barriers nor readings
	stuckAlarm      bool             // the alarm stuck-switch is raised
	driftAlarm      bool             // the alarm drift is raised and no batch was confirmed since
	batchUnanswered bool             // a batch was abandoned since one was confirmed
	lying           bool             // does not keep what it confirms
	lyingUntil      time.Time        // when lying is cleared
	converged       bool             // nothing is queued, in flight or pending
	convergedAt     netview.Revision // while not converged: the last revision at which it was

	dirty          bool // in Core.dirty
	infrastructure infrastructure

	facts          *netview.Switch // the switch in the view; nil if the view does not have it
	settled        time.Time       // when discovery settled for this session; zero if it has not
	wake           time.Time       // the valid entry in Core.deadlines
	readAt         time.Time       // when to read again before anything is sent; zero for never
	answerDeadline time.Time       // timeout of the reading or batch in flight; zero if none is
	resendAt       time.Time       // when to send the rest of a batch that did not fit; zero if it did
	unanswered     int             // consecutive batches and readings without an answer
	failedReads    int             // consecutive readings that the session or the switch refused
}

func newSwitchState(dpid netview.DPID) *switchState {
	return &switchState{dpid: dpid, rows: make(map[entryKey]*row)}
}

// rowState is where a row stands on its way to the switch.
type rowState uint8

const (
	rowIdle     rowState = iota // nothing to do, or failed and in retries
	rowQueued                   // in the queue
	rowInFlight                 // in the batch in flight
)

// row is one desired rule, or one entry that is being removed.
type row struct {
	key  entryKey
	rule *netview.Rule // desired; nil: to be removed

	supportChecked bool   // unsupported is valid for this session
	unsupported    string // why the switch's version cannot express the rule; "" if it can

	// Of a removal: its match, and the cookies to which it is restricted if the version can.
	match        openflow.Match
	cookie, mask uint64

	mayHold          bool    // the switch may hold an entry of ours in this place
	contentKnown     bool    // it does, and content is its content
	content          content // valid if contentKnown
	unmetered        bool    // the switch refused the rule with its meter
	lostWhileRead    bool    // a flow-removed came during a reading
	wasConfirmed     bool    // the switch has held the rule: any other entry in the place is newer
	blockedByForeign bool    // a foreign entry is in the place

	changedAt uint64    // changeSeq of the last message about this place
	losses    int       // how often the switch lost the rule since lostSince
	lostSince time.Time //

	state    rowState
	status   ruleStatus // RulePending if not decided
	reported ruleStatus // status as in the view, as far as known
	fails    int        // consecutive refusals
	retryAt  time.Time
}

// ruleStatus is a rule's state with its reason.
type ruleStatus struct {
	state  netview.RuleState
	reason string
}

var pending = ruleStatus{state: netview.RulePending}

// keyOf returns the key of a rule of the view.
func keyOf(r *netview.Rule) entryKey { return entryKey{r.Table, r.Priority, r.Match.Key()} }

// setDesired takes a new or changed rule. Without a session only the rule is kept.
func (c *Core) setDesired(sw *switchState, r *netview.Rule) {
	key := keyOf(r)
	w := sw.rows[key]
	switch {
	case w == nil:
		w = &row{key: key, rule: r, status: pending}
		sw.rows[key] = w
		sw.inheritEntry(w)
	case w.rule != nil && w.rule.Owner == r.Owner && contentOf(w.rule).same(contentOf(r)):
		w.rule, w.reported = r, ruleStatus{r.State, r.Reason}
		if w.state == rowIdle && sw.phase == phaseReady {
			c.report(w, w.status) // the status in the view may be older
		}
		return
	default:
		w.rule, w.status = r, pending
		w.supportChecked, w.unmetered, w.losses = false, false, 0
		w.fails, w.retryAt = 0, time.Time{}
	}
	w.reported = ruleStatus{r.State, r.Reason}
	sw.markShadowsDirty()
	if sw.stuck {
		c.report(w, c.unconfirmedStatus(sw, w))
	}
	sw.enqueue(w)
}

// inheritEntry records that the switch already holds an entry in the place of a new row.
func (sw *switchState) inheritEntry(w *row) {
	if sw.phase != phaseReady {
		return
	}
	if e := sw.stale[w.key]; e != nil {
		w.setHeld(e)
		delete(sw.stale, w.key)
	}
	delete(sw.soft, w.key) // an ADD replaces it
}

// setHeld records the entry that the switch holds.
func (w *row) setHeld(e *Entry) {
	w.mayHold, w.contentKnown, w.content = true, true, content{e.Cookie, e.Instructions}
}

// withdraw removes a rule from the desired ones, and its entry from the switch.
func (c *Core) withdraw(sw *switchState, key entryKey) {
	w := sw.rows[key]
	if w == nil || w.rule == nil {
		return
	}
	if sw.phase != phaseReady {
		delete(sw.rows, key) // the next reading finds its entry stale
		return
	}
	sw.markShadowsDirty()
	w.match, w.rule = openflow.Match{OXM: []byte(key.match)}, nil
	w.cookie, w.mask = plan.Cookie{Domain: c.config.Domain}.Encode(), plan.DomainMask
	w.status, w.reported, w.retryAt = pending, pending, time.Time{}
	sw.enqueue(w)
}

// removeEntry queues the removal of an entry that no one desires. It returns false if a row has its
// key.
func (sw *switchState) removeEntry(key entryKey, match openflow.Match, cookie uint64) bool {
	if sw.rows[key] != nil {
		return false
	}
	w := &row{key: key, match: match, cookie: cookie, mask: plan.ExactMask, mayHold: true, status: pending, reported: pending}
	sw.rows[key] = w
	sw.enqueue(w)
	return true
}

// report writes a rule's status to the view if it differs from the one there.
func (c *Core) report(w *row, v ruleStatus) {
	w.status = v
	if w.rule == nil || w.reported == v {
		return
	}
	w.reported = v
	c.ready.Results = append(c.ready.Results,
		netview.RuleResult{Key: w.rule.Key(), Rule: w.rule, State: v.state, Reason: v.reason})
}

// enqueue queues a row, unless it is queued or in flight.
func (sw *switchState) enqueue(w *row) {
	if sw.phase == phaseReady && w.state == rowIdle {
		w.state = rowQueued
		sw.queue = append(sw.queue, w)
	}
}

// contentOf returns the content of a rule's entry.
func contentOf(r *netview.Rule) content { return content{r.Cookie, r.Instructions} }
