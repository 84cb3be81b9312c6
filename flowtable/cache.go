package flowtable

import "math/bits"

// cache remembers what look-ups in a table found, nothing too. Its key are the bits that any entry
// of the table looks at: packets that agree in those find the same entry. Every change of the
// table's entries forgets all of it.
//
// It begins small and grows while packets push each other out, so that a switch with few flows
// stays small; where even the biggest does not help, it is passed by for a while.
type cache struct {
	maskedWords          // by all tuples together
	keys        []uint64 // len(words) for each slot
	slots       []cached
	shift       uint8
	round       uint32 // slots of other rounds are free; 0 is no round
	fits        bool   // mask is that of the tuples

	tries, hits, pushed uint32 // since the last judgement
	passBy              uint32 // look-ups to come that do without
}

// cached is what was found for a key; nil for nothing.
type cached struct {
	round uint32
	entry *entry
}

// Sizes of caches, and when they are judged. A table of fewer tuples than cacheFrom is as quick
// without.
const (
	cacheFrom   = 3
	cacheFirst  = 64
	cacheMost   = 2048 // some 100 KB
	cacheGrows  = 4
	judgedAfter = 4 // look-ups a slot
	passedBy    = 1 << 16
)

// lookup is the entry of the highest priority that matches, as find.
func (t *table) lookup(k *words) *entry {
	if len(t.tuples) < cacheFrom {
		return t.find(k)
	}
	c := &t.cache
	if c.passBy > 0 {
		c.passBy--
		return t.find(k)
	}
	if !c.fits {
		c.fit(t)
	}
	i := int(c.hash(mix2, k) >> c.shift)
	s, key := &c.slots[i], c.keys[i*len(c.words):][:len(c.words)]
	c.tries++
	if s.round == c.round {
		if c.same(key, k) {
			c.hits++
			return s.entry
		}
		c.pushed++
	}
	e := t.find(k)
	s.round, s.entry = c.round, e
	c.copy(key, k)
	if c.tries >= judgedAfter*uint32(len(c.slots)) {
		c.judge()
	}
	return e
}

// forget empties the cache. What is known of its usefulness stays. Slots of old rounds hold entries
// that may be gone: after as many rounds as there are slots they are let go, which costs one slot a
// round.
func (c *cache) forget() {
	if c.round++; c.round&uint32(max(len(c.slots), 1)-1) == 0 {
		clear(c.slots)
		c.round = max(c.round, 1)
	}
}

// fit makes the cache one for the masks that the table has now.
func (c *cache) fit(t *table) {
	var all words
	for _, u := range t.tuples {
		for i, m := range u.mask {
			all[i] |= m
		}
	}
	c.fits = true
	if all == c.mask && len(c.slots) > 0 {
		return
	}
	c.maskedWords = choose(&all)
	c.resize(max(len(c.slots), cacheFirst))
}

func (c *cache) resize(n int) {
	c.slots, c.keys = make([]cached, n), make([]uint64, n*len(c.words))
	c.shift, c.round = uint8(64-bits.Len(uint(n-1))), 1
}

// judge looks at how the cache did.
func (c *cache) judge() {
	switch {
	case c.pushed > c.tries/8 && len(c.slots) < cacheMost:
		c.resize(min(cacheGrows*len(c.slots), cacheMost))
	case c.hits < c.tries/8:
		c.passBy = passedBy
	}
	c.tries, c.hits, c.pushed = 0, 0, 0
}
