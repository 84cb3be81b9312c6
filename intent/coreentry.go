package intent

import (
	"iter"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/numbered"
	"github.com/weirnet/weir/ruleset"
)

// coreEntry is what the core keeps of one intent: 48 bytes, and what it points to.
type coreEntry struct {
	content    string       // "" in an unused entry
	rules      *ruleset.Set // the desired rules; nil without any
	transition *transition  // nil while nothing changes
	version    uint16       // of the last rule set
	kind       spec.Kind
	state      State
	code       Code
	// flags are properties of an entry.
	flags flags
}

// flags are notes on an entry.
type flags uint8

const (
	withdrawing flags = 1 << iota // withdrawn
	pathless                      // in waiting.noPath
	unsaved                       // in decisions.dirty
	saved                         // its decision is in the journal, or being written
	restorable                    // its rule set was loaded from the journal and has not been ordered yet
	candidate                     // in planner.queue
	wide                          // its packets have to carry tags on links between switches (tags)
)

func (e *coreEntry) has(m flags) bool { return e.flags&m != 0 }

// entries are what the core keeps of intents, by number.
type entries struct {
	numbered.Table[coreEntry]
	restoring int // entries with the flag restorable
}

// setRestorable notes that the rule set of an entry was loaded and is not ordered yet.
func (t *entries) setRestorable(e *coreEntry) {
	if !e.has(restorable) {
		e.flags |= restorable
		t.restoring++
	}
}

// clearRestorable undoes setRestorable.
func (t *entries) clearRestorable(e *coreEntry) {
	if e.has(restorable) {
		e.flags &^= restorable
		t.restoring--
	}
}

// ruleSets yields the rule sets of an intent that may have rules in switches: the desired one and the
// retiring ones.
func (t *entries) ruleSets(n uint32) iter.Seq[*ruleset.Set] {
	return func(yield func(*ruleset.Set) bool) {
		e := t.At(n)
		if e.rules != nil && !e.has(restorable) && !yield(e.rules) || e.transition == nil {
			return
		}
		for i := range e.transition.retiring {
			if !yield(e.transition.retiring[i].rules) {
				return
			}
		}
	}
}

// holds reports whether an intent has one of these along a route.
func (t *entries) holds(n uint32, r *ruleset.Route) bool {
	for g := range t.ruleSets(n) {
		if g.Takes(r) {
			return true
		}
	}
	return false
}

// inOrder sorts numbers, and drops those that are there twice.
func inOrder(list []uint32) []uint32 {
	slices.Sort(list)
	return slices.Compact(list)
}
