package forward

import "github.com/weirnet/weir/hashtab"

// pairTable holds the pairs of one ingress switch.
type pairTable struct{ hashtab.Table[pair, flow] }

// spread mixes a pair's bits; the top ones choose the part of a table, the low ones the slot.
func (p pair) spread() uint64 {
	h := (p.src ^ p.dst<<32 ^ p.dst>>32) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	h += p.dst * 0xc2b2ae3d27d4eb4f
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// get looks a pair up.
func (t *pairTable) get(pr pair) (flow, bool) { return t.Get(pr.spread(), pr) }

// put sets a pair's flow and returns the one it had.
func (t *pairTable) put(pr pair, fl flow) (old flow, had bool) { return t.Put(pr.spread(), pr, fl) }

// remove takes a pair out.
func (t *pairTable) remove(pr pair) { t.Remove(pr.spread(), pr) }
