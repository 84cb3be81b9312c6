package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// Counters counts what flowsync did since it started, for metrics.
type Counters struct {
	FlowMods  uint64          // sent
	MeterMods uint64          // sent
	Barriers  uint64          // sent
	Readings  uint64          // requested
	Refused   uint64          // errors that answered flow-mods and meter-mods
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
	Stuck       bool             // answers neither barriers nor readings
	Lying       bool             // does not keep what it confirms
}

// Counters returns the counters.
func (c *Core) Counters() Counters { return c.counters }

// Statuses returns the status of each switch, by datapath id.
func (c *Core) Statuses() []SwitchStatus {
	var list []SwitchStatus
	for _, dpid := range c.dpids() {
		list = append(list, c.statusOf(c.switches[dpid]))
	}
	return list
}

// Status returns the status of one switch; false if it is unknown.
func (c *Core) Status(dpid netview.DPID) (SwitchStatus, bool) {
	sw := c.switches[dpid]
	if sw == nil {
		return SwitchStatus{}, false
	}
	return c.statusOf(sw), true
}

func (c *Core) statusOf(sw *switchState) SwitchStatus {
	s := SwitchStatus{
		DPID: sw.dpid, Connected: sw.phase != phaseDown, Compared: sw.phase == phaseReady,
		Stale: len(sw.stale), Leftover: len(sw.soft), Foreign: len(sw.foreign) + sw.foreignOverflow,
		Watch: sw.watch, DriftBound: c.driftBound(sw), ReadCost: sw.readCost, BatchSize: sw.batchSize,
		BarrierTime: sw.barrierTime, Revision: sw.convergedAt,
		Stuck: sw.stuck, Lying: sw.lying,
	}
	if sw.converged {
		s.Revision = c.viewRevision
	}
	if sw.inflight != nil {
		s.InFlight = sw.inflight.size()
	}
	for _, w := range sw.rows {
		switch {
		case w.rule == nil:
			s.Removing++
			continue
		case w.status.state == netview.RuleInstalled:
			s.Installed++
		case w.status.state == netview.RuleFailed:
			s.Failed++
		default:
			s.Pending++
		}
		s.Desired++
	}
	if t := sw.compact; t != nil {
		s.Installed += t.count[classInstalled]
		s.Pending += t.count[classPending]
		s.Removing += t.count[classRemoving]
		s.Stale += t.count[classStale] + t.staleOverflow
		s.Desired += t.count[classInstalled] + t.count[classPending]
	}
	return s
}
