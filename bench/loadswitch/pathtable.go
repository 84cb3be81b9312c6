package loadswitch

// pathTable holds pathEntries, in one piece of memory: a hash table with open addressing and linear
// probing, at most three quarters full. Its zero value is empty.
type pathTable struct {
	slots []pathEntry // a power of two; free where at is 0
	n     int
}

// pathSlotsMin is how many slots the first entry makes.
const pathSlotsMin = 64

// hash is where entries with these addresses and this port begin to be looked for. Priorities and
// tables have no part in it: all entries that a packet may meet are found from one place on.
func (t *pathTable) hash(src, dst uint32, in uint16) int {
	h := (uint64(src)<<32 | uint64(dst)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(in)) * 0xbf58476d1ce4e5b9
	return int(h>>32) & (len(t.slots) - 1)
}

// same reports whether two entries have the same place.
func (p *pathEntry) same(o *pathEntry) bool {
	return p.src == o.src && p.dst == o.dst && p.in == o.in && p.priority == o.priority && p.table == o.table
}

// find is the slot of the entry in a place; -1 if there is none.
func (t *pathTable) find(p *pathEntry) int {
	if t.n == 0 {
		return -1
	}
	for i := t.hash(p.src, p.dst, p.in); t.slots[i].at != 0; i = (i + 1) & (len(t.slots) - 1) {
		if t.slots[i].same(p) {
			return i
		}
	}
	return -1
}

// put adds an entry, or replaces the one in its place.
func (t *pathTable) put(p *pathEntry) {
	if 4*(t.n+1) > 3*len(t.slots) {
		t.grow()
	}
	i := t.hash(p.src, p.dst, p.in)
	for ; t.slots[i].at != 0; i = (i + 1) & (len(t.slots) - 1) {
		if t.slots[i].same(p) {
			t.slots[i] = *p
			return
		}
	}
	t.slots[i] = *p
	t.n++
}

func (t *pathTable) grow() {
	old := t.slots
	t.slots, t.n = make([]pathEntry, max(2*len(old), pathSlotsMin)), 0
	for i := range old {
		if old[i].at != 0 {
			t.put(&old[i])
		}
	}
}

// remove frees a slot, and moves those behind it that would not be found any more.
func (t *pathTable) remove(i int) {
	mask := len(t.slots) - 1
	for j := (i + 1) & mask; t.slots[j].at != 0; j = (j + 1) & mask {
		home := t.hash(t.slots[j].src, t.slots[j].dst, t.slots[j].in)
		if (j-home)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = pathEntry{}
	t.n--
}

// lookup is the entry with the greatest priority of a table for what comes in by a port with two
// addresses; nil if there is none.
func (t *pathTable) lookup(table uint8, in uint16, src, dst uint32) (best *pathEntry) {
	if t.n == 0 {
		return nil
	}
	for i := t.hash(src, dst, in); t.slots[i].at != 0; i = (i + 1) & (len(t.slots) - 1) {
		p := &t.slots[i]
		if p.src == src && p.dst == dst && p.in == in && p.table == table && (best == nil || p.priority > best.priority) {
			best = p
		}
	}
	return best
}
