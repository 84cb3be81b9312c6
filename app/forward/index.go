package forward

import (
	"maps"
	"sync/atomic"
)

// index is a map from 64-bit keys that any goroutine reads without a lock and one goroutine writes.
// It is split into shards, each an immutable map behind a pointer, so that a write copies 1/256 of
// it.
type index[V any] struct {
	shards [256]atomic.Pointer[map[uint64]V]
}

// shard spreads keys whose low bits may be all alike (Fibonacci hashing).
func (x *index[V]) shard(key uint64) *atomic.Pointer[map[uint64]V] {
	return &x.shards[key*0x9e3779b97f4a7c15>>56]
}

// get looks a key up.
func (x *index[V]) get(key uint64) (V, bool) {
	m := x.shard(key).Load()
	if m == nil {
		var none V
		return none, false
	}
	v, ok := (*m)[key]
	return v, ok
}

// put sets a key. Only the owner calls it.
func (x *index[V]) put(key uint64, v V) {
	p := x.shard(key)
	next := x.copyOf(p)
	next[key] = v
	p.Store(&next)
}

// remove deletes a key. Only the owner calls it.
func (x *index[V]) remove(key uint64) {
	p := x.shard(key)
	next := x.copyOf(p)
	delete(next, key)
	p.Store(&next)
}

func (x *index[V]) copyOf(p *atomic.Pointer[map[uint64]V]) map[uint64]V {
	if m := p.Load(); m != nil {
		return maps.Clone(*m)
	}
	return make(map[uint64]V)
}

// each calls fn for every value, in no order.
func (x *index[V]) each(fn func(V)) {
	for i := range x.shards {
		if m := x.shards[i].Load(); m != nil {
			for _, v := range *m {
				fn(v)
			}
		}
	}
}

// keep removes the keys that are not in the set. Only the owner calls it.
func (x *index[V]) keep(keys map[uint64]bool) {
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
