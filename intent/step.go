package intent

import (
	"time"

	"github.com/weirnet/weir/ruleset"
)

// step is the step that the core is taking: when, and what has come of it so far. The parts of the core
// share it.
type step struct {
	now     time.Time
	orders  []ruleset.Order
	updates []Update
	counts  CoreCounts // since the start
}

// begin begins another step.
func (s *step) begin(now time.Time) {
	s.now = now
	clear(s.orders)
	clear(s.updates)
	s.orders, s.updates = s.orders[:0], s.updates[:0]
}

func (s *step) install(g *ruleset.Set, rule int) {
	s.orders = append(s.orders, ruleset.Order{Rules: g, Rule: uint16(rule)})
}

func (s *step) remove(g *ruleset.Set, rule int) {
	s.orders = append(s.orders, ruleset.Order{Rules: g, Rule: uint16(rule), Remove: true})
}

func (s *step) update(u Update) { s.updates = append(s.updates, u) }

// CoreCounts are counters of a core since its start.
type CoreCounts struct {
	Installs, Reroutes, Moves, Withdrawals uint64 // transitions begun: new intents, after failures, hitless, withdrawals
	Orders, Refusals, Lost                 uint64 // rules
	Routes                                 int    // different paths, in use or cached
	Moving                                 int    // hitless transitions in progress
}
