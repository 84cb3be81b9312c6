package forward

// pairTable holds the pairs of one ingress switch. A packet-in costs it one look at one place of memory, where a map
// takes two and splits as it grows: with a million pairs each look is a cache miss, and they are most of what a packet-in
// costs. The table is cut into shards that grow one at a time, so that no packet waits for all of it. Entries hold no pointers.
// The zero table is empty.
type pairTable struct {
	shards [pairShards]pairShard
	n      int
}

const (
	pairShards   = 64
	pairShardMin = 8 // entries of the smallest shard
)

// pairShard is an open-addressed table with linear probing; the length of slots is 0 or a power of two.
type pairShard struct {
	slots []pairSlot
	n     int
}

type pairSlot struct {
	pr   pair
	fl   flow
	used bool
}

// spread mixes a pair's bits; the top ones choose the shard, the low ones the slot.
func (p pair) spread() uint64 {
	h := (p.src ^ p.dst<<32 ^ p.dst>>32) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	h += p.dst * 0xc2b2ae3d27d4eb4f
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

func (t *pairTable) shard(h uint64) *pairShard { return &t.shards[h>>58] }

// find is the slot of a pair, or the free one where it would go. There is always a free one.
func (s *pairShard) find(pr pair, h uint64) int {
	mask := len(s.slots) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		if e := &s.slots[i]; !e.used || e.pr == pr {
			return i
		}
	}
}

// len is the number of pairs.
func (t *pairTable) len() int { return t.n }

// get looks a pair up.
func (t *pairTable) get(pr pair) (flow, bool) {
	h := pr.spread()
	s := t.shard(h)
	if s.n == 0 {
		return flow{}, false
	}
	e := &s.slots[s.find(pr, h)]
	return e.fl, e.used
}

// put sets a pair's flow and returns the one it had.
func (t *pairTable) put(pr pair, fl flow) (old flow, had bool) {
	h := pr.spread()
	s := t.shard(h)
	if 4*(s.n+1) > 3*len(s.slots) {
		s.grow()
	}
	e := &s.slots[s.find(pr, h)]
	old, had = e.fl, e.used
	*e = pairSlot{pr: pr, fl: fl, used: true}
	if !had {
		s.n++
		t.n++
	}
	return old, had
}

// grow doubles a shard.
func (s *pairShard) grow() {
	before := s.slots
	s.slots = make([]pairSlot, max(2*len(before), pairShardMin))
	for i := range before {
		if e := &before[i]; e.used {
			s.slots[s.find(e.pr, e.pr.spread())] = *e
		}
	}
}

// remove takes a pair out. What was pushed on by it moves back, so that no search ends too early.
func (t *pairTable) remove(pr pair) {
	h := pr.spread()
	s := t.shard(h)
	if s.n == 0 {
		return
	}
	hole := s.find(pr, h)
	if !s.slots[hole].used {
		return
	}
	s.n--
	t.n--
	if s.n == 0 {
		s.slots = nil
		return
	}
	mask := len(s.slots) - 1
	for i := (hole + 1) & mask; s.slots[i].used; i = (i + 1) & mask {
		home := int(s.slots[i].pr.spread()) & mask
		if (i-home)&mask >= (i-hole)&mask {
			s.slots[hole] = s.slots[i]
			hole = i
		}
	}
	s.slots[hole] = pairSlot{}
}

// each calls fn for every pair, until it returns false. The order depends on the pairs that are and were there, and on
// nothing else. The table must not change meanwhile.
func (t *pairTable) each(fn func(pair, flow) bool) {
	for i := range t.shards {
		for j := range t.shards[i].slots {
			if e := &t.shards[i].slots[j]; e.used && !fn(e.pr, e.fl) {
				return
			}
		}
	}
}
