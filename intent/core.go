package intent

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
	"github.com/weirnet/weir/topology"
)

// Core decides: it has intents that are durable, what the network is, what switches have confirmed and the time, and says what they are to hold.
// It is owned by one goroutine and does nothing by itself.
type Core struct {
	now      time.Time
	snap     *netview.Snapshot
	m        *topology.Map
	settled  bool
	settings Settings

	entries entries
	routes  *routes
	places  *places

	rows     map[netview.DPID]*netview.Switch // as they were last
	hosts    map[netview.HostID]*users        // of intents between hosts, by host
	awaited  map[netview.DPID][]uint32        // waiting for a switch or a port of it
	stuck    []uint32                         // failed for want of a path, each once
	blocked  map[uint32][]uint32              // failed for an intent that is in their place, by its number
	refusals map[uint32]*refusal              // by number
	lost     map[uint32]int                   // rules that a switch lost, by number
	detours  map[string]*topology.Map         // maps without some switches, of the map as it is

	adopting int             // entries that are adopted
	uniting  int             // changes with a next program
	broken   []uint32        // whose way is down: to be looked at again, a part in each step
	uprooted map[uint32]bool // of those: a port of the way is not what it was
	queue    []uint32        // then these
	portion  int             // how many of the broken the last step looked at
	timers   timers
	planned  planner

	dirty    []uint32 // whose decision is to be kept, each once
	spare    []*change
	orders   []Order
	updates  []Update
	counts   CoreCounts
	searches uint64 // for overlaps, so far

	path  []topology.Hop // memory of a look-up
	legs  []program.Leg  // memory of a program that is made
	ready Ready
}

// CoreCounts are counters of a core since it began.
type CoreCounts struct {
	Installs, Reroutes, Moves, Withdrawals uint64 // changes begun: of new intents, after failures, planned, the last ones
	Orders, Refusals, Lost                 uint64 // rules
	Routes                                 int    // different ways in use, or kept
	Moving                                 int    // planned changes under way
}

// Settings are a core's times.
type Settings struct {
	Drain     time.Duration // how long the rules of a path that was left stay, at least
	Calm      time.Duration // how long no link may have changed before paths are made shorter again
	Patience  time.Duration // how long a planned change keeps its place among those under way
	Retry     time.Duration // the first pause after a switch refused; it doubles up to RetryMost
	RetryMost time.Duration
}

// DefaultSettings are the times in use.
var DefaultSettings = Settings{Drain: 100 * time.Millisecond, Calm: 30 * time.Second, Patience: 10 * time.Second, Retry: 5 * time.Second, RetryMost: 5 * time.Minute}

// Facts are what has changed in the network: the changes, or (Whole) not known, and how it is now.
type Facts struct {
	Whole   bool
	Changes []netview.Change
	Snap    *netview.Snapshot
	Map     *topology.Map
}

// Input is what has happened. All of it may be empty.
type Input struct {
	Facts    *Facts
	Commits  []Commit
	Outcomes []Outcome
}

// Ready is what follows, valid until the next step: orders, in order; updates, of which for one intent the last counts; when to step again at the
// latest (zero: never), and whether there is more to do at once.
type Ready struct {
	Orders  []Order
	Updates []Update
	Wake    time.Time
	More    bool
}

// Of those whose way is down a step takes a portion, the first a small one and each after it twice as many, up to a bound: so the first are on
// their way to switches while the rest is decided. Of others, for whom nobody waits, it takes more.
const (
	firstPortion = 8
	portionMost  = 128
	queueAtOnce  = 2048
)

// NewCore returns a core that knows nothing.
func NewCore() *Core {
	seed := maphash.MakeSeed()
	return &Core{
		settings: DefaultSettings, routes: newRoutes(), places: newPlaces(seed),
		rows: make(map[netview.DPID]*netview.Switch), uprooted: make(map[uint32]bool),
		hosts: make(map[netview.HostID]*users), awaited: make(map[netview.DPID][]uint32), blocked: make(map[uint32][]uint32),
		refusals: make(map[uint32]*refusal), lost: make(map[uint32]int), detours: make(map[string]*topology.Map),
	}
}

// Step takes what has happened. The first has facts.
func (c *Core) Step(in *Input, now time.Time) *Ready {
	c.now = now
	clear(c.orders)
	clear(c.updates)
	c.orders, c.updates = c.orders[:0], c.updates[:0]
	if c.adopting+c.uniting == 0 { // nobody holds a way without using it
		c.routes.sweep()
	}
	if in.Facts != nil {
		c.learn(in.Facts)
	}
	for i := range in.Commits {
		c.commit(in.Commits[i].Number, in.Commits[i].Content)
	}
	for i := range in.Outcomes {
		c.outcome(&in.Outcomes[i])
	}
	c.work()
	c.counts.Orders += uint64(len(c.orders))
	c.counts.Routes, c.counts.Moving = c.routes.len(), c.planned.moving
	c.ready = Ready{Orders: c.orders, Updates: c.updates, Wake: c.wake(), More: c.more()}
	return &c.ready
}

// work does what is due, and a part of the queue.
func (c *Core) work() {
	for n, ok := c.timers.pop(c.now); ok; n, ok = c.timers.pop(c.now) {
		c.ring(n)
	}
	if len(c.broken) > 0 {
		c.portion = min(max(2*c.portion, firstPortion), portionMost)
		c.lookAgain(&c.broken, c.portion)
	} else {
		c.portion = 0
		c.lookAgain(&c.queue, queueAtOnce)
	}
	c.plan()
}

// lookAgain looks at the first of a list. What follows from that may lengthen it.
func (c *Core) lookAgain(list *[]uint32, most int) {
	for ; most > 0 && len(*list) > 0; most-- {
		next := (*list)[0]
		*list = (*list)[1:]
		c.again(next)
	}
	if len(*list) == 0 {
		*list = nil
	}
}

// more tells whether there are some to be looked at again.
func (c *Core) more() bool { return len(c.broken)+len(c.queue) > 0 }

func (c *Core) wake() time.Time { return earlier(c.timers.next(), c.planned.wake(c)) }

// enqueue has intents looked at again, in the order of their numbers.
func (c *Core) enqueue(list []uint32) {
	slices.Sort(list)
	c.queue = append(c.queue, slices.Compact(list)...)
}
