package flowsync

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// Counters count what flowsync did since it started, for metrics.
type Counters struct {
	FlowMods  uint64          // sent
	MeterMods uint64          // sent
	Barriers  uint64          // sent
	Readings  uint64          // of a switch's entries, asked for
	Refused   uint64          // errors that answered flow-mods and meter-mods
	Retries   uint64          // rules tried again after a refusal
	Repairs   uint64          // rules that were lost or changed behind our back, and put back
	Drift     [sources]uint64 // of those, by Source
	Full      uint64          // batches cut short by a full queue
	Missed    uint64          // times that a switch told more than Config.NewsMax allows, and is read instead
}

// Standing is how far one switch has come.
type Standing struct {
	DPID      netview.DPID
	Connected bool // has a session
	Compared  bool // and has been read
	Wanted    int  // rules; the next three add up to it
	Installed int
	Pending   int
	Failed    int
	Removing  int // entries on their way out
	Stale     int // firm entries of ours that nobody wants, kept until discovery has settled
	Adopted   int // soft entries of an earlier life
	Foreign   int // entries of others
	InFlight  int // messages that wait for a barrier

	Watch    Watch            // how drift is noticed
	Bound    time.Duration    // how long a drift that the switch does not tell of can stay unnoticed; negative if not known
	Cost     time.Duration    // of a processor, for one reading; 0 if the switch is not watched by reading
	Batch    int              // messages before a barrier at most
	Barrier  time.Duration    // how long barriers take, smoothed
	Revision netview.Revision // of the view: the switch is known to agree with all changes up to it, but for Failed
	Stuck    bool             // it answers neither barriers nor readings
	Lying    bool             // it does not keep what it confirms
}

// Counters returns the counters.
func (c *Core) Counters() Counters { return c.counters }

// Standings returns how far each switch has come, in order of datapath id.
func (c *Core) Standings() []Standing {
	var list []Standing
	for _, dpid := range c.dpids() {
		list = append(list, c.standing(c.ledgers[dpid]))
	}
	return list
}

// Standing returns how far one switch has come; false if nothing is known of it.
func (c *Core) Standing(dpid netview.DPID) (Standing, bool) {
	l := c.ledgers[dpid]
	if l == nil {
		return Standing{}, false
	}
	return c.standing(l), true
}

func (c *Core) standing(l *ledger) Standing {
	s := Standing{
		DPID: l.dpid, Connected: l.phase != phaseDown, Compared: l.phase == phaseReady,
		Stale: len(l.stale), Adopted: len(l.soft), Foreign: len(l.foreign) + l.unkept,
		Watch: l.watch, Bound: c.bound(l), Cost: l.cost, Batch: l.batch, Barrier: l.barrier, Revision: l.agreed,
		Stuck: l.stuck, Lying: l.lying,
	}
	if l.rest {
		s.Revision = c.seen
	}
	if l.flight != nil {
		s.InFlight = l.flight.size()
	}
	for _, w := range l.rows {
		switch {
		case w.rule == nil:
			s.Removing++
			continue
		case w.outcome.state == netview.RuleInstalled:
			s.Installed++
		case w.outcome.state == netview.RuleFailed:
			s.Failed++
		default:
			s.Pending++
		}
		s.Wanted++
	}
	if p := l.programs; p != nil {
		s.Installed += p.count[classInstalled]
		s.Pending += p.count[classPending]
		s.Removing += p.count[classRemoving]
		s.Stale += p.count[classStale] + p.unkept
		s.Wanted += p.count[classInstalled] + p.count[classPending]
	}
	return s
}

// Foreign returns the entries of others that a switch held when it was last read, without their instructions, and how
// many there were: not more than Config.ForeignMax are listed. They are in order: later tables, higher priorities first.
func (c *Core) Foreign(dpid netview.DPID) (list []Entry, total int) {
	l := c.ledgers[dpid]
	if l == nil {
		return nil, 0
	}
	for _, key := range slices.SortedFunc(maps.Keys(l.foreign), entryKey.compare) {
		list = append(list, *l.foreign[key])
	}
	return list, len(list) + l.unkept
}

// Adopted returns the soft entries of an earlier life that a switch is thought to hold, in the same order. Those that ran
// out are in it unless the switch told so.
func (c *Core) Adopted(dpid netview.DPID) (list []SoftEntry) {
	l := c.ledgers[dpid]
	if l == nil {
		return nil
	}
	for _, key := range slices.SortedFunc(maps.Keys(l.soft), entryKey.compare) {
		list = append(list, *l.soft[key])
	}
	return list
}
