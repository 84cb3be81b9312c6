package journal

// Count counts the live records in the blocks of a journal, for instance in a backup. Blocks are
// added in the order of their keys.
type Count struct{ live map[uint32]struct{} }

// Block adds the value of a block. The error wraps ErrDamaged.
func (c *Count) Block(value []byte) error {
	if c.live == nil {
		c.live = make(map[uint32]struct{})
	}
	return walk(value, func(r Record, _, _ int) {
		if r.Delete {
			delete(c.live, r.Number)
			return
		}
		c.live[r.Number] = struct{}{}
	})
}

// Len is the number of live records.
func (c *Count) Len() int { return len(c.live) }
