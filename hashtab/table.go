package hashtab

// Table holds entries by hash. The zero Table is empty.
type Table[K comparable, V any] struct {
	parts [parts]part[K, V]
	len   int
}

const (
	parts = 64
	least = 8 // slots of the smallest part
)

// part is an open-addressed table; the length of slots is 0 or a power of two.
type part[K comparable, V any] struct {
	slots []slot[K, V]
	used  int
}

type slot[K comparable, V any] struct {
	key   K
	value V
	tag   uint32 // the low bits of the hash, and taken; 0: free
}

const taken = 1 << 31

// writtenFirst is how far apart, in slots, new memory is written before anything of it is read: closer than
// pages are. Memory from the kernel that is read first is mapped twice, and the second time interrupts all
// cores of the process: a quarter of what a packet-in of a new pair took.
const writtenFirst = 16

// part chooses by the highest bits of the hash; the lowest choose the slot.
func (t *Table[K, V]) part(hash uint64) (p *part[K, V], tag uint32) {
	return &t.parts[hash>>58], uint32(hash) | taken
}

// Len is the number of entries.
func (t *Table[K, V]) Len() int { return t.len }

// find is the slot of a key, or the free one where it would go. The part has slots.
func (p *part[K, V]) find(tag uint32, key K) int {
	mask := len(p.slots) - 1
	for i := int(tag) & mask; ; i = (i + 1) & mask {
		if s := &p.slots[i]; s.tag == tag && s.key == key || s.tag == 0 {
			return i
		}
	}
}

// Get returns the value of a key.
func (t *Table[K, V]) Get(hash uint64, key K) (value V, ok bool) {
	p, tag := t.part(hash)
	if p.used == 0 {
		return value, false
	}
	s := &p.slots[p.find(tag, key)]
	return s.value, s.tag != 0
}

// Put sets the value of a key and returns the one that it had.
func (t *Table[K, V]) Put(hash uint64, key K, value V) (old V, had bool) {
	p, tag := t.part(hash)
	p.reserve()
	s := &p.slots[p.find(tag, key)]
	if old, had = s.value, s.tag != 0; !had {
		p.used++
		t.len++
	}
	*s = slot[K, V]{key, value, tag}
	return old, had
}

// Add adds an entry without a search for its key, which may then be there several times.
func (t *Table[K, V]) Add(hash uint64, key K, value V) {
	p, tag := t.part(hash)
	p.reserve()
	p.add(&slot[K, V]{key, value, tag})
	p.used++
	t.len++
}

func (p *part[K, V]) add(s *slot[K, V]) {
	mask := len(p.slots) - 1
	i := int(s.tag) & mask
	for p.slots[i].tag != 0 {
		i = (i + 1) & mask
	}
	p.slots[i] = *s
}

// reserve makes room for one more entry.
func (p *part[K, V]) reserve() {
	if 4*(p.used+1) <= 3*len(p.slots) {
		return
	}
	old := p.slots
	p.slots = make([]slot[K, V], max(least, 2*len(old)))
	for i := 0; i < len(p.slots); i += writtenFirst {
		p.slots[i].tag = 0
	}
	for i := range old {
		if old[i].tag != 0 {
			p.add(&old[i])
		}
	}
}

// Remove removes one entry of a key, and reports whether there was one.
func (t *Table[K, V]) Remove(hash uint64, key K) bool {
	p, tag := t.part(hash)
	if p.used == 0 {
		return false
	}
	free := p.find(tag, key)
	if p.slots[free].tag == 0 {
		return false
	}
	t.len--
	if p.used--; p.used == 0 {
		p.slots = nil
		return true
	}
	mask := len(p.slots) - 1
	for i := (free + 1) & mask; p.slots[i].tag != 0; i = (i + 1) & mask {
		if home := int(p.slots[i].tag) & mask; (i-home)&mask >= (i-free)&mask {
			p.slots[free] = p.slots[i]
			free = i
		}
	}
	p.slots[free] = slot[K, V]{}
	return true
}

// Find yields the keys that may be of a hash, until it is told to stop: the caller compares.
func (t *Table[K, V]) Find(hash uint64, yield func(K) bool) {
	p, tag := t.part(hash)
	if p.used == 0 {
		return
	}
	mask := len(p.slots) - 1
	for i := int(tag) & mask; p.slots[i].tag != 0; i = (i + 1) & mask {
		if p.slots[i].tag == tag && !yield(p.slots[i].key) {
			return
		}
	}
}

// All yields every entry, until it is told to stop. The table must not change meanwhile.
func (t *Table[K, V]) All(yield func(K, V) bool) {
	for i := range t.parts {
		for j := range t.parts[i].slots {
			if s := &t.parts[i].slots[j]; s.tag != 0 && !yield(s.key, s.value) {
				return
			}
		}
	}
}
