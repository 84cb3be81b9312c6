package node

import (
	"net"
	"sync"
)

// port is a port that several users accept from, one after the other: what connects meanwhile waits for the next one.
type port struct {
	net.Listener
	conns   chan net.Conn
	closing chan struct{}
	running sync.WaitGroup
	close   func()
}

// newPort makes a listener one that can be lent. A goroutine accepts until end.
func newPort(l net.Listener) *port {
	p := &port{Listener: l, conns: make(chan net.Conn), closing: make(chan struct{})}
	p.close = sync.OnceFunc(func() {
		close(p.closing)
		l.Close()
	})
	p.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				p.close()
				return
			}
			select {
			case p.conns <- c:
			case <-p.closing:
				c.Close()
			}
		}
	})
	return p
}

// end closes the port, and waits.
func (p *port) end() {
	p.close()
	p.running.Wait()
}

// lend returns a listener whose end leaves the port as it is.
func (p *port) lend() net.Listener { return &lent{port: p, over: make(chan struct{})} }

type lent struct {
	*port
	once sync.Once
	over chan struct{}
}

// Accept implements net.Listener.
func (l *lent) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.over:
	case <-l.closing:
	}
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l *lent) Close() error {
	l.once.Do(func() { close(l.over) })
	return nil
}
