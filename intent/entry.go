package intent

import (
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/ruleset"
)

// entry is what the core keeps of one intent: 48 bytes, and what it points to.
type entry struct {
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
	pathless                      // in Core.noPath
	unsaved                       // in Core.dirty
	saved                         // its decision is in the journal, or being written
	restorable                    // its rule set was loaded from the journal and has not been ordered yet
	candidate                     // in planner.queue
)

func (e *entry) has(m flags) bool { return e.flags&m != 0 }

const entriesInBlock = 1024

// entries are stored by number, in blocks that never move.
type entries struct{ blocks []*[entriesInBlock]entry }

// at returns the entry of a number, used or not.
func (t *entries) at(n uint32) *entry {
	for int(n/entriesInBlock) >= len(t.blocks) {
		t.blocks = append(t.blocks, new([entriesInBlock]entry))
	}
	return &t.blocks[n/entriesInBlock][n%entriesInBlock]
}

// last returns a number that no entry exceeds.
func (t *entries) last() uint32 { return uint32(len(t.blocks) * entriesInBlock) }
