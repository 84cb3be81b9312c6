package node

import (
	"net"
	"sync"
)

// port is a port that several users accept from, one after the other: what connects meanwhile waits for the next one.
type port struct {
	net.Listener
	accepted chan accepted
	closing  chan struct{}
	running  sync.WaitGroup
	close    func()
}

// accepted is what Accept has returned.
type accepted struct {
	conn net.Conn
	err  error
}

// newPort makes a listener one that can be lent. A goroutine accepts until end. Errors of it are for whoever has the port,
// who knows how to go on: too many open files are no reason to end.
func newPort(l net.Listener) *port {
	p := &port{Listener: l, accepted: make(chan accepted), closing: make(chan struct{})}
	p.close = sync.OnceFunc(func() {
		close(p.closing)
		l.Close()
	})
	p.running.Go(func() {
		for {
			c, err := l.Accept()
			select {
			case p.accepted <- accepted{c, err}:
			case <-p.closing:
				if c != nil {
					c.Close()
				}
				return
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
	case a := <-l.accepted:
		return a.conn, a.err
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
