package streams

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
)

// conn is one connection to a peer, after the handshake. Three goroutines know it: its reader, its writer (not of beats,
// which the one that makes heartbeats writes itself) and who sends.
type conn struct {
	s    *Streams
	peer ID
	life liveness.Life // of the peer
	lane lane
	net  net.Conn
	r    *bufio.Reader
	wake chan struct{} // of the writer; holds one
	done chan struct{} // closed when it has ended
	// before is closed when the reader of the connection before, of the same peer and lane, has ended: what came there is
	// taken first. It is nil if there was none. read is closed when this one's has.
	before <-chan struct{}
	read   chan struct{}
	ctx    context.Context // ends with it
	stop   context.CancelFunc

	answering atomic.Int64 // requests of the peer

	mu      sync.Mutex
	err     error // why it has ended
	queue   []frame
	waiting map[uint16]int // bytes in queue and in the writer's hands, by kind
	number  uint32         // of the last request or bulk stream begun here
	asked   map[uint32]chan<- answer
	sending map[uint16]*Bulk
}

// frame is one that waits to be written.
type frame struct {
	header
	payload []byte
	of      *Bulk // of a bulk stream: passed over if that has ended
}

// overhead is what a frame counts in a queue beside its payload, so that empty ones are bounded too.
const overhead = 64

func newConn(s *Streams, peer ID, life liveness.Life, l lane, nc net.Conn, r *bufio.Reader) *conn {
	c := &conn{s: s, peer: peer, life: life, lane: l, net: nc, r: r, wake: make(chan struct{}, 1), done: make(chan struct{}),
		read:    make(chan struct{}),
		waiting: map[uint16]int{}, asked: map[uint32]chan<- answer{}, sending: map[uint16]*Bulk{}}
	c.ctx, c.stop = context.WithCancel(s.ctx)
	return c
}

// end ends the connection, with all that is under way on it. Only the first error counts.
func (c *conn) end(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	lost := fmt.Errorf("%w: %w", ErrLost, err)
	for kind, b := range c.sending {
		b.ended(lost)
		delete(c.sending, kind)
	}
	asked := c.asked
	c.asked, c.queue = nil, nil
	close(c.done)
	c.mu.Unlock()
	for _, ch := range asked {
		ch <- answer{err: fmt.Errorf("%w: %w", ErrUnknown, lost)} // each holds one
	}
	c.stop()
	c.net.Close()
	c.s.detach(c, err)
}

// ended is why it has ended; nil: it has not.
func (c *conn) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// push queues a frame. The caller has the lock. A limit of 0 is none.
func (c *conn) push(f frame, limit int) error {
	size := len(f.payload) + overhead
	switch {
	case c.err != nil:
		return ErrNotConnected
	case limit > 0 && c.waiting[f.kind]+size > limit && c.waiting[f.kind] > 0:
		return ErrFull
	}
	f.length = len(f.payload)
	c.waiting[f.kind] += size
	c.queue = append(c.queue, f)
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return nil
}

// pop takes frames of a piece's length from what waits, or one that is longer, into the list of before.
func (c *conn) pop(list []frame) []frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for size := 0; n < len(c.queue) && (n == 0 || size < pieceLength); n++ {
		size += headerLength + len(c.queue[n].payload)
	}
	list = append(list[:0], c.queue[:n]...)
	clear(c.queue[:n])
	if c.queue = c.queue[n:]; len(c.queue) == 0 {
		c.queue = nil
	}
	return list
}

// due reports whether a frame that waited is to be written: not if its stream has ended since, but for an end that the
// sender has given after it.
func (c *conn) due(f *frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil && (f.of == nil || !f.of.dropped)
}

// release takes note of a frame that waits no more.
func (c *conn) release(f *frame) {
	c.mu.Lock()
	c.waiting[f.kind] -= len(f.payload) + overhead
	c.mu.Unlock()
	f.payload = nil
}

// writeBeat writes a heartbeat. It does not fit into the kernel's buffer only if the peer has read hundreds of them not, though
// it sends its own: one that is silent is left before (Config.Silence).
func (c *conn) writeBeat(b []byte) {
	err := c.net.SetWriteDeadline(time.Now().Add(beatWrite))
	if err == nil {
		_, err = c.net.Write(b)
	}
	if err == nil {
		err = c.net.SetWriteDeadline(time.Time{}) // its timer would wake the process for nothing
	}
	if err != nil {
		c.end(err)
	}
}

// beatWrite is how long the writing of a heartbeat may keep the goroutine that writes all. It is longer than any pause of this
// process: a write whose time is over before it is tried ends the connection, and peers take that for a death.
const beatWrite = time.Second

// errProtocol is of frames that do not belong where they came.
var errProtocol = errors.New("unexpected frame")

// unexpected says which.
func unexpected(c *conn, h header) error {
	return fmt.Errorf("%w: type %d, kind %d, number %d among %s", errProtocol, h.typ, h.kind, h.number, c.lane)
}
