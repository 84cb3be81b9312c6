package intent

import (
	"hash/maphash"
	"time"

	"github.com/weirnet/weir/intent/conflict"
	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/timerq"
	"github.com/weirnet/weir/topology"
)

// Core is the deterministic part: from durable intents, the network, confirmations of switches and
// the time it computes what switches should hold. It is owned by one goroutine and does no I/O.
//
// It knows what has happened, and in which order things are done; each of its parts has one thing to keep,
// and knows none that stands below it here.
type Core struct {
	step    *step
	network *paths.Network
	entries *entries

	registry  *paths.Registry       // the paths, and who takes them
	status    *paths.Status         // whether their links work
	conflicts *conflict.Index       // the rules that may be in switches
	tags      *tags                 // by which packets of wide intents are known
	ports     switchPorts           // of all switches, as of the last step
	hosts     *hostIndex            // who depends on a host
	refusals  *refusals             // which switches paths avoid
	queue     *reevaluations        // who is to be evaluated again
	waiting   *waiting              // who has no rules, and what would help
	timers    *timerq.Times[uint32] // when to look at intents, by number

	compiler    *compiler    // content -> rule set
	decisions   *decisions   // rule set <-> journal
	progress    *progress    // -> states
	transitions *transitions // rule set after rule set -> orders
	planner     *planner     // whose path could be better
	decider     *decider     // what is to be done about an intent

	counts CoreCounts // as of the end of the last step
	ready  Ready
}

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
	Wide     []uint32 // intents that have come to be wide by hosts: what their contents do not say
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

// NewCore returns an empty core.
func NewCore() *Core {
	c := &Core{step: &step{}, network: &paths.Network{}, entries: &entries{}, registry: paths.NewRegistry(),
		timers: &timerq.Times[uint32]{}, ports: switchPorts{make(map[netview.DPID]*netview.Switch)},
		queue: &reevaluations{uprooted: make(map[uint32]bool)}}
	moves, restorer := new(pathing.Moves), pathing.NewRestorer()
	c.status = paths.NewStatus(c.registry, c.network)
	c.conflicts = conflict.NewIndex(maphash.MakeSeed(), c.registry, c.entries.ruleSets)
	c.hosts = &hostIndex{entries: c.entries, network: c.network, users: make(map[netview.HostID]*paths.Users)}
	c.refusals = &refusals{settings: DefaultSettings, timers: c.timers, byNumber: make(map[uint32]*refusal)}
	c.waiting = &waiting{entries: c.entries, queue: c.queue, forSwitch: make(map[netview.DPID][]uint32),
		blocked: make(map[uint32][]uint32)}
	c.tags = &tags{entries: c.entries, network: c.network, registry: c.registry, ids: pathing.NewTags(),
		byHosts: make(map[uint32]bool)}
	c.compiler = &compiler{step: c.step, network: c.network, registry: c.registry, restorer: restorer, tags: c.tags}
	c.decisions = &decisions{entries: c.entries, compiler: c.compiler}
	c.progress = &progress{step: c.step, entries: c.entries, registry: c.registry, lost: make(map[uint32]int)}
	c.transitions = &transitions{step: c.step, entries: c.entries, registry: c.registry, status: c.status,
		conflicts: c.conflicts, tags: c.tags, progress: c.progress, decisions: c.decisions, waiting: c.waiting,
		timers: c.timers, moves: moves}
	c.planner = &planner{entries: c.entries, network: c.network, registry: c.registry, status: c.status, moves: moves,
		restorer: restorer}
	c.decider = &decider{step: c.step, entries: c.entries, network: c.network, registry: c.registry, status: c.status,
		conflicts: c.conflicts, tags: c.tags, hosts: c.hosts, refusals: c.refusals, waiting: c.waiting, compiler: c.compiler,
		progress: c.progress, transitions: c.transitions, timers: c.timers}
	return c
}

// load adds an intent from the journal; the first step evaluates it.
func (c *Core) load(n uint32, content string, s *spec.Spec) {
	e := c.entries.At(n)
	e.content, e.kind, e.state = content, s.Kind, Submitted
	c.tags.contentIs(n, e, s)
	c.hosts.watch(n, s)
}

// unload undoes load, before the first step. The decision stays, for another content.
func (c *Core) unload(n uint32) {
	e := c.entries.At(n)
	c.decisions.shelve(n, e)
	c.hosts.unwatch(n, e)
	*e = coreEntry{flags: e.flags & saved}
}

