package store

import (
	"bytes"
	"slices"
)

// Fault is an injected fault of one call of Memory.
type Fault uint8

// The faults. For a call that is not a transaction all mean Unavailable.
const (
	None        Fault = iota
	Unavailable       // ErrUnavailable: not done
	Full              // ErrFull: not done
	UnknownDone       // ErrUnknown: done
	UnknownLost       // ErrUnknown: not done, and never will be
	UnknownLate       // ErrUnknown: not done yet; done by Settle, or after the next one that is done, which overtakes it
)

// Call is one call of Memory that may meet a fault.
type Call struct {
	Name string // Txn, Range, Grant, KeepAlive, Revoke, Compact
	Txn  *Txn   // of Txn
}

// Inject sets f, which returns the fault of each call from now on; nil: none. f is called with the
// store locked.
func (m *Memory) Inject(f func(Call) Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = f
}

// nextFault returns a call's fault.
func (m *Memory) nextFault(c Call) Fault {
	if m.fault == nil {
		return None
	}
	return m.fault(c)
}

// Settle applies delayed transactions.
func (m *Memory) Settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applyDelayed()
}

func (m *Memory) applyDelayed() {
	late := m.delayed
	m.delayed = nil
	for i := range late {
		m.history.apply(&late[i])
	}
}

// Expire ends a lease before its time.
func (m *Memory) Expire(id LeaseID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leases[id] != nil {
		m.end(id)
	}
}

func (t *Txn) clone() Txn {
	c := Txn{If: slices.Clone(t.If), Then: cloneOps(t.Then), Else: cloneOps(t.Else)}
	for i := range c.If {
		c.If[i].Key, c.If[i].Value = bytes.Clone(c.If[i].Key), bytes.Clone(c.If[i].Value)
	}
	return c
}

func cloneOps(ops []Op) []Op {
	ops = slices.Clone(ops)
	for i := range ops {
		op := &ops[i]
		op.Key, op.Value = bytes.Clone(op.Key), bytes.Clone(op.Value)
		op.Span = Span{bytes.Clone(op.Span.From), bytes.Clone(op.Span.To)}
		op.Query.Span = Span{bytes.Clone(op.Query.Span.From), bytes.Clone(op.Query.Span.To)}
	}
	return ops
}
