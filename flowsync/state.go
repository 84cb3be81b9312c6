package flowsync

import (
	"fmt"
	"strings"
)

// This file is what can happen to a rule: the states of a row (ruleState), the events, and what each event does to a
// state (effects), which apply executes. What the engine does besides, as reporting or sending, is beside the calls of
// apply; what differs between owners is in policy.go.
//
// Between two steps this holds (Core.Check):
//
//   - A row is found in its place, and no two are in one. The counts by class are those of the rows.
//   - A row is queued exactly if it is in the queue, and in flight exactly if it is in one of the batches in flight.
//   - Of a row in flight it is not known that the switch holds the rule.
//   - A row is called installed or failed only if the rule is wanted, and not both. Of one that is called installed and
//     idle, at a switch whose entries are known, it is known that the rule is held, or an audit is due that will tell.
//   - A row that is wanted and called nothing, or whose entry is to be removed, is queued, in flight or waits for a
//     retry, for its groups and meters or for the counters of an entry that has ended; or an audit is due.
//   - A row that wants nothing and holds nothing exists only while it is queued or in flight, or during an audit.
//   - A mortal row that is called installed has a life (mortals), and the switch is known to have held the entry. When
//     its time-out is due is known only of a row whose rule the switch has confirmed. A rule that has ended has no life.
//   - The view's rules have a record, and others have none; its status is what the marks say.

// ruleState is what is known of a row: what is wanted in its place, what the switch holds there, and how far the
// difference is on its way; each is one of a few values. Marks say what was said of the row, and what a reading
// showed of it.
type ruleState uint16

// What is wanted in the place.
const (
	wantsNothing ruleState = iota
	wantsRule              // the rule is to be installed
	wantsRemoval           // the entry is to be removed, and ruleset.Removed to be answered
	wantsPruning           // the entry, which nobody has ordered, is to be removed
	wanted       ruleState = 3
)

// What the switch holds in the place, as far as is known, of entries of ours.
const (
	holdsNothing   ruleState = 0
	holdsSomething ruleState = 1 << 2 // perhaps an entry
	holdsRule      ruleState = 3 << 2 // an entry that is the rule
	held           ruleState = 3 << 2
	isRule                   = holdsRule &^ holdsSomething // taken away, it leaves something
)

// How far the row is. A row that is idle and not as it is wanted waits: for a retry, its groups and
// meters, the end of a reading or the time to prune.
const (
	idle     ruleState = 0
	queued   ruleState = 1 << 4 // in the queue
	removing ruleState = 2 << 4 // a batch in flight removes the entry
	adding   ruleState = 3 << 4 // a batch in flight adds the rule
	inFlight           = removing
	progress ruleState = 3 << 4
)

// Marks.
const (
	reported   ruleState = 1 << (6 + iota) // the rule was last said to be installed
	failed                                 // the rule was last said to be failed, and stays wanted
	confirmed                              // the switch has held the rule: a foreign entry in the place is newer
	otherOwner                             // the entry that the switch may hold may be of the place's previous owner
	changed                                // the place was written to, or a notice came, since the reading was requested
	listed                                 // the listing has an entry in the place
)

// effect is what an event does to a state: it clears bits, then sets some.
type effect struct{ clears, sets ruleState }

// event is something that happens to a row. A row that is made wants and holds nothing.
type event uint8

// The events.
const (
	// Of who orders.
	ruleOrdered    event = iota
	ruleReplaced         // what is ordered is another rule than the row had
	ownerReplaced        // of another owner, and the switch may hold something of the one before
	removalOrdered       //
	ruleWithdrawn        // nobody wants it any more
	pruneDue             // an entry that nobody wants may be removed

	// Of the queue and the batch.
	enqueued     // it has to be compared, and sent if it differs
	dequeued     // out of the queue
	additionSent // put into the batch
	removalSent  //
	sentAccepted // the session has taken the addition
	sentReturned // it had no room for the batch: the row is queued as before
	sentDropped  // the batch is abandoned: nobody knows what the switch did
	sentAnswered // the batch is confirmed; what became of the row's message follows

	// Of what became of a message.
	additionDone  // the switch has executed it
	ruleInstalled // the switch holds the rule, and that is answered
	ruleRefused   // it cannot be installed, and is not wanted any more
	ruleFailed    // it cannot be installed, and stays wanted
	ruleEnded     // a time-out has ended it, and it is not wanted any more
	ruleOpen      // it is not known to be held, any more or yet

	// Of what is known of the entry.
	entryGone    // the switch holds nothing in the place
	entryUnknown // it holds something, perhaps
	entrySeen    // it holds the rule
	noticeCame   // the switch reported a change in the place
	driftNoticed // the rule was held, or called installed, and is not any more

	// Of a reading.
	readingBegun
	listedAnything // the entry may be older than what is known
	listedRule     // the entry is the rule
	listedOther    // the entry is not the rule
	listedStranger // nobody wants the place, and the entry is another owner's of ours: it is this owner's row now

	sessionEnded
	rowEnded // and stays until the audit in flight ends, whose listing may be older
	events
)

