package intent

import (
	"sync"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// Engine holds the intents of an instance. Its methods are safe for concurrent use.
type Engine struct {
	loop.Part

	config  Config
	catalog *catalog

	mu       sync.Mutex // guards what follows
	outcomes []ruleset.Outcome
	queries  []func(*Core)
	byHosts  []uint32 // intents that have come to be wide by hosts
	closed   bool

	done chan struct{}

	// Owned by who has the turn: the goroutine of Run or, for a portion, that of who prompts.
	core      *Core
	follower  *topology.Follower
	commits   []Commit // of the last turn, kept to reuse the memory
	taken     []ruleset.Outcome
	decisions decisionWriter
	guard     guard
}

// New returns an engine that has what was loaded (Config.Loaded).
func New(c Config) *Engine {
	loaded := c.Loaded
	if c.Loaded = nil; loaded == nil {
		loaded = NewLoader(c)
	}
	c.withDefaults()
	e := &Engine{config: c, done: make(chan struct{})}
	e.Part = e.part()
	e.config.wake = e.Bell.Ring
	e.config.setClock()
	e.catalog, e.core = loaded.catalog, loaded.core
	e.catalog.requests.config = &e.config
	e.follower = c.Maps.Follow()
	e.decisions.journal = c.Decisions
	e.guard = guard{rows: c.Guards, domain: c.Domain, switches: make(map[netview.DPID]bool)}
	e.Bell.Ring() // what was loaded is to be evaluated
	return e
}

// SubmitAsync submits requests; it returns an error if none was accepted. Otherwise done is called
// once, with an answer for each request, in order, when everything accepted is durable, or with the
// error of the commit. An atomic batch is accepted as a whole or not at all. The requests belong to
// the engine. done must not block; it may be called before SubmitAsync returns. Of a list longer
// than MaxAdmitted that is not atomic, some requests may be durable though done gets an error:
// those have a status in the answers.
func (e *Engine) SubmitAsync(reqs []Request, atomic bool, done func([]Answer, error)) error {
	if !atomic && len(reqs) > MaxAdmitted {
		return e.catalog.submitParts(reqs, done)
	}
	return e.catalog.submit(&batch{reqs: reqs, atomic: atomic, done: done})
}

// Get returns an intent by its id.
func (e *Engine) Get(id string) (Intent, bool) {
	return e.catalog.get(func(x *records) uint32 { return x.find(id) })
}

// Number returns an intent by its number, which is in the cookies of its rules.
func (e *Engine) Number(n uint32) (Intent, bool) {
	return e.catalog.get(func(*records) uint32 { return n })
}

// List returns intents in the order of their numbers, after a number (0: from the first), at most
// limit of those for which keep returns true (nil: all). next is the number to continue after, 0 at
// the end. Concurrent changes may or may not be seen; a list blocks no writer for long.
func (e *Engine) List(after uint32, limit int, keep func(*Intent) bool) (list []Intent, next uint32) {
	for p := range e.catalog.copies(after, 512) {
		in := p.intent()
		if keep != nil && !keep(&in) {
			continue
		}
		if len(list) == limit {
			return list, list[limit-1].Number
		}
		list = append(list, in)
	}
	return list, 0
}

// Counts are the numbers of intents by state, and totals since the start.
type Counts struct {
	ByState [states]int // indexed by State
	Totals
	InFlight int // requests that wait for the journal
	Core     CoreCounts
}

// Counts returns the current counts.
func (e *Engine) Counts() Counts {
	cat := e.catalog
	cat.mu.Lock()
	defer cat.mu.Unlock()
	return Counts{ByState: cat.records.counts, Totals: cat.requests.totals, InFlight: cat.requests.inFlight, Core: cat.core}
}

// Failed counts the failed intents by code. It looks at the entries in parts without copying them:
// a million takes milliseconds. Intents that enter or leave the state meanwhile may or may not be
// counted.
func (e *Engine) Failed() map[Code]int {
	cat := e.catalog
	counts := make(map[Code]int)
	for after := uint32(0); ; after += pageNumbers {
		cat.mu.Lock()
		for n := after + 1; n <= min(cat.records.last, after+pageNumbers); n++ {
			if cat.records.has(n) {
				if r := cat.records.entries.At(n); r.state == Failed {
					counts[r.code]++
				}
			}
		}
		last := cat.records.last
		cat.mu.Unlock()
		if last <= after+pageNumbers {
			return counts
		}
	}
}

// Changes returns the events after a revision, whole revisions, about max of them, and the revision
// to continue after. If ok is false the log does not reach back that far: call List, and continue
// after upto.
func (e *Engine) Changes(since uint64, max int) (list []Change, upto uint64, ok bool) {
	cat := e.catalog
	cat.mu.Lock()
	found, upto, ok := cat.shown.changes(since, max)
	cat.mu.Unlock()
	if len(found) > 0 {
		list = make([]Change, len(found))
	}
	for i := range found { // outside of the lock, which writers need
		list[i] = found[i].change()
	}
	return list, upto, ok
}

// Changed returns a channel that is closed as soon as there is an event after a revision.
func (e *Engine) Changed(after uint64) <-chan struct{} {
	cat := e.catalog
	cat.mu.Lock()
	defer cat.mu.Unlock()
	return cat.shown.events.Changed(after)
}

// Revision returns the revision of the newest event.
func (e *Engine) Revision() uint64 {
	cat := e.catalog
	cat.mu.Lock()
	defer cat.mu.Unlock()
	return cat.shown.events.Current
}

// promptOutcomes is how many outcomes may be handled on the goroutine that has them; more are worth another.
const promptOutcomes = 32

// OnOutcomes queues outcomes of orders. They are copied. Few are handled before it returns, if the engine has
// nothing else to do.
func (e *Engine) OnOutcomes(outcomes []ruleset.Outcome) {
	e.mu.Lock()
	if !e.closed {
		e.outcomes = append(e.outcomes, outcomes...)
	}
	few := len(e.outcomes) <= promptOutcomes
	e.mu.Unlock()
	if few {
		e.Prompt()
	} else {
		e.Bell.Ring()
	}
}
