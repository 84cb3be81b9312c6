package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/btree"
)

// Memory is a store in this process, without persistence: for tests, simulations and ephemeral
// instances. Without faults each call answers at once, so that it can be stepped.
type Memory struct {
	mu        sync.Mutex
	keys      btree.Map[string, []Pair] // the states of a key, oldest first; a Create of 0 is a deletion
	changes   []Event                   // those after compacted, in order
	rev       Revision
	compacted Revision
	leases    map[LeaseID]*lease
	granted   LeaseID
	changed   chan struct{} // closed by the next change
	closed    bool
	now       func() time.Time
	fault     func(Call) Fault
	delayed   []Txn // transactions with an unknown outcome that are to be applied later
	reading   PinnedRevisions
	size      int64
}

type lease struct {
	ttl time.Duration
	end time.Time
}

// NewMemory returns an empty store. now is its clock, for leases only; nil is the real one.
func NewMemory(now func() time.Time) *Memory {
	if now == nil {
		now = time.Now
	}
	return &Memory{rev: 1, leases: make(map[LeaseID]*lease), changed: make(chan struct{}), now: now}
}

// begin starts a call: it expires leases and applies delayed transactions. m.mu is held.
func (m *Memory) begin(ctx context.Context) error {
	if m.closed {
		return fmt.Errorf("%w: it is closed", ErrUnavailable)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	m.expire()
	return nil
}

// beginCall is begin for a call, not a transaction, that may meet a fault.
func (m *Memory) beginCall(ctx context.Context, name string) error {
	err := m.begin(ctx)
	if err == nil && m.nextFault(Call{Name: name}) != None {
		return ErrUnavailable
	}
	return err
}

// Txn implements Store.
func (m *Memory) Txn(ctx context.Context, txn Txn) (Result, error) {
	if err := txn.Check(); err != nil {
		return Result{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin(ctx); err != nil {
		return Result{}, err
	}
	if err := m.checkLeases(&txn); err != nil {
		return Result{}, err
	}
	switch m.nextFault(Call{Name: "Txn", Txn: &txn}) {
	case Unavailable:
		return Result{}, ErrUnavailable
	case Full:
		return Result{}, ErrFull
	case UnknownDone:
		m.apply(&txn)
		return Result{}, ErrUnknown
	case UnknownLost:
		return Result{}, ErrUnknown
	case UnknownLate:
		m.delayed = append(m.delayed, txn.clone())
		return Result{}, ErrUnknown
	}
	result := m.apply(&txn)
	m.applyDelayed()
	return result, nil
}

// apply executes a transaction. m.mu is held.
func (m *Memory) apply(txn *Txn) Result {
	ops := txn.Then
	held := true
	for i := range txn.If {
		held = held && m.matches(&txn.If[i])
	}
	if !held {
		ops = txn.Else
	}
	before := len(m.changes)
	at := m.rev + 1
	answers := make([]OpResult, len(ops))
	for i := range ops {
		answers[i] = m.applyOp(&ops[i], at)
	}
	if len(m.changes) > before {
		m.rev = at
		close(m.changed)
		m.changed = make(chan struct{})
	}
	return Result{Succeeded: held, Revision: m.rev, Results: answers}
}

// applyOp executes an operation at a revision.
func (m *Memory) applyOp(op *Op, at Revision) OpResult {
	switch op.Kind {
	case OpPut:
		m.put(op, at)
		return OpResult{}
	case OpDelete:
		return OpResult{Deleted: m.delete(op.Span, at)}
	}
	pairs, more := m.read(op.Query, at)
	return OpResult{Pairs: pairs, More: more}
}

func (m *Memory) put(op *Op, at Revision) {
	key := string(op.Key)
	states, _ := m.keys.Get(key)
	next := Pair{Key: bytes.Clone(op.Key), Value: bytes.Clone(op.Value), Create: at, Mod: at, Version: 1, Lease: op.Lease}
	if n := len(states); n > 0 && states[n-1].Create != 0 {
		next.Create, next.Version = states[n-1].Create, states[n-1].Version+1
	}
	m.append(key, states, next)
}

func (m *Memory) append(key string, states []Pair, next Pair) {
	m.size += int64(len(next.Key) + len(next.Value))
	m.keys.Set(key, append(states, next))
	m.changes = append(m.changes, Event{Deleted: next.Create == 0, Pair: next})
}

func (m *Memory) delete(span Span, at Revision) (n int64) {
	for _, p := range m.collect(span, at) {
		states, _ := m.keys.Get(string(p.Key))
		m.append(string(p.Key), states, Pair{Key: p.Key, Mod: at})
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
func (m *Memory) collect(span Span, at Revision) (pairs []Pair) {
	m.keys.Ascend(string(span.From), func(key string, states []Pair) bool {
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
func (m *Memory) read(q Query, at Revision) (pairs []Pair, more bool) {
	pairs = m.collect(q.Span, at)
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
func (m *Memory) matches(c *Compare) bool {
	states, _ := m.keys.Get(string(c.Key))
	p, ok := state(states, m.rev+1)
	if !ok {
		p = Pair{}
	}
	return c.matches(&p)
}

// Range implements Store.
func (m *Memory) Range(ctx context.Context, q Query) (Page, error) {
	if err := q.Span.Check(); err != nil {
		return Page{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.beginCall(ctx, "Range"); err != nil {
		return Page{}, err
	}
	at := q.Revision
	switch {
	case at == 0:
		at = m.rev
	case at < m.compacted:
		return Page{}, fmt.Errorf("%w: %d of %d", ErrCompacted, at, m.compacted)
	case at > m.rev:
		return Page{}, fmt.Errorf("%w: %d of %d", ErrFuture, at, m.rev)
	}
	pairs, more := m.read(q, at)
	return Page{Pairs: pairs, More: more, Revision: m.rev}, nil
}

// Compact implements Store.
func (m *Memory) Compact(ctx context.Context, rev Revision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.beginCall(ctx, "Compact"); err != nil {
		return err
	}
	switch {
	case rev > m.rev:
		return fmt.Errorf("%w: %d of %d", ErrFuture, rev, m.rev)
	case rev <= m.compacted:
		return fmt.Errorf("%w: %d of %d", ErrCompacted, rev, m.compacted)
	}
	if rev = m.reading.CompactLimit(rev); rev > m.compacted {
		m.discard(rev)
	}
	return nil
}

// discard drops the history before a revision.
func (m *Memory) discard(rev Revision) {
	m.compacted = rev
	m.changes = slices.Clone(m.changes[m.after(rev):])
	m.size = 0
	type change struct {
		key    string
		states []Pair
	}
	var changes []change
	m.keys.Scan(func(key string, states []Pair) bool {
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
			m.size += int64(len(p.Key) + len(p.Value))
		}
		return true
	})
	for _, c := range changes {
		if len(c.states) == 0 {
			m.keys.Delete(c.key)
		} else {
			m.keys.Set(c.key, c.states)
		}
	}
}

// Defragment implements Store; there is nothing to do.
func (m *Memory) Defragment(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.begin(ctx)
}

// Status implements Store.
func (m *Memory) Status(ctx context.Context) (Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin(ctx); err != nil {
		return Status{}, err
	}
	return Status{Revision: m.rev, Compacted: m.compacted, Size: m.size, InUse: m.size, Leader: true}, nil
}

// Snapshot implements Store.
func (m *Memory) Snapshot(ctx context.Context, w io.Writer) error {
	return WriteSnapshot(ctx, m, &m.reading, w)
}

// Close implements Store. Open watches end with ErrUnavailable.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		close(m.changed)
	}
	return nil
}
