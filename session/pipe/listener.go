package pipe

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// Listener is a net.Listener inside a process; Dial connects to it.
type Listener struct {
	name Addr

	mu      sync.Mutex
	changed sync.Cond
	waiting []*Conn
	dialed  int
	closed  bool
}

// Listen makes a listener of a name.
func Listen(name string) *Listener {
	l := &Listener{name: Addr(name)}
	l.changed.L = &l.mu
	return l
}

// Dial makes a connection and returns the caller's end; the other waits to be accepted. The error
// is that of ctx, or net.ErrClosed.
func (l *Listener) Dial(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, net.ErrClosed
	}
	l.dialed++
	near, far := connect(Options{}, Addr(fmt.Sprintf("%s:%d", l.name, l.dialed)), l.name)
	l.waiting = append(l.waiting, far)
	l.changed.Signal()
	return near, nil
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) == 0 && !l.closed {
		l.changed.Wait()
	}
	if l.closed {
		return nil, net.ErrClosed
	}
	c := l.waiting[0]
	l.waiting = l.waiting[1:]
	return c, nil
}

// Close ends Accept and Dial, and the connections that wait to be accepted; others live on.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, c := range l.waiting {
		c.Close()
	}
	l.waiting = nil
	l.changed.Broadcast()
	return nil
}

// Addr is the listener's name.
func (l *Listener) Addr() net.Addr { return l.name }
