package flowsync

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
)

// Ready is what has to be done after a step, in the order of its fields. Its slices are valid until
// the next step.
type Ready struct {
	// TreeEntries are the entries of the broadcast tree that a switch held when it connected.
	TreeEntries []TreeEntries
	// Results go into the view, in one transaction.
	Results []netview.RuleResult
	// Outcomes are the results of orders.
	Outcomes []ruleset.Outcome
	// Infrastructure are rules to be written into the view.
	Infrastructure []InfrastructureRules
	// Alarms are to be raised or cleared.
	Alarms []Alarm
	// Findings answer Check inputs.
	Findings []Findings
	// Monitors are switches to be asked for a flow monitor, each answered by MonitorAnswer.
	Monitors []Address
	// Readings are switches whose flow entries are to be read, each answered by Entries.
	Readings []Request
	// Features are switches to be asked which groups and meters they can have, each answered by Features.
	Features []Address
	// Batches are to be sent, each answered by Sent at once, and by Confirmed when the barrier is
	// answered.
	Batches []Batch
	// Wake is when the core needs a Tick at the latest; zero if it waits for nothing.
	Wake time.Time
}

// Address is a session of a switch. A later session has a higher epoch.
type Address struct {
	DPID  netview.DPID
	Epoch uint64
}

// Request asks for the flow entries of a switch whose cookies equal Cookie in the bits of Mask, for
// all if Mask is 0.
type Request struct {
	Address
	ID           uint64
	Cookie, Mask uint64

	Objects     bool            // its groups and meters too, before its entries, answered by Objects
	ObjectsOnly bool            // nothing else
	InTurn      bool            // each is asked for when the one before has been answered
	Numbers     *object.Numbers // what numbers of groups and meters have meant until now
}

// Alarm is an alarm to be raised or, if Clear, cleared.
type Alarm struct {
	Kind   netview.AlarmKind
	Object string
	Text   string
	Clear  bool
}

// InfrastructureRules are changes of the infrastructure's rules at one switch: those that it is to hold, and
// those that it held in another form and is not to hold any more.
type InfrastructureRules struct {
	DPID      netview.DPID
	Rules     []netview.Rule
	Withdrawn []netview.RuleKey
}

// write writes the changes into the view, each by itself: the rules of others at the switch may be many.
func (i *InfrastructureRules) write(tx *netview.DesiredTx) {
	for _, r := range slices.Backward(i.Rules) {
		r.DPID = i.DPID
		tx.Put(r)
	}
	for _, key := range i.Withdrawn {
		tx.Delete(key)
	}
}

// TreeEntries are the entries of the tree's kind that a switch held when it connected.
type TreeEntries struct {
	Address
	Entries []Entry
	Holds   bool // it held firm entries of ours, of this kind or another
}

// Batch is a list of messages, or of encoded ones, to be followed by a barrier request. A batch
// that did not fit into the session's queue comes again with what is left of it, perhaps only the
// barrier.
type Batch struct {
	Address
	ID       uint64
	From     int // index of the first of Messages in the batch
	Messages []openflow.Message
	Frames   []byte       // encoded; the session sets their transaction ids
	Count    int          // of Frames
	Removals []removalSum // those among Frames, in order
}

func (r *Ready) reset() {
	clear(r.TreeEntries)
	clear(r.Results)
	clear(r.Outcomes)
	clear(r.Infrastructure)
	clear(r.Batches)
	clear(r.Findings)
	clear(r.Alarms)
	if cap(r.Outcomes) > ordersKept {
		r.Outcomes = nil
	}
	*r = Ready{
		TreeEntries: r.TreeEntries[:0], Results: r.Results[:0], Outcomes: r.Outcomes[:0],
		Infrastructure: r.Infrastructure[:0], Readings: r.Readings[:0],
		Alarms: r.Alarms[:0], Findings: r.Findings[:0], Monitors: r.Monitors[:0],
		Features: r.Features[:0], Batches: r.Batches[:0],
	}
}

// outcome reports the result of an order.
func (r *Ready) outcome(set *ruleset.Set, rule uint16, result ruleset.Result) {
	r.Outcomes = append(r.Outcomes, ruleset.Outcome{Rules: set, Rule: rule, Result: result})
}

// refuse reports the refusal of an order.
func (r *Ready) refuse(set *ruleset.Set, rule uint16, code openflow.ErrorCode, reason string) {
	r.Outcomes = append(r.Outcomes,
		ruleset.Outcome{Rules: set, Rule: rule, Result: ruleset.Refused, Code: code, Reason: reason})
}