// Step processes what has happened. The first step needs in.Network.
func (c *Core) Step(in *Input, now time.Time) *Ready {
	c.step.begin(now)
	c.scanRest()
	if c.entries.restoring+c.transitions.interim == 0 { // else a path without users may still be referred to
		c.registry.Sweep()
	}
	if in.Network != nil {
		c.applyUpdate(in.Network)
	}
	for _, n := range in.Wide {
		if e := c.entries.At(n); c.tags.wideByHosts(n, e) {
			c.timers.Add(now, n)
		}
	}
	if c.status.Pending() && len(c.queue.broken) > 0 && len(in.Commits)+len(in.Outcomes) == 0 {
		for n := range c.queue.first() {
			c.reevaluate(n)
		}
		return c.result()
	}
	c.scanRest()
	for i := range in.Commits {
		c.decider.apply(in.Commits[i].Number, in.Commits[i].Content)
	}
	for i := range in.Outcomes {
		c.outcome(&in.Outcomes[i])
	}
	c.work()
	return c.result()
}

// result returns what the step has decided.
func (c *Core) result() *Ready {
	s := c.step
	s.counts.Orders += uint64(len(s.orders))
	s.counts.Routes, s.counts.Moving = c.registry.Len(), c.planner.moves.Taken()
	c.counts = s.counts
	c.ready = Ready{Orders: s.orders, Updates: s.updates, Wake: earlier(c.timers.Next(), c.planner.wake(s.now)), More: c.more()}
	return &c.ready
}

// more reports whether intents are still to be re-evaluated.
func (c *Core) more() bool { return c.status.Pending() || c.queue.left() }

// outcome handles the outcome of an order.
func (c *Core) outcome(o *ruleset.Outcome) {
	n := o.Rules.Number
	e := c.entries.At(n)
	if e.content == "" {
		return
	}
	desired := o.Rules == e.rules
	switch {
	case o.Result == ruleset.Installed && desired:
		if !c.transitions.confirm(n, e, o.Rule) {
			c.progress.regained(n)
		}
	case o.Result == ruleset.Refused && desired:
		c.decider.refused(n, e, o)
	case o.Result == ruleset.Removed, o.Result == ruleset.Refused:
		c.transitions.removed(n, e, o)
	case o.Result == ruleset.Lost && desired:
		c.progress.lostRule(n)
	case o.Result == ruleset.Ended:
		panic("intent: a rule of an intent has ended by a time-out: intents order none that have any")
	}
}

// work does what has arisen from the inputs: decisions, due timers, re-evaluation of a batch.
func (c *Core) work() {
	c.decideSuperseded()
	for n, ok := c.timers.Due(c.step.now); ok; n, ok = c.timers.Due(c.step.now) {
		c.onTimer(n)
	}
	if c.tags.takeFreed() {
		c.waiting.retryPathless()
	}
	for n := range c.queue.portion() {
		c.reevaluate(n)
	}
	c.plan()
}

// decideSuperseded decides about the intents whose content has changed during a transition that is
// complete now.
func (c *Core) decideSuperseded() {
	for n := range c.transitions.takeSuperseded() {
		c.decider.decide(n, byRequest)
	}
}

// onTimer does what is due for an intent.
func (c *Core) onTimer(n uint32) {
	e := c.entries.At(n)
	if e.content == "" {
		return
	}
	if e.transition != nil {
		if c.transitions.onTimer(n, e) {
			c.decider.decide(n, byFailure)
		}
		if e.transition != nil {
			c.transitions.retire(n, e)
		}
	}
	if c.tags.mustMove(e) {
		c.planner.add(n)
	}
	c.decider.retryRefused(n, e)
}

// reevaluate checks an intent against the current network, and changes its path if necessary.
func (c *Core) reevaluate(n uint32) { c.decider.reevaluate(n, c.queue.takeUprooted(n)) }

// plan starts transitions to better paths, as long as there are places for them.
func (c *Core) plan() {
	for _, n := range c.tags.takeRevoked() {
		c.planner.add(n)
	}
	if c.planner.idle() && !c.more() && c.planner.due(c.step.now) {
		c.planner.queueSuboptimal(c.step.now)
	}
	for n, ok := c.planner.next(); ok; n, ok = c.planner.next() {
		c.decider.optimise(n)
	}
}
