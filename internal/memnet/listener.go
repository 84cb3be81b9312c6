package memnet

import (
	"fmt"
	"net"
	"sync"
)

// Listener is a net.Listener in memory; Dial connects to it.
type Listener struct {
	options Options

	mu      sync.Mutex
	changed sync.Cond
	waiting []*Conn
	dialed  int
	closed  bool
}

// Listen makes a listener whose connections have the given options.
func Listen(o Options) *Listener {
	l := &Listener{options: o}
	l.changed.L = &l.mu
	return l
}

// Dial makes a connection to the listener and returns the caller's end; the other one waits to be accepted.
func (l *Listener) Dial() (*Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, net.ErrClosed
	}
	l.dialed++
	near, far := pipe(l.options, addr(fmt.Sprintf("memory:%d", l.dialed)), addr("memory:listener"))
	l.waiting = append(l.waiting, far)
	l.changed.Broadcast()
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

// Close ends Accept and Dial; connections already accepted live on, those that wait are cut.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, c := range l.waiting {
		c.Cut()
	}
	l.waiting = nil
	l.changed.Broadcast()
	return nil
}

// Addr is the listener's address.
func (l *Listener) Addr() net.Addr { return addr("memory:listener") }
