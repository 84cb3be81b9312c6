package node

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/session"
)

// gapLimit is how long an owner may write to switches after it has last begun to look at its row: with shutdownLimit not more than the row
// outlives the look (leaseTime). It looks every second; only who was stopped, or got no processor for as long, comes to it.
const gapLimit = 4 * time.Second

// gate lets an owner write to switches while it has looked at its row lately. Who was stopped for so long that another may have taken the
// store writes nothing of what it had in mind before it has looked again.
type gate struct {
	looked atomic.Pointer[time.Time]
	over   atomic.Bool

	mu   sync.Mutex
	news chan struct{} // closed at the next look, and at the end
}

func newGate() *gate {
	g := &gate{news: make(chan struct{})}
	g.look(time.Now())
	return g
}

// stale reports whether the last look is too long ago at a time, by the clock that never goes back or by that of the wall: a machine that sleeps
// stops the first.
func (g *gate) stale(now time.Time) bool {
	looked := *g.looked.Load()
	return now.Sub(looked) >= gapLimit || now.Round(0).Sub(looked.Round(0)) >= gapLimit
}

// look opens the gate: at that time this instance began to look, and it may go on.
func (g *gate) look(at time.Time) {
	g.looked.Store(&at)
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.news)
	g.news = make(chan struct{})
}

// end closes it for good.
func (g *gate) end() {
	g.over.Store(true)
	g.look(time.Time{})
}

// last leaves it as it is for an orderly end, which takes no longer than shutdownLimit: nobody looks any more.
func (g *gate) last() {
	if now := time.Now(); g.stale(now) {
		g.end()
	} else if !g.over.Load() {
		g.look(now)
	}
}

// pass waits until the gate is open; false: it will not be.
func (g *gate) pass() bool {
	for {
		g.mu.Lock()
		news := g.news
		g.mu.Unlock()
		switch {
		case g.over.Load():
			return false
		case !g.stale(time.Now()):
			return true
		}
		<-news
	}
}

// gated is a listener whose connections are written through a gate.
type gated struct {
	net.Listener
	gate *gate
}

// Accept is net.Listener's.
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

// Write is net.Conn's.
func (c *gatedConn) Write(p []byte) (int, error) {
	if !c.gate.pass() {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// TryWrite is for sessions, which write without waiting where they can.
func (c *gatedConn) TryWrite(p []byte) (int, error) {
	if c.try == nil || c.gate.over.Load() || c.gate.stale(time.Now()) {
		return 0, nil
	}
	return c.try.TryWrite(p)
}
