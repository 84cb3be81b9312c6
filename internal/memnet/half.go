package memnet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// half is one direction of a connection: what one end writes and the other reads. The mutex guards all of it.
type half struct {
	mu      sync.Mutex
	changed sync.Cond // something a reader or writer may wait for

	arrived []byte   // readable now
	flight  [][]byte // written, not yet arrived; in order
	due     int      // how many of flight have passed their delay
	size    int      // bytes of arrived and flight
	limit   int      // largest size; a write above it waits
	delay   time.Duration
	held    bool // partitioned: nothing arrives

	ended error // the writer closed (io.EOF after the last byte) or the connection was cut (at once)
	gone  bool  // the reader closed

	reading, writing deadline
}

func newHalf(o Options) *half {
	h := &half{limit: o.Buffer, delay: o.Delay}
	h.changed.L = &h.mu
	return h
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
		case len(h.arrived) > 0:
			n := copy(p, h.arrived)
			h.arrived = h.arrived[n:]
			h.size -= n
			h.changed.Broadcast()
			return n, nil
		case h.ended == io.EOF && len(h.flight) == 0:
			return 0, io.EOF
		}
		h.changed.Wait()
	}
}

// write puts bytes on their way; wait says whether to wait for room.
func (h *half) write(p []byte, wait bool) (int, error) {
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
		case h.writing.passed:
			return n, os.ErrDeadlineExceeded
		}
		if room := h.limit - h.size; room > 0 {
			m := min(room, len(p)-n)
			h.send(append([]byte(nil), p[n:n+m]...))
			n += m
		}
		if n == len(p) || !wait {
			return n, nil
		}
		h.changed.Wait()
	}
}

// send puts bytes that fit on their way.
func (h *half) send(p []byte) {
	if len(p) == 0 {
		return
	}
	h.size += len(p)
	h.flight = append(h.flight, p)
	if h.delay <= 0 {
		h.due++
		h.arrive()
		return
	}
	time.AfterFunc(h.delay, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.due++
		h.arrive()
	})
}

// arrive makes readable what has passed its delay, unless the network is partitioned.
func (h *half) arrive() {
	for h.due > 0 && !h.held && len(h.flight) > 0 {
		h.arrived = append(h.arrived, h.flight[0]...)
		h.flight = h.flight[1:]
		h.due--
	}
	h.changed.Broadcast()
}

func (h *half) hold(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = on
	h.arrive()
}

// end is called by the writer's side: io.EOF after what was written, any other error at once.
func (h *half) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended == nil || errors.Is(h.ended, io.EOF) && err != io.EOF {
		h.ended = err
	}
	h.changed.Broadcast()
}

// leave is called by the reader's side when it closes.
func (h *half) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = true
	h.changed.Broadcast()
}
