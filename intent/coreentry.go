package intent

import (
	"github.com/weirnet/weir/intent/spec"
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
	pathless                      // in Core.noPath
	unsaved                       // in Core.dirty
	saved                         // its decision is in the journal, or being written
	restorable                    // its rule set was loaded from the journal and has not been ordered yet
	candidate                     // in planner.queue
)

func (e *coreEntry) has(m flags) bool { return e.flags&m != 0 }
