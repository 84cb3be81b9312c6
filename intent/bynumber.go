package intent

const entriesInBlock = 1024

// byNumber has an entry for each number of an intent, in blocks that never move.
type byNumber[E any] struct{ blocks []*[entriesInBlock]E }

// at returns the entry of a number, used or not.
func (t *byNumber[E]) at(n uint32) *E {
	for n >= t.end() {
		t.blocks = append(t.blocks, new([entriesInBlock]E))
	}
	return &t.blocks[n/entriesInBlock][n%entriesInBlock]
}

// end returns a number that all entries are below.
func (t *byNumber[E]) end() uint32 { return uint32(len(t.blocks) * entriesInBlock) }
