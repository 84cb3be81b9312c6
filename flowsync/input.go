package flowsync

import (
	"time"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// Input is something that happened. An input of an earlier session is ignored.
type Input interface{ input() }

type (
	// Up is a session that is ready for flow-mods. Its epoch is higher than those of all before.
	Up struct {
		Address
		Version openflow.Version
		Tables  uint8
	}

	// Down is the end of a session. Stuck is how the switch failed to answer or to read, if that
	// ended the session, else empty.
	Down struct {
		Address
		Stuck string
	}

	// Mastered reports whether this instance may write to a switch from now on.
	Mastered struct {
		Address
		On bool
	}

	// SwitchFacts is a new or changed switch of the view. Settled: discovery has settled, in
	// general and for this switch since it connected.
	SwitchFacts struct {
		Switch  *netview.Switch
		Settled bool
	}

	// SwitchDeleted is a switch that was deleted from the view.
	SwitchDeleted struct{ DPID netview.DPID }

	// Rule is a new or changed desired rule or, if Withdrawn, one that no one desires any more.
	Rule struct {
		Rule      *netview.Rule
		Withdrawn bool
	}

	// Meter is a new or changed desired meter or, if Withdrawn, one that no one desires any more.
	Meter struct {
		Meter     *netview.Meter
		Withdrawn bool
	}

	// Desired is everything that is desired of a switch: what it does not contain is withdrawn.
	Desired struct {
		DPID   netview.DPID
		Rules  []*netview.Rule
		Meters []*netview.Meter
	}

	// Orders are what owners order.
	Orders struct{ List []ruleset.Order }

	// Entries answers a Request. Err: there was no answer.
	Entries struct {
		Address
		ID      uint64 // of the Request
		Reading Reading
		Cost    time.Duration // of a processor; 0 if not known
		Err     error
	}

	// ListedPart is a part of a listing, before Entries ends it.
	ListedPart struct {
		Address
		ID      uint64 // of the Request
		Entries Packed
	}

	// RemovedPacked is Removed for firm entries.
	RemovedPacked struct {
		Address
		Entries Packed
	}

	// MonitorAnswer answers the request for a flow monitor. Err: the switch has none.
	MonitorAnswer struct {
		Address
		Err error
	}

	// Changed is what a switch's flow monitor reports.
	Changed struct {
		Address
		Changes []Change
	}

	// Paused reports that a switch's flow monitor omits changes from now on or, if not On, no
	// longer.
	Paused struct {
		Address
		On bool
	}

	// Hold delays the first reading of every switch in a session until Hold{On: false}, for holdMax
	// at most.
	Hold struct{ On bool }

	// Check requests a comparison of a switch; Ready.Findings answers.
	Check struct{ DPID netview.DPID }

	// ViewRevision reports that the inputs, with those of the same step, contain all changes of the
	// view up to a revision.
	ViewRevision struct{ Revision netview.Revision }

	// Objects is what a switch lists of groups and meters, before its entries.
	Objects struct {
		Address
		ID      uint64 // of the Request
		Listing *objects.Listing
		Silent  bool // the switch left a question open
	}

	// Features answers the question which groups and meters a switch can have; nil: it does not say.
	Features struct {
		Address
		Groups *openflow.GroupFeatures
		Meters *openflow.MeterFeatures
	}

	// Sent reports how much of a batch went into the session's queue: so many messages from Batch.From
	// on or, if Frames, all encoded ones; and the barrier if Barrier.
	Sent struct {
		Address
		Messages int
		Frames   bool
		Barrier  bool
	}

	// Refused is an error about the message of a batch with this index.
	Refused struct {
		Address
		Batch uint64
		Index int
		Error openflow.ErrorMsg // its Data is not kept
	}

	// Confirmed is the reply to the barrier of a batch. Err: there was none.
	Confirmed struct {
		Address
		Batch uint64
		Err   error
	}

	// Removed is a flow entry that the switch removed, by itself or for someone else.
	Removed struct {
		Address
		Table    uint8
		Priority uint16
		Match    string // Match.Key
		Cookie   uint64
		Last     *ruleset.Counts // of one that a time-out ended; else nil
	}

	// Tick reports that Ready.Wake has come.
	Tick struct{}
)

// session returns the session that an input is of.
func (a Address) session() Address { return a }

func (SwitchFacts) input()   {}
func (SwitchDeleted) input() {}
func (Rule) input()          {}
func (Meter) input()         {}
func (Desired) input()       {}
func (Check) input()         {}
func (Hold) input()          {}
func (Orders) input()        {}
func (ViewRevision) input()  {}
func (Tick) input()          {}

func (Up) input()             {}
func (Down) input()           {}
func (Mastered) input()       {}
func (Entries) input()        {}
func (ListedPart) input()     {}
func (Objects) input()        {}
func (Features) input()       {}
func (Sent) input()           {}
func (Refused) input()        {}
func (Confirmed) input()      {}
func (Removed) input()        {}
func (*RemovedPacked) input() {}
func (MonitorAnswer) input()  {}
func (Changed) input()        {}
func (Paused) input()         {}
func (Overflow) input()       {}
