package session

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/openflow"
)

// output is the bounded queue of bytes for one peer, in the order in which they were appended. Any
// goroutine appends; one at a time writes: the one that has set writing. While somebody gathers, the reader
// for a batch of input or others for messages that belong together, what is appended waits for the end of it.
type output struct {
	mu        sync.Mutex
	idle      sync.Cond        // signalled when writing becomes false
	version   openflow.Version // 0 until connected: nothing may be appended from outside before
	buf       []byte           // appended since nextWrite was last called
	head      []byte           // what nextWrite returned and is not written yet: a tail of base
	base      []byte
	spare     []byte // written: the next buf
	writing   bool
	gathering int   // how many gather
	ended     error // no more is accepted
	max       int
	low       int           // below it the reader goes on
	drained   chan struct{} // has one token after the queue fell below low
	size      atomic.Int64  // bytes of buf and head
	high      atomic.Int64  // above it the peer is read slowly

	byType [types]uint64
	bytes  uint64
	full   uint64
}

// init makes it one of a Config's size.
func (q *output) init(cfg *Config) {
	q.bound(cfg.MaxQueue, cfg.HighWater)
	q.idle.L = &q.mu
	q.drained = make(chan struct{}, 1)
}

// bound says how many bytes may wait, and above how many the peer is read slowly.
func (q *output) bound(most, high int) {
	high = min(high, most)
	q.max, q.low = most, high/2
	q.high.Store(int64(high))
}

// fits reports whether bytes that make the queue b long fit, with a reserve for the protocol's own
// answers.
func (q *output) fits(b []byte, reserve int) bool {
	return len(q.head)+len(b) <= q.max+reserve
}

// appendAll appends messages with consecutive transaction ids (step 1) or the same one (step 0):
// all of them, or none.
func (q *output) appendAll(xid, step uint32, msgs []openflow.Message) error {
	if q.ended != nil {
		return q.ended
	}
	if q.version == 0 {
		return ErrNotConnected
	}
	b := q.buf
	for _, m := range msgs {
		var err error
		if b, err = openflow.Append(b, q.version, xid, m); err != nil {
			return err
		}
		xid += step
	}
	if !q.fits(b, 0) {
		q.full += uint64(len(msgs))
		return ErrFull
	}
	for _, m := range msgs {
		q.byType[m.Type()]++
	}
	q.commit(b)
	return nil
}

// appendBytes appends whole messages as bytes.
func (q *output) appendBytes(frames []byte, reserve int) error {
	if q.ended != nil {
		return q.ended
	}
	if !q.fits(q.buf, reserve-len(frames)) {
		q.full++
		return ErrFull
	}
	q.countFrames(frames)
	q.commit(append(q.buf, frames...))
	return nil
}

// countFrames counts whole messages by type.
func (q *output) countFrames(frames []byte) {
	for len(frames) >= openflow.HeaderLen {
		if h, err := openflow.ParseHeader(frames); err == nil {
			q.byType[h.Type]++
		}
		n := int(frames[2])<<8 | int(frames[3])
		frames = frames[min(max(n, openflow.HeaderLen), len(frames)):]
	}
}

// commit makes b, which is buf with something appended, the new buf.
func (q *output) commit(b []byte) {
	q.bytes += uint64(len(b) - len(q.buf))
	q.size.Add(int64(len(b) - len(q.buf)))
	q.buf = b
}

// startWriting makes the caller the writer if bytes are queued and there is no writer; the caller
// then has to write, or to start a writer.
func (q *output) startWriting() bool {
	if q.gathering > 0 && q.ended == nil || q.writing || len(q.buf)+len(q.head) == 0 {
		return false
	}
	q.writing = true
	return true
}

// nextWrite returns what the writer is to write next; empty if there is nothing, and the caller is
// then no longer the writer.
func (q *output) nextWrite() []byte {
	if len(q.head) == 0 {
		if len(q.buf) == 0 {
			q.stopWriting()
			return nil
		}
		q.base, q.buf, q.spare = q.buf, q.spare[:0], nil
		q.head = q.base
	}
	return q.head
}

// progress is how many bytes have been written so far, and whether more wait.
func (q *output) progress() (written uint64, waiting bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := q.size.Load()
	return q.bytes - uint64(left), left > 0
}

// stopWriting ends the caller's turn as the writer.
func (q *output) stopWriting() {
	q.writing = false
	q.idle.Broadcast()
}

// awaitIdle waits until there is no writer.
func (q *output) awaitIdle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.writing {
		q.idle.Wait()
	}
}

// wrote drops the first n bytes of what take returned.
func (q *output) wrote(n int) {
	q.head = q.head[n:]
	if len(q.head) == 0 {
		q.spare, q.base, q.head = q.base[:0], nil, nil
	}
	if left := q.size.Add(int64(-n)); left < int64(q.low) && left+int64(n) >= int64(q.low) {
		signal(q.drained)
	}
}

// end refuses all that comes later; what is queued may still be written.
func (q *output) end(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended == nil {
		q.ended = err
	}
}

// drop throws away what is queued: it can not be written.
func (q *output) drop() {
	q.buf, q.head, q.base, q.spare = nil, nil, nil, nil
	q.size.Store(0)
	q.stopWriting()
}

// large reports whether the buffers are larger than an idle session's.
func (q *output) large() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return cap(q.buf)+cap(q.spare) > keepOutput
}

// trim frees large buffers while nothing is queued.
func (q *output) trim() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.writing || len(q.buf)+len(q.head) > 0 {
		return
	}
	if cap(q.buf)+cap(q.spare) > keepOutput {
		q.buf, q.spare = nil, nil
	}
}
