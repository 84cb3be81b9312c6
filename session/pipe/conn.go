package pipe

import (
	"io"
	"net"
	"time"
)

// Room is how many bytes a direction of a connection holds: about what one of TCP on loopback does.
const Room = 1 << 18

// Conn is one end of a connection. It is a net.Conn.
type Conn struct {
	in, out       *half
	local, remote Addr
}

// New makes a connection between two ends of these names.
func New(a, b Addr) (*Conn, *Conn) {
	x, y := newHalf(), newHalf()
	return &Conn{in: x, out: y, local: a, remote: b}, &Conn{in: y, out: x, local: b, remote: a}
}

// Read reads what is there; it waits for the first byte. The error is io.EOF after the peer's last byte, net.ErrClosed
// after Close here, os.ErrDeadlineExceeded after a deadline.
func (c *Conn) Read(p []byte) (int, error) { return c.in.read(p) }

// Write writes all of p; it waits for room. The error is syscall.EPIPE if the peer has closed, net.ErrClosed after Close
// here, os.ErrDeadlineExceeded after a deadline.
func (c *Conn) Write(p []byte) (int, error) { return c.out.write(p, true) }

// TryWrite writes what there is room for, and returns how much that was; it never waits.
func (c *Conn) TryWrite(p []byte) (int, error) { return c.out.write(p, false) }

// Close ends both directions.
func (c *Conn) Close() error {
	c.out.end(io.EOF)
	c.in.leave()
	return nil
}

// LocalAddr is this end's name.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the peer's name.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reading, t)
	c.out.setDeadline(&c.out.writing, t)
	return nil
}

// SetReadDeadline makes reads fail with os.ErrDeadlineExceeded from t on; the zero time removes it.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reading, t)
	return nil
}

// SetWriteDeadline makes Write fail with os.ErrDeadlineExceeded from t on; the zero time removes it. TryWrite heeds none.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writing, t)
	return nil
}

// Addr is the name of an end.
type Addr string

// Network is "pipe".
func (a Addr) Network() string { return "pipe" }

// String is the name.
func (a Addr) String() string { return string(a) }
