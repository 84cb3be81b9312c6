package numbered

const entriesInBlock = 1024

// Table has an entry for each number, in blocks that never move. The zero Table is empty.
type Table[E any] struct{ blocks []*[entriesInBlock]E }

// At returns the entry of a number, used or not.
func (t *Table[E]) At(n uint32) *E {
	for n >= t.End() {
		t.blocks = append(t.blocks, new([entriesInBlock]E))
	}
	return &t.blocks[n/entriesInBlock][n%entriesInBlock]
}

// End returns a number that all entries are below.
func (t *Table[E]) End() uint32 { return uint32(len(t.blocks) * entriesInBlock) }
