package journal

// Count counts the records that are live in a journal's blocks, which are given in the order of their keys: in a backup, say.
type Count struct{ live map[uint32]struct{} }

// Block takes the value of a block. The error is ErrDamaged, wrapped.
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

// Len is how many are live.
func (c *Count) Len() int { return len(c.live) }
