package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// Counters counts what flowsync did since it started, for metrics.
type Counters struct {
	FlowMods  uint64          // sent
	GroupMods uint64          // sent
	MeterMods uint64          // sent
	Barriers  uint64          // sent
	Readings  uint64          // requested
	Refused   uint64          // errors that answered them
	Retries   uint64          // rules tried again after a refusal
	Repairs   uint64          // rules that were lost or changed by others, and put back
	Drift     [sources]uint64 // the repairs by Source
	Full      uint64          // batches cut short by a full queue
	Overflows uint64          // times that a switch exceeded its share of Config.UnsolicitedMax and is read instead
}

// SwitchStatus is how far one switch has converged.
type SwitchStatus struct {
	DPID      netview.DPID
	Connected bool // has a session
	Compared  bool // and has been read
	Desired   int  // rules: Installed + Pending + Failed
	Installed int
	Pending   int
	Failed    int
	Removing  int // entries
	Stale     int // firm entries of ours that no one desires, kept until discovery has settled
	Leftover  int // soft entries of an earlier run
	Foreign   int // entries of others
	InFlight  int // messages without a barrier reply

	Watch       Watch            // how drift is noticed
	DriftBound  time.Duration    // longest time that drift without a notice stays undetected; negative if not known
	ReadCost    time.Duration    // processor time of one reading; 0 if the switch is not read regularly
	BatchSize   int              // largest number of messages before a barrier
	BarrierTime time.Duration    // smoothed time a barrier takes
	Revision    netview.Revision // of the view up to which the switch agrees, Failed rules excepted
	Groups      int              // that rules use
	Meters      int              // that rules use, or the view wants
	Lacking     int              // of Groups and Meters: the switch is not known to have them
	Stuck       bool             // answers neither barriers nor readings
	Lying       bool             // does not keep what it confirms
}

// status is how far the switch has converged.
func (sw *switchCore) status() SwitchStatus {
	s := SwitchStatus{
		DPID: sw.dpid, Connected: sw.phase != phaseDown, Compared: sw.phase == phaseReady,
		Leftover: len(sw.soft.at), Foreign: sw.foreign.count(),
		Watch: sw.watch, DriftBound: sw.reading.driftBound(), ReadCost: sw.reading.cost, BatchSize: sw.batch.pace.limit,
		BarrierTime: sw.batch.barrierTime, Revision: sw.convergedAt,
		Stuck: sw.health.stuck, Lying: sw.health.lying,
	}
	if sw.converged {
		s.Revision = sw.viewRevision
	}
	if sw.batch.inflight != nil {
		s.InFlight = sw.batch.inflight.size()
	}
	if sw.batch.behind != nil {
		s.InFlight += sw.batch.behind.size()
	}
	c := sw.objects.Counts()
	s.Groups, s.Meters, s.Lacking = c.Groups, c.Meters, c.Lacking
	t := &sw.rules
	s.Installed, s.Failed, s.Pending = t.count[classInstalled], t.count[classFailed], t.count[classPending]
	s.Desired = s.Installed + s.Failed + s.Pending
	s.Removing = t.count[classRemoving] + t.count[classPruning]
	s.Stale = t.count[classStale] + t.staleOverflow
	return s
}
