package pipe

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// keep is how large a buffer may be that stays though all of it has been read.
const keep = 4 << 10

// half is one direction: what one end writes and the other reads. The mutex guards all of it.
type half struct {
	mu      sync.Mutex
	changed sync.Cond // what a reader or a writer waits for
	waiting int       // how many wait

	limit int           // largest number of bytes written and not read
	delay time.Duration // of each write

	buf     []byte // written and not read: buf[from:]
	from    int
	arrived int   // bytes of buf[from:] whose delay has passed
	held    bool  // partitioned: nothing can be read
	ended   error // io.EOF, after the last byte: the writer closed; any other, at once: the connection was cut
	gone    bool  // the reader closed

	reading, writing deadline
}

func newHalf(limit int, delay time.Duration) *half {
	h := &half{limit: limit, delay: delay}
	h.changed.L = &h.mu
	return h
}

// wait waits for a change. The caller holds the lock.
func (h *half) wait() {
	h.waiting++
	h.changed.Wait()
	h.waiting--
}

// tell wakes those who wait.
func (h *half) tell() {
	if h.waiting > 0 {
		h.changed.Broadcast()
	}
}

// read waits for bytes and takes them.
func (h *half) read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.gone:
			return 0, net.ErrClosed
		case h.ended != nil && h.ended != io.EOF:
			return 0, h.ended
		case h.reading.passed:
			return 0, os.ErrDeadlineExceeded
		case len(p) == 0:
			return 0, nil
		case h.arrived > 0 && !h.held:
			return h.take(p), nil
		case h.ended != nil && h.from == len(h.buf):
			return 0, io.EOF
		}
		h.wait()
	}
}

// take copies bytes out, and frees the buffer when it is empty.
func (h *half) take(p []byte) int {
	full := len(h.buf)-h.from >= h.limit
	n := copy(p, h.buf[h.from:h.from+h.arrived])
	h.arrived -= n
	if h.from += n; h.from == len(h.buf) {
		h.from = 0
		if h.buf = h.buf[:0]; cap(h.buf) > keep {
			h.buf = nil
		}
	}
	if full {
		h.tell()
	}
	return n
}

// write puts bytes in; block reports whether to wait for room.
func (h *half) write(p []byte, block bool) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for {
		switch {
		case h.ended == io.EOF:
			return n, net.ErrClosed
		case h.ended != nil:
			return n, h.ended
		case h.gone:
			return n, syscall.EPIPE
		case block && h.writing.passed:
			return n, os.ErrDeadlineExceeded
		}
		if room := h.limit - (len(h.buf) - h.from); room > 0 && n < len(p) {
			m := min(room, len(p)-n)
			h.put(p[n : n+m])
			n += m
		}
		if n == len(p) || !block {
			return n, nil
		}
		h.wait()
	}
}

// put appends bytes; those that have been read make room first if the buffer would grow.
func (h *half) put(p []byte) {
	if h.from > 0 && len(h.buf)+len(p) > cap(h.buf) {
		h.buf = h.buf[:copy(h.buf, h.buf[h.from:])]
		h.from = 0
	}
	h.buf = append(h.buf, p...)
	if h.delay > 0 {
		h.delayed(len(p))
		return
	}
	h.arrived += len(p)
	h.tell()
}

// hold begins or ends a partition.
func (h *half) hold(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = on
	h.tell()
}

// end is the writer's Close, with io.EOF, or a cut.
func (h *half) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended == nil || err != io.EOF {
		h.ended = err
	}
	h.writing.stop()
	h.tell()
}

// leave is the reader's Close: what it has not read is lost.
func (h *half) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone, h.buf, h.from, h.arrived = true, nil, 0, 0
	h.reading.stop()
	h.tell()
}
