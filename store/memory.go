package store

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// Memory is a store in this process, without persistence: for tests, simulations and ephemeral
// instances. Without faults each call answers at once, so that it can be stepped.
type Memory struct {
	mu      sync.Mutex
	history history
	leases  map[LeaseID]*lease
	granted LeaseID
	closed  bool
	now     func() time.Time
	fault   func(Call) Fault
	delayed []Txn // transactions with an unknown outcome that are to be applied later
	reading PinnedRevisions
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
	return &Memory{history: history{rev: 1, changed: make(chan struct{})}, leases: make(map[LeaseID]*lease), now: now}
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
		m.history.apply(&txn)
		return Result{}, ErrUnknown
	case UnknownLost:
		return Result{}, ErrUnknown
	case UnknownLate:
		m.delayed = append(m.delayed, txn.clone())
		return Result{}, ErrUnknown
	}
	result := m.history.apply(&txn)
	m.applyDelayed()
	return result, nil
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
		at = m.history.rev
	case at < m.history.compacted:
		return Page{}, fmt.Errorf("%w: %d of %d", ErrCompacted, at, m.history.compacted)
	case at > m.history.rev:
		return Page{}, fmt.Errorf("%w: %d of %d", ErrFuture, at, m.history.rev)
	}
	pairs, more := m.history.read(q, at)
	return Page{Pairs: pairs, More: more, Revision: m.history.rev}, nil
}

// Compact implements Store.
func (m *Memory) Compact(ctx context.Context, rev Revision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.beginCall(ctx, "Compact"); err != nil {
		return err
	}
	switch {
	case rev > m.history.rev:
		return fmt.Errorf("%w: %d of %d", ErrFuture, rev, m.history.rev)
	case rev <= m.history.compacted:
		return fmt.Errorf("%w: %d of %d", ErrCompacted, rev, m.history.compacted)
	}
	if rev = m.reading.CompactLimit(rev); rev > m.history.compacted {
		m.history.discard(rev)
	}
	return nil
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
	h := &m.history
	return Status{Revision: h.rev, Compacted: h.compacted, Size: h.size, InUse: h.size, Leader: true}, nil
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
		close(m.history.changed)
	}
	return nil
}
