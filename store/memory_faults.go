package store

// Fault is what happens to one call of Memory.
type Fault uint8

// The faults. A call that is not a transaction knows Unavailable only: any other is taken for it.
const (
	None        Fault = iota
	Unavailable       // ErrUnavailable: not done
	Full              // ErrFull: not done
	UnknownDone       // ErrUnknown: done
	UnknownLost       // ErrUnknown: not done, and never will be
	UnknownLate       // ErrUnknown: not done yet; done by Settle, or behind the next one that is done: overtaken by it
)

// Call is one call of Memory that may meet a fault.
type Call struct {
	Name string // Txn, Range, Grant, KeepAlive, Revoke, Compact
	Txn  *Txn   // of Txn
}

// Inject has f say what happens to each call from now on; nil: nothing. f is called with the store locked.
func (m *Memory) Inject(f func(Call) Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = f
}

// draw asks for a call's fault.
func (m *Memory) draw(c Call) Fault {
	if m.fault == nil {
		return None
	}
	return m.fault(c)
}

// Settle does what is late.
func (m *Memory) Settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
}

func (m *Memory) settle() {
	late := m.late
	m.late = nil
	for i := range late {
		m.do(&late[i])
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
	c := Txn{If: append([]Compare(nil), t.If...), Then: cloneOps(t.Then), Else: cloneOps(t.Else)}
	for i := range c.If {
		c.If[i].Key, c.If[i].Value = clone(c.If[i].Key), clone(c.If[i].Value)
	}
	return c
}

func cloneOps(ops []Op) []Op {
	ops = append([]Op(nil), ops...)
	for i := range ops {
		op := &ops[i]
		op.Key, op.Value = clone(op.Key), clone(op.Value)
		op.Span = Span{clone(op.Span.From), clone(op.Span.To)}
		op.Query.Span = Span{clone(op.Query.Span.From), clone(op.Query.Span.To)}
	}
	return ops
}
