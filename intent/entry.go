package intent

import (
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/program"
)

// entry is what the core knows of one intent: 48 bytes, and what it points to.
type entry struct {
	content string           // "" in an entry that is not in use
	program *program.Program // what is wanted of switches, nil if nothing is
	change  *change          // nil while nothing is under way
	version uint16           // of the last program
	kind    spec.Kind
	state   State
	code    Code
	marks   mark
}

// mark are notes on an entry.
type mark uint8

const (
	leaving   mark = 1 << iota // withdrawn
	pathless                   // in Core.stuck
	unsaved                    // in Core.dirty
	saved                      // there is a decision of it in the journal, or on its way there
	adopted                    // its program comes from the journal and has not been ordered yet
	candidate                  // in planner.queue
)

func (e *entry) has(m mark) bool { return e.marks&m != 0 }

const entriesInBlock = 1024

// entries are by number, in blocks: a block never moves.
type entries struct{ blocks []*[entriesInBlock]entry }

// at is the entry of a number, used or not.
func (t *entries) at(n uint32) *entry {
	for int(n/entriesInBlock) >= len(t.blocks) {
		t.blocks = append(t.blocks, new([entriesInBlock]entry))
	}
	return &t.blocks[n/entriesInBlock][n%entriesInBlock]
}

// last is a number that no entry exceeds.
func (t *entries) last() uint32 { return uint32(len(t.blocks) * entriesInBlock) }
