package store

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tidwall/btree"
)

// Memory is a store in this process, which ends with it: the twin of the durable ones, in tests, simulations and instances that
// are to leave nothing behind. Without faults each call answers at once, so that it can be stepped.
type Memory struct {
	mu        sync.Mutex
	keys      btree.Map[string, []Pair] // the states of a key, oldest first; an empty Create is a deletion
	changes   []Event                   // those after compacted, in order
	rev       Revision
	compacted Revision
	leases    map[LeaseID]*lease
	granted   LeaseID
	changed   chan struct{} // closed by the next change
	closed    bool
	now       func() time.Time
	fault     func(Call) Fault
	late      []Txn // unknown ones that are yet to be done
	reading   Held
	size      int64
}

type lease struct {
	ttl time.Duration
	end time.Time
}

// NewMemory is an empty store. now is its clock, for leases only; nil is the real one.
func NewMemory(now func() time.Time) *Memory {
	if now == nil {
		now = time.Now
	}
	return &Memory{rev: 1, leases: make(map[LeaseID]*lease), changed: make(chan struct{}), now: now}
}

// enter begins a call: leases that ran out end, what was late comes. m.mu is held.
func (m *Memory) enter(ctx context.Context) error {
	if m.closed {
		return fmt.Errorf("%w: it is closed", ErrUnavailable)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	m.expire()
	return nil
}

// Txn is of Store.
func (m *Memory) Txn(ctx context.Context, txn Txn) (Result, error) {
	if err := txn.Check(); err != nil {
		return Result{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.enter(ctx); err != nil {
		return Result{}, err
	}
	if err := m.checkLeases(&txn); err != nil {
		return Result{}, err
	}
	switch m.draw(Call{Name: "Txn", Txn: &txn}) {
	case Unavailable:
		return Result{}, ErrUnavailable
	case Full:
		return Result{}, ErrFull
	case UnknownDone:
		m.do(&txn)
		return Result{}, ErrUnknown
	case UnknownLost:
		return Result{}, ErrUnknown
	case UnknownLate:
		m.late = append(m.late, txn.clone())
		return Result{}, ErrUnknown
	}
	result := m.do(&txn)
	m.settle()
	return result, nil
}

// do does a transaction. m.mu is held.
func (m *Memory) do(txn *Txn) Result {
	ops := txn.Then
	held := true
	for i := range txn.If {
		held = held && m.holds(&txn.If[i])
	}
	if !held {
		ops = txn.Else
	}
	before := len(m.changes)
	at := m.rev + 1
	answers := make([]Answer, len(ops))
	for i := range ops {
		answers[i] = m.one(&ops[i], at)
	}
	if len(m.changes) > before {
		m.rev = at
		close(m.changed)
		m.changed = make(chan struct{})
	}
	return Result{Held: held, Revision: m.rev, Answers: answers}
}

// one does an operation at a revision.
func (m *Memory) one(op *Op, at Revision) Answer {
	switch op.Kind {
	case OpPut:
		m.put(op, at)
		return Answer{}
	case OpDelete:
		return Answer{Deleted: m.delete(op.Span, at)}
	}
	pairs, more := m.read(op.Query, at)
	return Answer{Pairs: pairs, More: more}
}

func (m *Memory) put(op *Op, at Revision) {
	key := string(op.Key)
	states, _ := m.keys.Get(key)
	next := Pair{Key: clone(op.Key), Value: clone(op.Value), Create: at, Mod: at, Version: 1, Lease: op.Lease}
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

// at is a key's state after a revision; false if it was not there.
func state(states []Pair, at Revision) (Pair, bool) {
	for i := len(states) - 1; i >= 0; i-- {
		if states[i].Mod <= at {
			return states[i], states[i].Create != 0
		}
	}
	return Pair{}, false
}

// collect are the pairs of a span after a revision, as they are kept.
func (m *Memory) collect(span Span, at Revision) (pairs []Pair) {
	m.keys.Ascend(string(span.From), func(key string, states []Pair) bool {
		if !span.Holds([]byte(key)) {
			return false
		}
		if p, ok := state(states, at); ok {
			pairs = append(pairs, p)
		}
		return true
	})
	return pairs
}

// read is collect for somebody outside: copies, at most a limit.
func (m *Memory) read(q Query, at Revision) (pairs []Pair, more bool) {
	pairs = m.collect(q.Span, at)
	if q.Limit > 0 && len(pairs) > q.Limit {
		pairs, more = pairs[:q.Limit], true
	}
	for i := range pairs {
		pairs[i].Key = clone(pairs[i].Key)
		pairs[i].Value = clone(pairs[i].Value)
		if q.KeysOnly {
			pairs[i].Value = nil
		}
	}
	return pairs, more
}

// holds says whether a condition does.
func (m *Memory) holds(c *Compare) bool {
	states, _ := m.keys.Get(string(c.Key))
	p, ok := state(states, m.rev+1)
	if !ok {
		p = Pair{}
	}
	return c.holds(&p)
}

// Range is of Store.
func (m *Memory) Range(ctx context.Context, q Query) (Page, error) {
	if err := q.Span.Check(); err != nil {
		return Page{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.enter(ctx); err != nil {
		return Page{}, err
	}
	if m.draw(Call{Name: "Range"}) != None {
		return Page{}, ErrUnavailable
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

// Compact is of Store.
func (m *Memory) Compact(ctx context.Context, rev Revision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.enter(ctx); err != nil {
		return err
	}
	if m.draw(Call{Name: "Compact"}) != None {
		return ErrUnavailable
	}
	switch {
	case rev > m.rev:
		return fmt.Errorf("%w: %d of %d", ErrFuture, rev, m.rev)
	case rev <= m.compacted:
		return fmt.Errorf("%w: %d of %d", ErrCompacted, rev, m.compacted)
	}
	if rev = m.reading.Spare(rev); rev > m.compacted {
		m.discard(rev)
	}
	return nil
}

// discard forgets what was before a revision.
func (m *Memory) discard(rev Revision) {
	m.compacted = rev
	n := 0
	for n < len(m.changes) && m.changes[n].Pair.Mod < rev {
		n++
	}
	m.changes = append([]Event(nil), m.changes[n:]...)
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
			changes = append(changes, change{key, append([]Pair(nil), states[first:]...)})
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

// Defragment is of Store; there is nothing to do.
func (m *Memory) Defragment(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.enter(ctx)
}

// Status is of Store.
func (m *Memory) Status(ctx context.Context) (Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.enter(ctx); err != nil {
		return Status{}, err
	}
	return Status{Revision: m.rev, Compacted: m.compacted, Size: m.size, InUse: m.size, Leader: true}, nil
}

// Snapshot is of Store.
func (m *Memory) Snapshot(ctx context.Context, w io.Writer) error {
	return WriteSnapshot(ctx, m, &m.reading, w)
}

// Close is of Store. Open watches end with ErrUnavailable.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		close(m.changed)
	}
	return nil
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }
