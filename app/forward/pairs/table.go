package pairs

import (
	"slices"

	"github.com/weirnet/weir/hashtab"
)

// Flow is a pair's path, or 0 if both ends are on the same switch, and its port out of its ingress switch.
type Flow struct {
	Path  uint32
	Out   uint32
	Epoch uint32 // of the session that its rule was sent on
}

// Table holds the pairs of one ingress switch. The zero Table is empty.
type Table struct{ flows hashtab.Table[Pair, Flow] }

// spread mixes a pair's bits; the top ones choose the part of a table, the low ones the slot.
func (p Pair) spread() uint64 {
	h := (p.src ^ p.dst<<32 ^ p.dst>>32) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	h += p.dst * 0xc2b2ae3d27d4eb4f
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// Get looks a pair up.
func (t *Table) Get(pr Pair) (Flow, bool) { return t.flows.Get(pr.spread(), pr) }

// Put sets a pair's flow and returns the one it had.
func (t *Table) Put(pr Pair, fl Flow) (old Flow, had bool) { return t.flows.Put(pr.spread(), pr, fl) }

// Remove takes a pair out.
func (t *Table) Remove(pr Pair) { t.flows.Remove(pr.spread(), pr) }

// Len is the number of pairs.
func (t *Table) Len() int { return t.flows.Len() }

// All yields every pair, in no order. The table must not change meanwhile.
func (t *Table) All(yield func(Pair, Flow) bool) { t.flows.All(yield) }

// Where returns the pairs for which wanted is true, in a fixed order.
func (t *Table) Where(wanted func(Pair, Flow) bool) (list []Pair) {
	t.flows.All(func(pr Pair, fl Flow) bool {
		if wanted(pr, fl) {
			list = append(list, pr)
		}
		return true
	})
	slices.SortFunc(list, Pair.Compare)
	return list
}
