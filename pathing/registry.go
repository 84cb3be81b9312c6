package pathing

import (
	"iter"

	"github.com/weirnet/weir/hashtab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/numbered"
)

// Registry has paths by number, and by a hash of what distinguishes them. P is what an engine keeps of a path: its
// hops, who uses it, cookies. The zero Registry is empty. It has one owner at a time.
type Registry[P any] struct {
	paths  numbered.Slots[*P]
	byHash hashtab.Table[uint32, struct{}] // numbers
}

// Find returns the path of a hash for which is returns true; nil without one.
func (r *Registry[P]) Find(hash uint64, is func(*P) bool) (found *P) {
	r.byHash.Find(hash, func(number uint32) bool {
		if p := r.paths.At(number); is(p) {
			found = p
		}
		return found == nil
	})
	return found
}

// Add adds a path, and returns its number, which no other has.
func (r *Registry[P]) Add(hash uint64, p *P) (number uint32) {
	number = r.paths.Add(p)
	r.byHash.Add(hash, number, struct{}{})
	return number
}

// Hide has Find not find a path any more, which keeps its number.
func (r *Registry[P]) Hide(hash uint64, number uint32) { r.byHash.Remove(hash, number) }

// Remove takes a path out. Its number is free.
func (r *Registry[P]) Remove(hash uint64, number uint32) {
	r.Hide(hash, number)
	r.paths.Remove(number)
}

// At returns the path of a number that was given out; nil for 0, and for one that is free.
func (r *Registry[P]) At(number uint32) *P { return r.paths.At(number) }

// Has reports whether a number is that of a path; any number may be asked for.
func (r *Registry[P]) Has(number uint32) bool {
	return int(number) < len(r.paths.List()) && r.paths.At(number) != nil
}

// Len returns the number of paths that Find finds.
func (r *Registry[P]) Len() int { return r.byHash.Len() }

// All yields all paths with their numbers, in the order of these. Paths may be removed meanwhile.
func (r *Registry[P]) All() iter.Seq2[uint32, *P] {
	return func(yield func(uint32, *P) bool) {
		for number, p := range r.paths.List() {
			if p != nil && !yield(uint32(number), p) {
				return
			}
		}
	}
}

// Hash is a hash of hops.
type Hash uint64

// HashOf returns the hash of no hops, of so many that are to come.
func HashOf(hops int) Hash { return Hash(hops) }

func (h Hash) mix(v uint64) Hash {
	h = (h ^ Hash(v)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Hop adds a hop.
func (h Hash) Hop(dpid netview.DPID, in, out uint32) Hash {
	return h.mix(uint64(dpid)).mix(uint64(in)<<32 | uint64(out))
}

// With adds something else.
func (h Hash) With(v uint64) Hash { return h.mix(v) }

// Sum returns the hash.
func (h Hash) Sum() uint64 { return uint64(h.mix(0x6c62272e07bb0142)) }
