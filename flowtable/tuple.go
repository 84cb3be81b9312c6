package flowtable

import (
	"math/bits"
	"slices"
	"sort"
)

// tuple are the entries of a table that have one mask: a hash table by open addressing of the first entry of each match, the others of
// that match in a list behind it by falling priority.
type tuple struct {
	mask       words
	words      []uint8  // which words have bits in mask
	masks      []uint64 // those of mask
	slots      []slot   // a power of two; at most half of them are taken
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
	t := &tuple{mask: *mask, seed: seed}
	n := 0
	for _, m := range mask {
		if m != 0 {
			n++
		}
	}
	t.words, t.masks = make([]uint8, 0, n), make([]uint64, 0, n)
	for i, m := range mask {
		if m != 0 {
			t.words, t.masks = append(t.words, uint8(i)), append(t.masks, m)
		}
	}
	t.resize(firstSlots)
	return t
}

// Odd constants with as many ones as zeros; any would do.
const (
	mix1 = 0x9e3779b97f4a7c15
	mix2 = 0xd1b54a32d192ed03
)

// mix folds two words into a hash by a multiplication of 128 bits.
func mix(h, a, b uint64) uint64 {
	hi, lo := bits.Mul64(h^a^mix1, b^mix2)
	return hi ^ lo
}

// hash is the hash of the words that the tuple looks at.
func (t *tuple) hash(k *words) uint64 {
	h := t.seed
	i := 0
	for ; i+1 < len(t.words); i += 2 {
		h = mix(h, k[t.words[i]%numWords]&t.masks[i], k[t.words[i+1]%numWords]&t.masks[i+1])
	}
	if i < len(t.words) {
		h = mix(h, k[t.words[i]%numWords]&t.masks[i], h)
	}
	return mix(h, 0, h)
}

// find is the entry of the highest priority that matches.
func (t *tuple) find(k *words) *entry {
	h := t.hash(k)
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

// same says whether key are the words of k that the tuple looks at.
func (t *tuple) same(key []uint64, k *words) bool {
	key = key[:len(t.words)]
	for i, w := range t.words {
		if k[w%numWords]&t.masks[i] != key[i] {
			return false
		}
	}
	return true
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
	e.tuple, e.hash = t, t.hash(value)
	e.key = make([]uint64, len(t.words))
	for i, w := range t.words {
		e.key[i] = value[w] & t.masks[i]
	}
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

// replace puts e in the place of old, which has the same match and priority.
func (t *tuple) replace(old, e *entry) {
	e.tuple, e.hash, e.key, e.next = t, old.hash, old.key, old.next
	at := &t.slotOf(old).entry
	for *at != old {
		at = &(*at).next
	}
	*at = e
	old.next, old.tuple = nil, nil
}

// close moves entries that were pushed aside back over the slot that has become free, so that no search ends at it too early. It begins to
// look where the hash of the entry that went points.
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

// each calls f for every entry until it returns false. The tuple must not change meanwhile.
func (t *tuple) each(f func(*entry) bool) bool {
	for i := range t.slots {
		for e := t.slots[i].entry; e != nil; e = e.next {
			if !f(e) {
				return false
			}
		}
	}
	return true
}
