package memnet

import (
	"io"
	"net"
	"syscall"
	"time"
)

// Options describe a connection.
type Options struct {
	// Delay is how long bytes take from one end to the other; 0 is none.
	Delay time.Duration
	// DelayBack is how long they take from the second end to the first; 0 is as Delay.
	DelayBack time.Duration
	// Buffer is how many bytes one direction holds before Write blocks; 0 is DefaultBuffer.
	Buffer int
}

// DefaultBuffer is the room of one direction, in bytes, where Options names none: about what a TCP connection on
// loopback holds.
const DefaultBuffer = 1 << 20

// Conn is one end of a connection in memory. It is a net.Conn and may be used from several goroutines.
type Conn struct {
	in, out       *half
	local, remote net.Addr
}

// Pipe makes a connection and returns its two ends.
func Pipe(o Options) (*Conn, *Conn) { return pipe(o, addr("memory:a"), addr("memory:b")) }

func pipe(o Options, a, b net.Addr) (*Conn, *Conn) {
	if o.Buffer == 0 {
		o.Buffer = DefaultBuffer
	}
	x, y := newHalf(o), newHalf(o)
	if o.DelayBack != 0 {
		x.delay = o.DelayBack
	}
	return &Conn{in: x, out: y, local: a, remote: b}, &Conn{in: y, out: x, local: b, remote: a}
}

// Read reads what has arrived; it waits for the first byte.
func (c *Conn) Read(p []byte) (int, error) { return c.in.read(p) }

// Write puts bytes on their way; it waits for room in the buffer.
func (c *Conn) Write(p []byte) (int, error) { return c.out.write(p, true) }

// TryWrite writes what there is room for and returns how much that was; it never waits.
func (c *Conn) TryWrite(p []byte) (int, error) { return c.out.write(p, false) }

// Close ends both directions: the peer reads what was written before and then io.EOF.
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
	c.out.hold(on)
	c.in.hold(on)
}

// HoldOutput holds back (on) or lets through (off) what this end writes: a one-way partition.
func (c *Conn) HoldOutput(on bool) { c.out.hold(on) }

// HoldInput holds back (on) or lets through (off) what comes to this end, as if it did not read: the peer's writes fill
// the buffer.
func (c *Conn) HoldInput(on bool) { c.in.hold(on) }

// LocalAddr is this end's address.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the peer's address.
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

// SetWriteDeadline makes writes fail with os.ErrDeadlineExceeded from t on; the zero time removes it.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writing, t)
	return nil
}

// addr is a name as an address.
type addr string

func (a addr) Network() string { return "memory" }
func (a addr) String() string  { return string(a) }
