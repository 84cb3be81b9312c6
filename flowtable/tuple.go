package flowtable

import (
	"math/bits"
	"slices"
	"sort"
)

// tuple are the entries of a table that have one mask: a hash table by open addressing of the first
// entry of each match, the others of that match in a list behind it by falling priority.
type tuple struct {
	maskedWords
	slots      []slot // a power of two; at most half of them are taken
	seed       uint64
	shift      uint8  // hash>>shift is a slot
	best       uint16 // the highest priority
	matches    int    // slots that are taken
	size       int    // entries
	priorities []priority
}

// slot is one place of the hash table; without an entry it is free.
type slot struct {
	hash uint64
	*entry
}

// priority counts the entries of one priority.
type priority struct {
	value uint16
	n     int32
}

const firstSlots = 4

func newTuple(mask *words, seed uint64) *tuple {
	t := &tuple{maskedWords: choose(mask), seed: seed}
	t.resize(firstSlots)
	return t
}

// find is the entry of the highest priority that matches.
func (t *tuple) find(k *words) *entry {
	h := t.hash(t.seed, k)
	for i := h >> t.shift; ; i++ {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		if s.entry == nil {
			return nil
		}
		if s.hash == h && t.same(s.entry.key, k) {
			return s.entry
		}
	}
}

// exact is the entry with this match and priority.
func (t *tuple) exact(value *words, priority uint16) *entry {
	e := t.find(value)
	for e != nil && e.priority > priority {
		e = e.next
	}
	if e == nil || e.priority != priority {
		return nil
	}
	return e
}

// insert adds an entry with the match value. None with its match and priority may be there.
func (t *tuple) insert(e *entry, value *words) {
	e.tuple, e.hash = t, t.hash(t.seed, value)
	if e.key = e.room[:0]; len(t.words) > len(e.room) {
		e.key = make([]uint64, 0, len(t.words))
	}
	e.key = e.key[:len(t.words)]
	t.copy(e.key, value)
	t.size++
	t.countPriority(e.priority, 1)
	if 2*(t.matches+1) > len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	s := t.slotOf(e)
	if s.entry == nil {
		s.hash, s.entry = e.hash, e
		t.matches++
		return
	}
	at := &s.entry
	for *at != nil && (*at).priority > e.priority {
		at = &(*at).next
	}
	e.next, *at = *at, e
}

// slotOf is the slot of the entry's match, or the free one for it.
func (t *tuple) slotOf(e *entry) *slot {
	for i := e.hash >> t.shift; ; i++ {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		if s.entry == nil || s.hash == e.hash && slices.Equal(s.entry.key, e.key) {
			return s
		}
	}
}

// remove takes an entry out.
func (t *tuple) remove(e *entry) {
	t.size--
	t.countPriority(e.priority, -1)
	s := t.slotOf(e)
	at := &s.entry
	for *at != e {
		at = &(*at).next
	}
	*at = e.next
	e.next, e.tuple = nil, nil
	if s.entry == nil {
		t.matches--
		t.close(e.hash)
	}
}

// close moves entries that were pushed aside back over the slot that has become free, so that no
// search ends at it too early. It begins to look where the hash of the entry that went points.
func (t *tuple) close(hash uint64) {
	m := uint64(len(t.slots) - 1)
	i := hash >> t.shift & m
	for t.slots[i].entry != nil {
		i = (i + 1) & m
	}
	for j := (i + 1) & m; t.slots[j].entry != nil; j = (j + 1) & m {
		home := t.slots[j].hash >> t.shift & m
		if (j-home)&m >= (j-i)&m {
			t.slots[i] = t.slots[j]
			t.slots[j] = slot{}
			i = j
		}
	}
}

// resize makes n slots.
func (t *tuple) resize(n int) {
	old := t.slots
	t.slots, t.shift = make([]slot, n), uint8(64-bits.Len(uint(n-1)))
	for _, s := range old {
		if s.entry != nil {
			*t.slotOf(s.entry) = s
		}
	}
}

// countPriority keeps the counts of priorities, the highest first, and best.
func (t *tuple) countPriority(p uint16, by int32) {
	i := sort.Search(len(t.priorities), func(i int) bool { return t.priorities[i].value <= p })
	if i == len(t.priorities) || t.priorities[i].value != p {
		t.priorities = slices.Insert(t.priorities, i, priority{p, 0})
	}
	if t.priorities[i].n += by; t.priorities[i].n == 0 {
		t.priorities = slices.Delete(t.priorities, i, i+1)
	}
	if len(t.priorities) > 0 {
		t.best = t.priorities[0].value
	}
}

// each is an iterator over all entries. The tuple must not change meanwhile.
func (t *tuple) each(yield func(*entry) bool) {
	for i := range t.slots {
		for e := t.slots[i].entry; e != nil; e = e.next {
			if !yield(e) {
				return
			}
		}
	}
}
