package store

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tidwall/btree"
)

// history is what a Memory holds: the states of each key since what was compacted, and the same as changes in order.
// A transaction changes it whole, at a revision of its own. It is not safe for several goroutines.
type history struct {
	keys      btree.Map[string, []Pair] // the states of a key, oldest first; a Create of 0 is a deletion
	changes   []Event                   // those after compacted, in order
	rev       Revision
	compacted Revision
	size      int64         // bytes of keys and values
	changed   chan struct{} // closed by the next change
}

// apply executes a transaction.
func (h *history) apply(txn *Txn) Result {
	ops := txn.Then
	held := true
	for i := range txn.If {
		held = held && h.matches(&txn.If[i])
	}
	if !held {
		ops = txn.Else
	}
	before := len(h.changes)
	at := h.rev + 1
	answers := make([]OpResult, len(ops))
	for i := range ops {
		answers[i] = h.applyOp(&ops[i], at)
	}
	if len(h.changes) > before {
		h.rev = at
		close(h.changed)
		h.changed = make(chan struct{})
	}
	return Result{Succeeded: held, Revision: h.rev, Results: answers}
}

// applyOp executes an operation at a revision.
func (h *history) applyOp(op *Op, at Revision) OpResult {
	switch op.Kind {
	case OpPut:
		h.put(op, at)
		return OpResult{}
	case OpDelete:
		return OpResult{Deleted: h.delete(op.Span, at)}
	}
	pairs, more := h.read(op.Query, at)
	return OpResult{Pairs: pairs, More: more}
}

func (h *history) put(op *Op, at Revision) {
	key := string(op.Key)
	states, _ := h.keys.Get(key)
	next := Pair{Key: bytes.Clone(op.Key), Value: bytes.Clone(op.Value), Create: at, Mod: at, Version: 1, Lease: op.Lease}
	if n := len(states); n > 0 && states[n-1].Create != 0 {
		next.Create, next.Version = states[n-1].Create, states[n-1].Version+1
	}
	h.append(key, states, next)
}

func (h *history) append(key string, states []Pair, next Pair) {
	h.size += int64(len(next.Key) + len(next.Value))
	h.keys.Set(key, append(states, next))
	h.changes = append(h.changes, Event{Deleted: next.Create == 0, Pair: next})
}

func (h *history) delete(span Span, at Revision) (n int64) {
	for _, p := range h.collect(span, at) {
		states, _ := h.keys.Get(string(p.Key))
		h.append(string(p.Key), states, Pair{Key: p.Key, Mod: at})
		n++
	}
	return n
}

// state returns a key's state after a revision; false if it did not exist.
func state(states []Pair, at Revision) (Pair, bool) {
	for _, p := range slices.Backward(states) {
		if p.Mod <= at {
			return p, p.Create != 0
		}
	}
	return Pair{}, false
}

// collect returns the pairs of a span after a revision, not copied.
func (h *history) collect(span Span, at Revision) (pairs []Pair) {
	h.keys.Ascend(string(span.From), func(key string, states []Pair) bool {
		if !span.Contains([]byte(key)) {
			return false
		}
		if p, ok := state(states, at); ok {
			pairs = append(pairs, p)
		}
		return true
	})
	return pairs
}

// read returns copies of the pairs of a query.
func (h *history) read(q Query, at Revision) (pairs []Pair, more bool) {
	pairs = h.collect(q.Span, at)
	if q.Limit > 0 && len(pairs) > q.Limit {
		pairs, more = pairs[:q.Limit], true
	}
	for i := range pairs {
		pairs[i].Key = bytes.Clone(pairs[i].Key)
		pairs[i].Value = bytes.Clone(pairs[i].Value)
		if q.KeysOnly {
			pairs[i].Value = nil
		}
	}
	return pairs, more
}

// matches reports whether a condition is true.
func (h *history) matches(c *Compare) bool {
	states, _ := h.keys.Get(string(c.Key))
	p, ok := state(states, h.rev+1)
	if !ok {
		p = Pair{}
	}
	return c.matches(&p)
}

// discard drops the history before a revision.
func (h *history) discard(rev Revision) {
	h.compacted = rev
	h.changes = slices.Clone(h.changes[h.after(rev):])
	h.size = 0
	type change struct {
		key    string
		states []Pair
	}
	var changes []change
	h.keys.Scan(func(key string, states []Pair) bool {
		first := 0 // the newest state that is not after rev
		for first+1 < len(states) && states[first+1].Mod <= rev {
			first++
		}
		if states[first].Mod <= rev && states[first].Create == 0 {
			first++
		}
		if first > 0 {
			changes = append(changes, change{key, slices.Clone(states[first:])})
		}
		for _, p := range states[first:] {
			h.size += int64(len(p.Key) + len(p.Value))
		}
		return true
	})
	for _, c := range changes {
		if len(c.states) == 0 {
			h.keys.Delete(c.key)
		} else {
			h.keys.Set(c.key, c.states)
		}
	}
}

// after returns the index of the first change at a revision or later.
func (h *history) after(rev Revision) int {
	i, _ := slices.BinarySearchFunc(h.changes, rev, func(e Event, rev Revision) int { return cmp.Compare(e.Pair.Mod, rev) })
	return i
}
