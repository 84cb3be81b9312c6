package netview

import (
	"iter"

	"github.com/tidwall/btree"
)

// degree of the B-trees: nodes have up to 2*degree-1 entries. Every transaction copies the nodes on
// its way once; small nodes make that cheap.
const degree = 8

// entry is a row under its key.
type entry[K, R any] struct {
	key K
	row *R
}

// rows is a published table: an ordered, immutable map from K to *R. Reading it is free of locks
// and of writes.
type rows[K, R any] struct {
	tree *btree.BTreeG[entry[K, R]]
}

func (r rows[K, R]) get(key K) (*R, bool) {
	e, ok := r.tree.Get(entry[K, R]{key: key})
	return e.row, ok
}

func (r rows[K, R]) len() int { return r.tree.Len() }

// all yields every row in order of key.
func (r rows[K, R]) all() iter.Seq[*R] {
	return func(yield func(*R) bool) {
		r.tree.Scan(func(e entry[K, R]) bool { return yield(e.row) })
	}
}

// from yields the rows from a key on, for as long as in is true.
func (r rows[K, R]) from(first K, in func(K) bool) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		r.ascend(first, func(k K, row *R) bool { return in(k) && yield(row) })
	}
}

func (r rows[K, R]) ascend(first K, visit func(K, *R) bool) {
	r.tree.Ascend(entry[K, R]{key: first}, func(e entry[K, R]) bool { return visit(e.key, e.row) })
}

// table is the working side of a table. Only a transaction touches it, under the view's write lock.
type table[K, R any] struct {
	rows[K, R] // the working state, ahead of what is published
	published  rows[K, R]
	dirty      bool
}

func newTable[K, R any](compare func(a, b K) int) table[K, R] {
	less := func(a, b entry[K, R]) bool { return compare(a.key, b.key) < 0 }
	t := table[K, R]{rows: rows[K, R]{btree.NewBTreeGOptions(less, btree.Options{Degree: degree, NoLocks: true})}}
	t.dirty = true
	t.publish()
	return t
}

func (t *table[K, R]) put(key K, row *R) (old *R) {
	t.dirty = true
	e, _ := t.tree.Set(entry[K, R]{key, row})
	return e.row
}

// remove returns the row that was there, nil if there was none.
func (t *table[K, R]) remove(key K) (old *R) {
	e, removed := t.tree.Delete(entry[K, R]{key: key})
	t.dirty = t.dirty || removed
	return e.row
}

// publish returns the working state as an immutable table.
func (t *table[K, R]) publish() rows[K, R] {
	if t.dirty {
		t.published = rows[K, R]{t.tree.Copy()}
		t.dirty = false
	}
	return t.published
}

// rollback goes back to what is published.
func (t *table[K, R]) rollback() {
	if t.dirty {
		t.tree = t.published.tree.Copy()
		t.dirty = false
	}
}
