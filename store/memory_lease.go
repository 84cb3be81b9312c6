package store

import (
	"context"
	"fmt"
	"time"
)

// Grant implements Store.
func (m *Memory) Grant(ctx context.Context, ttl time.Duration) (LeaseID, error) {
	if ttl < time.Second {
		return 0, fmt.Errorf("%w: a lease of %v, want a second or more", ErrInvalid, ttl)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.beginCall(ctx, "Grant"); err != nil {
		return 0, err
	}
	m.granted++
	m.leases[m.granted] = &lease{ttl: ttl, end: m.now().Add(ttl)}
	return m.granted, nil
}

// KeepAlive implements Store.
func (m *Memory) KeepAlive(ctx context.Context, id LeaseID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.beginCall(ctx, "KeepAlive"); err != nil {
		return err
	}
	l := m.leases[id]
	if l == nil {
		return ErrNoLease
	}
	l.end = m.now().Add(l.ttl)
	return nil
}

// Revoke implements Store.
func (m *Memory) Revoke(ctx context.Context, id LeaseID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.beginCall(ctx, "Revoke"); err != nil {
		return err
	}
	if m.leases[id] == nil {
		return ErrNoLease
	}
	m.end(id)
	return nil
}

// checkLeases finds puts with unknown leases.
func (m *Memory) checkLeases(txn *Txn) error {
	for _, ops := range [][]Op{txn.Then, txn.Else} {
		for i := range ops {
			if l := ops[i].Lease; l != 0 && m.leases[l] == nil {
				return ErrNoLease
			}
		}
	}
	return nil
}

// expire ends the expired leases, in the order in which they were granted.
func (m *Memory) expire() {
	if len(m.leases) == 0 {
		return
	}
	now := m.now()
	for id := LeaseID(1); id <= m.granted; id++ {
		if l := m.leases[id]; l != nil && !now.Before(l.end) {
			m.end(id)
		}
	}
}

// end removes a lease and its keys, in one revision.
func (m *Memory) end(id LeaseID) {
	delete(m.leases, id)
	var gone []Op
	m.history.keys.Scan(func(key string, states []Pair) bool {
		if p := states[len(states)-1]; p.Create != 0 && p.Lease == id {
			gone = append(gone, Delete(Key(key)))
		}
		return true
	})
	m.history.apply(&Txn{Then: gone})
}

// wake returns a channel that fires when the first lease expires; nil without leases.
func (m *Memory) wake() <-chan time.Time {
	var first time.Time
	for _, l := range m.leases {
		if first.IsZero() || l.end.Before(first) {
			first = l.end
		}
	}
	if first.IsZero() {
		return nil
	}
	return time.After(max(first.Sub(m.now()), time.Millisecond))
}
