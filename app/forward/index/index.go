package index

import (
	"maps"
	"sync/atomic"
)

// Index is such a map. It is split into shards, each an immutable map behind a pointer. The zero Index is
// empty.
type Index[V any] struct {
	shards [256]atomic.Pointer[map[uint64]V]
}

// shard spreads keys whose low bits may be all alike (Fibonacci hashing).
func (x *Index[V]) shard(key uint64) *atomic.Pointer[map[uint64]V] {
	return &x.shards[key*0x9e3779b97f4a7c15>>56]
}

// Get looks a key up.
func (x *Index[V]) Get(key uint64) (V, bool) {
	m := x.shard(key).Load()
	if m == nil {
		var none V
		return none, false
	}
	v, ok := (*m)[key]
	return v, ok
}

// Put sets a key.
func (x *Index[V]) Put(key uint64, v V) {
	p := x.shard(key)
	next := x.copyOf(p)
	next[key] = v
	p.Store(&next)
}

// Remove deletes a key.
func (x *Index[V]) Remove(key uint64) {
	p := x.shard(key)
	next := x.copyOf(p)
	delete(next, key)
	p.Store(&next)
}

func (x *Index[V]) copyOf(p *atomic.Pointer[map[uint64]V]) map[uint64]V {
	if m := p.Load(); m != nil {
		return maps.Clone(*m)
	}
	return make(map[uint64]V)
}

// Each calls fn for every value, in no order.
func (x *Index[V]) Each(fn func(V)) {
	for i := range x.shards {
		if m := x.shards[i].Load(); m != nil {
			for _, v := range *m {
				fn(v)
			}
		}
	}
}

// Keep removes the keys that are not in the set.
func (x *Index[V]) Keep(keys map[uint64]bool) {
	for i := range x.shards {
		m := x.shards[i].Load()
		if m == nil {
			continue
		}
		next := maps.Clone(*m)
		maps.DeleteFunc(next, func(k uint64, _ V) bool { return !keys[k] })
		x.shards[i].Store(&next)
	}
}
