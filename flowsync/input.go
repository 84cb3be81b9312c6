package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Input is something that happened. Session numbers tell a switch's sessions apart: what belongs to an earlier one is
// ignored.
type Input interface{ input() }

type (
	// Up is a session that became ready for flow-mods.
	Up struct {
		DPID    netview.DPID
		Session uint64 // greater than those of all sessions before
		Version openflow.Version
		Tables  uint8
	}

	// Down is the end of a session. Stuck, if not empty, says that it was ended because the switch answered nothing, or read nothing, and how.
	Down struct {
		DPID    netview.DPID
		Session uint64
		Stuck   string
	}

	// Facts is what the view says of a switch. Settled is true when discovery has settled, in general and for this
	// switch since it connected.
	Facts struct {
		Switch  *netview.Switch
		Settled bool
	}

	// Gone is a switch that has been deleted from the view.
	Gone struct{ DPID netview.DPID }

	// Rule is a wanted rule that is new or changed, or, if Withdrawn, is wanted no longer.
	Rule struct {
		Rule      *netview.Rule
		Withdrawn bool
	}

	// Meter is a wanted meter that is new or changed, or, if Withdrawn, is wanted no longer.
	Meter struct {
		Meter     *netview.Meter
		Withdrawn bool
	}

	// Wanted is all that is wanted of a switch: what it does not name is wanted no longer.
	Wanted struct {
		DPID   netview.DPID
		Rules  []*netview.Rule
		Meters []*netview.Meter
	}

	// Orders are for rules of programs.
	Orders struct{ List []Order }

	// Entries answers a reading of a switch's flow entries. Err says that there was no answer.
	Entries struct {
		DPID    netview.DPID
		Session uint64
		ID      uint64 // of the Request
		Reading Reading
		Cost    time.Duration // of a processor; 0 if not known
		Err     error
	}

	// Listed is a part of what a switch holds, before Entries answers the reading.
	Listed struct {
		DPID    netview.DPID
		Session uint64
		ID      uint64 // of the Request
		Entries Packed
	}

	// RemovedRules are entries that went from the switch, as Removed, all of them in places of programs' rules.
	RemovedRules struct {
		DPID    netview.DPID
		Session uint64
		Entries Packed
	}

	// Monitoring answers the question whether a switch has a flow monitor. Err says that it has not.
	Monitoring struct {
		DPID    netview.DPID
		Session uint64
		Err     error
	}

	// Changed is what a switch's flow monitor tells.
	Changed struct {
		DPID    netview.DPID
		Session uint64
		Changes []Change
	}

	// Paused tells that a switch's flow monitor leaves changes out from now on or, if not On, no longer.
	Paused struct {
		DPID    netview.DPID
		Session uint64
		On      bool
	}

	// Hold has no switch read for the first time in a session until it is taken back (not On), or has lasted for holdMost.
	Hold struct{ On bool }

	// Check has a switch compared with what is wanted of it; Ready.Findings answers.
	Check struct{ DPID netview.DPID }

	// Seen tells that all changes of the view up to a revision are in the inputs so far and those of the same step.
	Seen struct{ Revision netview.Revision }

	// Meters answers a reading of a switch's meters. Err says that there was no answer: the switch may have none.
	Meters struct {
		DPID    netview.DPID
		Session uint64
		Held    []netview.Meter
		Err     error
	}

	// Sent tells how much of a batch went into the session's queue: the first messages, as many as XIDs has, or, if Frames, all encoded
	// ones, the first with the transaction id First; and Barrier if the barrier too.
	Sent struct {
		DPID    netview.DPID
		Session uint64
		XIDs    []uint32
		First   uint32
		Frames  bool
		Barrier bool
	}

	// Refused is an error that answers the message with this xid.
	Refused struct {
		DPID    netview.DPID
		Session uint64
		XID     uint32
		Error   openflow.ErrorMsg // its Data is not kept
	}

	// Confirmed is the reply to the barrier of a batch. Err says that there was none.
	Confirmed struct {
		DPID    netview.DPID
		Session uint64
		Batch   uint64
		Err     error
	}

	// Removed is a flow entry that went from the switch by itself or by another's hand.
	Removed struct {
		DPID     netview.DPID
		Session  uint64
		Table    uint8
		Priority uint16
		Match    string // Match.Key
		Cookie   uint64
	}

	// Tick says that Ready.Wake has come.
	Tick struct{}
)

func (Up) input()            {}
func (Down) input()          {}
func (Facts) input()         {}
func (Gone) input()          {}
func (Rule) input()          {}
func (Meter) input()         {}
func (Wanted) input()        {}
func (Entries) input()       {}
func (Meters) input()        {}
func (Sent) input()          {}
func (Refused) input()       {}
func (Confirmed) input()     {}
func (Removed) input()       {}
func (Monitoring) input()    {}
func (Changed) input()       {}
func (Paused) input()        {}
func (Check) input()         {}
func (Hold) input()          {}
func (Orders) input()        {}
func (Listed) input()        {}
func (*RemovedRules) input() {}
func (Seen) input()          {}
func (Tick) input()          {}
