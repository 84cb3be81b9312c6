package pipe

import (
	"cmp"
	"io"
	"net"
	"syscall"
	"time"
)

// DefaultBuffer is how many bytes one direction holds where Options give no number: about what one
// of TCP on loopback does.
const DefaultBuffer = 1 << 18

// Options describe a connection.
type Options struct {
	// Buffer is how many bytes one direction holds before Write blocks; 0 is DefaultBuffer.
	Buffer int
	// Delay is how long bytes take from one end to the other; 0 is none.
	Delay time.Duration
	// DelayBack is how long they take from the second end to the first; 0 is as Delay.
	DelayBack time.Duration
}

// Conn is one end of a connection. It is a net.Conn.
type Conn struct {
	in, out       *half
	local, remote Addr
}

// New makes a connection and returns its two ends.
func New(o Options) (*Conn, *Conn) { return connect(o, "pipe:a", "pipe:b") }

func connect(o Options, a, b Addr) (*Conn, *Conn) {
	limit, back := cmp.Or(o.Buffer, DefaultBuffer), cmp.Or(o.DelayBack, o.Delay)
	x, y := newHalf(limit, back), newHalf(limit, o.Delay)
	return &Conn{in: x, out: y, local: a, remote: b}, &Conn{in: y, out: x, local: b, remote: a}
}

// Read reads what is there; it waits for the first byte. The error is io.EOF after the peer's last
// byte, net.ErrClosed after Close here, os.ErrDeadlineExceeded after a deadline.
func (c *Conn) Read(p []byte) (int, error) { return c.in.read(p) }

// Write writes all of p; it waits for room. The error is syscall.EPIPE if the peer has closed,
// net.ErrClosed after Close here, os.ErrDeadlineExceeded after a deadline.
func (c *Conn) Write(p []byte) (int, error) { return c.out.write(p, true) }

// TryWrite writes what there is room for, and returns how much that was; it never waits.
func (c *Conn) TryWrite(p []byte) (int, error) { return c.out.write(p, false) }

// Close ends both directions.
func (c *Conn) Close() error {
	c.out.end(io.EOF)
	c.in.leave()
	return nil
}

// Cut breaks the connection: both ends get ECONNRESET at once, and bytes on their way are lost.
func (c *Conn) Cut() {
	c.out.end(syscall.ECONNRESET)
	c.in.end(syscall.ECONNRESET)
}

// Partition holds back (on) or lets through (off) all bytes in both directions; none is lost.
func (c *Conn) Partition(on bool) {
	c.HoldOutput(on)
	c.HoldInput(on)
}

// HoldOutput holds back (on) or lets through (off) what this end writes: a one-way partition.
func (c *Conn) HoldOutput(on bool) { c.out.hold(on) }

// HoldInput holds back (on) or lets through (off) what comes to this end, as if it did not read:
// the peer's writes fill the buffer.
func (c *Conn) HoldInput(on bool) { c.in.hold(on) }

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

// SetWriteDeadline makes Write fail with os.ErrDeadlineExceeded from t on; the zero time removes
// it. TryWrite heeds none.
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
