package intent

import (
	"hash/maphash"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/timerq"
	"github.com/weirnet/weir/topology"
)

// Core is the deterministic part: from durable intents, the network, confirmations of switches and
// the time it computes what switches should hold. It is owned by one goroutine and does no I/O.
type Core struct {
	now      time.Time
	snap     *netview.Snapshot
	m        *topology.Map
	settled  bool
	settings Settings

	entries   byNumber[coreEntry]
	paths     *pathRegistry
	conflicts *conflictIndex
	classes   ruleClasses

	lastSwitches map[netview.DPID]*netview.Switch // as of the last step
	hostUsers    map[netview.HostID]*userList     // host-to-host intents, by host
	waitingFor   map[netview.DPID][]uint32        // intents that wait for a switch or one of its ports
	noPath       []uint32                         // failed without a path, each once
	blocked      map[uint32][]uint32              // failed because of a conflict, by the number of the other intent
	refusals     map[uint32]*refusal              // by number
	lost         map[uint32]int                   // number of rules that switches lost, by intent

	restoring    int                  // entries with the flag restorable
	interim      int                  // transitions by way of an interim rule set (transition.next)
	scan         linkScan             // the look at paths over changed links that is not complete yet
	broken       []uint32             // intents whose path is down: re-evaluated first, a batch in each step
	portsChanged map[uint32]bool      // of those: a port of the path was removed or replaced
	queue        []uint32             // intents to re-evaluate after those
	undecided    []uint32             // intents whose content has changed during a transition; empty between steps
	batch        int                  // how many of the broken the last step re-evaluated
	timers       timerq.Times[uint32] // when to look at intents, by number
	planner      planner

	dirty           []uint32 // intents whose decision has to be saved, each once
	freeTransitions []*transition
	orders          []ruleset.Order
	updates         []Update
	counts          CoreCounts
	searched        map[uint32]bool // paths, in one search for overlaps
	searches        int             // paths searched so far

	reader spec.Reader    // scratch: the content being compiled
	path   []topology.Hop // scratch: a path search
	legs   []ruleset.Leg  // scratch: a rule set being built
	ready  Ready
}

// CoreCounts are counters of a core since its start.
type CoreCounts struct {
	Installs, Reroutes, Moves, Withdrawals uint64 // transitions begun: new intents, after failures, hitless, withdrawals
	Orders, Refusals, Lost                 uint64 // rules
	Routes                                 int    // different paths, in use or cached
	Moving                                 int    // hitless transitions in progress
}

// Settings are the times of a core.
type Settings struct {
	Retry    time.Duration // the first backoff after a refusal; it doubles up to RetryMax
	RetryMax time.Duration
}

// DefaultSettings are the defaults.
var DefaultSettings = Settings{Retry: 5 * time.Second, RetryMax: 5 * time.Minute}

// NetworkUpdate is what has changed in the network, and its current state. With Resync the changes
// are unknown: everything may have changed.
type NetworkUpdate struct {
	Resync  bool
	Changes []netview.Change
	Snap    *netview.Snapshot
	Map     *topology.Map
}

// Input is what has happened since the last step. Any part may be empty.
type Input struct {
	Network  *NetworkUpdate
	Commits  []Commit
	Outcomes []ruleset.Outcome
}

// Ready is the result of a step, valid until the next one: orders, in order; updates, of which the
// last of an intent counts; when to step again at the latest (zero: never), and whether there is
// more to do at once.
type Ready struct {
	Orders  []ruleset.Order
	Updates []Update
	Wake    time.Time
	More    bool
}

// A step re-routes a batch of the broken intents: a small one first, then twice as many each time,
// up to maxReroutes. So the first rules are on their way to switches while the rest is computed.
// Other re-evaluations are less urgent and come in larger batches.
const (
	firstReroutes    = 4
	maxReroutes      = 128
	maxReevaluations = 2048
)

// NewCore returns an empty core.
func NewCore() *Core {
	seed := maphash.MakeSeed()
	return &Core{
		settings: DefaultSettings, paths: newPathRegistry(), conflicts: newConflictIndex(seed), classes: newRuleClasses(),
		searched:     make(map[uint32]bool),
		lastSwitches: make(map[netview.DPID]*netview.Switch), portsChanged: make(map[uint32]bool),
		hostUsers: make(map[netview.HostID]*userList), waitingFor: make(map[netview.DPID][]uint32),
		blocked:  make(map[uint32][]uint32),
		planner:  planner{restorer: pathing.NewRestorer()},
		refusals: make(map[uint32]*refusal), lost: make(map[uint32]int),
	}
}

// Step processes what has happened. The first step needs in.Network.
func (c *Core) Step(in *Input, now time.Time) *Ready {
	c.now = now
	clear(c.orders)
	clear(c.updates)
	c.orders, c.updates = c.orders[:0], c.updates[:0]
	c.scanRest()
	if c.restoring+c.interim == 0 { // else a path without users may still be referred to
		c.paths.sweep()
	}
	if in.Network != nil {
		c.applyUpdate(in.Network)
	}
	if c.scan.pending() && len(c.broken) > 0 && len(in.Commits)+len(in.Outcomes) == 0 {
		c.batch = firstReroutes
		c.reevaluateSome(&c.broken, c.batch)
		return c.result()
	}
	c.scanRest()
	for i := range in.Commits {
		c.applyCommit(in.Commits[i].Number, in.Commits[i].Content)
	}
	for i := range in.Outcomes {
		c.outcome(&in.Outcomes[i])
	}
	c.work()
	return c.result()
}

// result returns what the step has decided.
func (c *Core) result() *Ready {
	c.counts.Orders += uint64(len(c.orders))
	c.counts.Routes, c.counts.Moving = c.paths.len(), c.planner.moves.Taken()
	c.ready = Ready{Orders: c.orders, Updates: c.updates, Wake: c.wake(), More: c.more()}
	return &c.ready
}

// work does what has arisen from the inputs: decisions, due timers, re-evaluation of a batch.
func (c *Core) work() {
	c.decideSuperseded()
	for n, ok := c.timers.Due(c.now); ok; n, ok = c.timers.Due(c.now) {
		c.onTimer(n)
	}
	if len(c.broken) > 0 {
		c.batch = min(max(2*c.batch, firstReroutes), maxReroutes)
		c.reevaluateSome(&c.broken, c.batch)
	} else {
		c.batch = 0
		c.reevaluateSome(&c.queue, maxReevaluations)
	}
	c.plan()
}

// reevaluateSome re-evaluates the head of a list, which may grow meanwhile.
func (c *Core) reevaluateSome(list *[]uint32, limit int) {
	for ; limit > 0 && len(*list) > 0; limit-- {
		next := (*list)[0]
		*list = (*list)[1:]
		c.reevaluate(next)
	}
	if len(*list) == 0 {
		*list = nil
	}
}

// more reports whether intents are still to be re-evaluated.
func (c *Core) more() bool { return c.scan.pending() || len(c.broken)+len(c.queue) > 0 }

func (c *Core) wake() time.Time { return earlier(c.timers.Next(), c.planner.wake(c.now)) }

// enqueue queues intents for re-evaluation, in the order of their numbers.
func (c *Core) enqueue(list []uint32) {
	c.queue = append(c.queue, inOrder(list)...)
}
