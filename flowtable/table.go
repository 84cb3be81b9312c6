package flowtable

import "slices"

// table are the entries of one flow table.
type table struct {
	tuples []*tuple // by falling priority of their best entry
	byMask map[words]*tuple
	size   int
	seed   uint64
	heap   heap // of the entries that run out
	cache  cache
}

// tableCounts are counted also for a table that has no entry.
type tableCounts struct {
	lookups, matched uint64
	uncounted        int // entries whose counters are not known
}

func newTable(seed uint64) *table {
	return &table{byMask: make(map[words]*tuple), seed: seed}
}

// find is the entry of the highest priority that matches. Of several with that priority it is any:
// the specification leaves that open.
func (t *table) find(k *words) *entry {
	var best *entry
	for _, u := range t.tuples {
		if best != nil && best.priority >= u.best {
			break
		}
		if e := u.find(k); e != nil && (best == nil || e.priority > best.priority) {
			best = e
		}
	}
	return best
}

// exact is the entry with this match and priority.
func (t *table) exact(f *filter, priority uint16) *entry {
	if u := t.byMask[f.mask]; u != nil {
		return u.exact(&f.value, priority)
	}
	return nil
}

// insert adds an entry with the match f. None with its match and priority may be there.
func (t *table) insert(e *entry, f *filter) {
	u := t.byMask[f.mask]
	isNew := u == nil
	if isNew {
		u = newTuple(&f.mask, t.seed)
		t.byMask[f.mask] = u
		t.tuples = append(t.tuples, u)
		t.cache.fits = false
	}
	t.cache.forget()
	before := u.best
	u.insert(e, &f.value)
	if isNew || u.best != before {
		t.rank(u)
	}
	t.size++
	t.heap.add(e)
}

// remove takes an entry out.
func (t *table) remove(e *entry) {
	u, before := e.tuple, e.tuple.best
	t.cache.forget()
	t.heap.remove(e)
	u.remove(e)
	t.size--
	if u.size > 0 {
		if u.best != before {
			t.rank(u)
		}
		return
	}
	t.cache.fits = false
	delete(t.byMask, u.mask)
	i := slices.Index(t.tuples, u)
	t.tuples = slices.Delete(t.tuples, i, i+1)
}

// renew restarts an entry with the content of another, with the same match and priority. It stays
// the same entry, so that a survey or the cache holds no chain of those before.
func (t *table) renew(e *entry, as entry) {
	t.heap.remove(e)
	as.key, as.hash, as.next, as.tuple, as.room = e.key, e.hash, e.next, e.tuple, e.room
	*e = as
	t.heap.add(e)
}

// rank moves a tuple to its place after its best priority changed.
func (t *table) rank(u *tuple) {
	i := slices.Index(t.tuples, u)
	for ; i > 0 && t.tuples[i-1].best < u.best; i-- {
		t.tuples[i] = t.tuples[i-1]
	}
	for ; i+1 < len(t.tuples) && t.tuples[i+1].best > u.best; i++ {
		t.tuples[i] = t.tuples[i+1]
	}
	t.tuples[i] = u
}

// each calls f for every entry that f0 covers. The table must not change meanwhile.
func (t *table) each(f0 *filter, f func(*entry)) {
	for _, u := range t.tuples {
		switch {
		case !within(&f0.mask, &u.mask):
		case u.mask == f0.mask:
			for e := u.find(&f0.value); e != nil; e = e.next {
				f(e)
			}
		default:
			for e := range u.each {
				if e.under(f0) {
					f(e)
				}
			}
		}
	}
}

// within reports whether b has all bits of a.
func within(a, b *words) bool {
	for i := range a {
		if a[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

// under reports whether the entry's match is one that f covers. The tuple's mask covers that of f.
func (e *entry) under(f *filter) bool {
	for i, w := range e.tuple.words {
		if (e.key[i]^f.value[w])&f.mask[w] != 0 {
			return false
		}
	}
	return true
}

// overlaps reports whether an entry of this priority may match a packet that f matches.
func (t *table) overlaps(f *filter, priority uint16) bool {
	for _, u := range t.tuples {
		for e := range u.each {
			if e.priority == priority && e.meets(f) {
				return true
			}
		}
	}
	return false
}

// meets reports whether a packet may match both the entry and f.
func (e *entry) meets(f *filter) bool {
	for i, w := range e.tuple.words {
		if (e.key[i]^f.value[w])&f.mask[w]&e.tuple.masks[i] != 0 {
			return false
		}
	}
	return true
}
