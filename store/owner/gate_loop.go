package owner

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/session"
)

// gapLimit is how long an owner may write to switches after the start of its last check of its row:
// with ShutdownLimit not longer than the row outlives the check (leaseTime). It checks every
// second; only a process that was stopped, or got no processor for as long, reaches the limit.
const gapLimit = 4 * time.Second

// ShutdownLimit is how long an owner may write to switches after its last check, when it ends.
const ShutdownLimit = time.Second

// gate lets an owner write to switches while its Claim was checked recently. An instance that
// was stopped for so long that another may own the store writes nothing more before it has checked
// again.
type gate struct {
	now    func() time.Time
	looked atomic.Pointer[time.Time]
	over   atomic.Bool

	mu      sync.Mutex
	changed chan struct{} // closed at the next check, and at the end
}

func newGate(now func() time.Time) *gate {
	g := &gate{now: now, changed: make(chan struct{})}
	g.refresh(now())
	return g
}

// stale reports whether the last check is too long ago at a time, by the monotonic clock or the
// wall clock: a machine that sleeps stops the first.
func (g *gate) stale(now time.Time) bool {
	looked := *g.looked.Load()
	return since(looked, now) >= gapLimit
}

// refresh opens the gate: at that time this instance began a successful check.
func (g *gate) refresh(at time.Time) {
	g.looked.Store(&at)
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.changed)
	g.changed = make(chan struct{})
}

// end closes it for good.
func (g *gate) end() {
	g.over.Store(true)
	g.refresh(time.Time{})
}

// keepState leaves it as it is for an orderly shutdown, which takes no longer than ShutdownLimit:
// no more checks are made.
func (g *gate) keepState() {
	if now := g.now(); g.stale(now) {
		g.end()
	} else if !g.over.Load() {
		g.refresh(now)
	}
}

// open reports whether the gate is open.
func (g *gate) open() bool { return !g.over.Load() && !g.stale(g.now()) }

// MayWrite reports whether this instance may write to switches now: connections of Listener wait until it may.
func (o *Claim) MayWrite() bool { return o.gate.open() }

// wait waits until the gate is open; false: it never will be.
func (g *gate) wait() bool {
	for {
		g.mu.Lock()
		news := g.changed
		g.mu.Unlock()
		switch {
		case g.over.Load():
			return false
		case !g.stale(g.now()):
			return true
		}
		<-news
	}
}

// Listener is one whose connections are written to only while the ownership was checked recently.
func (o *Claim) Listener(l net.Listener) net.Listener { return gated{l, o.gate} }

type gated struct {
	net.Listener
	gate *gate
}

// Accept implements net.Listener.
func (l gated) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatedConn{Conn: conn, try: session.TryWriterOf(conn), gate: l.gate}, nil
}

// gatedConn is written to while the gate is open; else Write waits, and TryWrite writes nothing.
type gatedConn struct {
	net.Conn
	try interface {
		TryWrite(p []byte) (int, error)
	}
	gate *gate
}

// Write implements net.Conn.
func (c *gatedConn) Write(p []byte) (int, error) {
	if !c.gate.wait() {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// TryWrite is for sessions, which write without waiting where they can.
func (c *gatedConn) TryWrite(p []byte) (int, error) {
	if c.try == nil || !c.gate.open() {
		return 0, nil
	}
	return c.try.TryWrite(p)
}
