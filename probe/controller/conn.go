package controller

import (
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/session"
)

// conn is a connection of a switch that knows when bytes came and when they had been written.
type conn struct {
	net.Conn
	stamps *stampedReader // nil where the kernel stamps nothing
	direct interface {
		TryWrite(p []byte) (int, error)
	}

	mu      sync.Mutex
	arrived time.Time // of the last read
	written uint64    // bytes
	waiting []pending // answers that have not been written, in their order
}

// pending is an answer to a packet-in, written when so many bytes of the connection are.
type pending struct {
	*Answer
	arrived time.Time // the packet-in
	end     uint64
}

// newConn wraps a connection that was accepted.
func newConn(c net.Conn) net.Conn {
	w := &conn{Conn: c, stamps: newStampedReader(c), direct: session.TryWriterOf(c)}
	if w.direct == nil {
		return w
	}
	return directConn{w}
}

// directConn is one that can be written without waiting.
type directConn struct{ *conn }

// Read reads, and notes when what it returns had come.
func (c *conn) Read(p []byte) (n int, err error) {
	var age time.Duration
	if c.stamps != nil {
		n, age, err = c.stamps.read(p)
	} else {
		n, err = c.Conn.Read(p)
	}
	c.mu.Lock()
	c.arrived = time.Now().Add(-age)
	c.mu.Unlock()
	return n, err
}

// Write writes, and notes what has been answered by then.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.wrote(n)
	return n, err
}

// TryWrite is Write without waiting.
func (c directConn) TryWrite(p []byte) (int, error) {
	n, err := c.direct.TryWrite(p)
	c.wrote(n)
	return n, err
}

func (c *conn) wrote(n int) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += uint64(n)
	for len(c.waiting) > 0 && c.waiting[0].end <= c.written {
		c.waiting[0].written(c.waiting[0].arrived, now)
		c.waiting = c.waiting[1:]
	}
}

// await has an answer be given its time when it has been written.
func (c *conn) await(p pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.end <= c.written {
		p.written(p.arrived, time.Now())
		return
	}
	c.waiting = append(c.waiting, p)
}

// arrival is when the bytes of the last read came.
func (c *conn) arrival() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.arrived
}