// effects is all that can happen to a row.
var effects = [events]effect{
	//              clears                                    sets
	ruleOrdered:    {wanted | reported | failed, wantsRule},
	ruleReplaced:   {isRule, 0},
	ownerReplaced:  {0, otherOwner},
	removalOrdered: {wanted | reported | failed, wantsRemoval},
	ruleWithdrawn:  {wanted | reported | failed, wantsNothing},
	pruneDue:       {wanted | reported | failed, wantsPruning},

	enqueued:     {progress, queued},
	dequeued:     {progress, idle},
	additionSent: {progress | isRule, adding | changed},
	removalSent:  {progress | isRule, removing | changed},
	sentAccepted: {0, holdsSomething},
	sentReturned: {progress, queued},
	sentDropped:  {progress | isRule, holdsSomething},
	sentAnswered: {progress, changed},

	additionDone:  {0, holdsSomething | confirmed},
	ruleInstalled: {otherOwner | failed, holdsRule | reported | confirmed},
	ruleRefused:   {wanted | isRule | reported | confirmed, wantsNothing},
	ruleFailed:    {reported, failed},
	ruleEnded:     {wanted | isRule | reported | confirmed, wantsNothing},
	ruleOpen:      {reported | failed, 0},

	entryGone:    {held | otherOwner, holdsNothing},
	entryUnknown: {isRule, holdsSomething},
	entrySeen:    {0, holdsRule},
	noticeCame:   {0, changed},
	driftNoticed: {isRule, changed},

	readingBegun:   {changed | listed, 0},
	listedAnything: {0, listed},
	listedRule:     {otherOwner, holdsRule | listed},
	listedOther:    {isRule, holdsSomething | listed},
	listedStranger: {wanted | confirmed | otherOwner, wantsNothing | holdsRule | listed},

	sessionEnded: {held | progress | changed | listed, holdsNothing | idle},
	rowEnded:     {^ruleState(0), changed},
}

// after returns the state after an event.
func (s ruleState) after(e event) ruleState { return s&^effects[e].clears | effects[e].sets }

// has reports whether a state has all of some marks.
func (s ruleState) has(marks ruleState) bool { return s&marks == marks }

// wants reports whether this is wanted.
func (s ruleState) wants(what ruleState) bool { return s&wanted == what }

// holds reports whether this is held: nothing, something that is not known to be the rule, or the rule.
func (s ruleState) holds(what ruleState) bool { return s&held == what }

// waits reports whether a row is in the queue; moves, whether it is there or in flight.
func (s ruleState) waits() bool { return s&progress == queued }
func (s ruleState) moves() bool { return s&progress != idle }

// settled reports whether nothing has happened to the row that a listing may be older than.
func (s ruleState) settled() bool { return s&(changed|progress) == 0 }

// class is the count of ruleRows that a row is part of.
type class uint8

const (
	classNone      class = iota // free, or kept only until the audit ends
	classInstalled              // the rule is wanted, and was said to be installed
	classFailed                 // the rule is wanted, and was said not to be
	classPending                // the rule is wanted, and nothing was said of it since
	classRemoving               // the removal is ordered
	classPruning                // an entry that nobody wants is being removed
	classStale                  // and is not yet
	classes
)

// class returns the class of a state.
func (s ruleState) class() class {
	switch s & wanted {
	case wantsRule:
		switch s & (reported | failed) {
		case 0:
			return classPending
		case reported:
			return classInstalled
		}
		return classFailed
	case wantsRemoval:
		return classRemoving
	case wantsPruning:
		return classPruning
	}
	if s&(held|inFlight) != 0 {
		return classStale
	}
	return classNone
}

// wrong says what is wrong with a state by itself, "" if nothing is.
func (s ruleState) wrong() string {
	switch {
	case s&held == isRule:
		return "the entry is the rule, and the switch holds none"
	case s&(reported|failed) != 0 && !s.wants(wantsRule):
		return "called installed or failed, and not wanted"
	case s.has(reported | failed):
		return "called installed and failed"
	case s&inFlight != 0 && s.holds(holdsRule):
		return "what is in flight is known to be held"
	}
	return ""
}

// String is the state for who reads a failure of a test.
func (s ruleState) String() string {
	words := []string{
		[...]string{"wants nothing", "wants the rule", "wants removal", "wants pruning"}[s&wanted],
		[...]string{"holds nothing", "holds something", "holds ?", "holds the rule"}[s&held>>2],
		[...]string{"idle", "queued", "removing", "adding"}[s&progress>>4],
	}
	for i, mark := range []string{"reported", "failed", "confirmed", "other owner", "changed", "listed"} {
		if s.has(reported << i) {
			words = append(words, mark)
		}
	}
	return fmt.Sprintf("%s (%b)", strings.Join(words, ", "), uint16(s))
}
