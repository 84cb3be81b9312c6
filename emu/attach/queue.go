package attach

import "sync"

// queue is what waits to be written: one end puts frames in and never waits, the other takes all of
// them at once. The frames are one after the other in one piece of memory, of which there are two:
// one is filled while the other is written.
type queue struct {
	mu   sync.Mutex
	in   packed
	bell chan struct{} // has one token when something was put into an empty queue
}

// packed are frames in one piece of memory, each with its end.
type packed struct {
	bytes []byte
	ends  []int
}

func newQueue() *queue { return &queue{bell: make(chan struct{}, 1)} }

// put copies a frame; false if there is no place for it.
func (q *queue) put(frame []byte) bool {
	q.mu.Lock()
	if len(q.in.ends) >= maxQueued || len(q.in.bytes)+len(frame) > maxQueuedBytes {
		q.mu.Unlock()
		return false
	}
	first := len(q.in.ends) == 0
	q.in.bytes = append(q.in.bytes, frame...)
	q.in.ends = append(q.in.ends, len(q.in.bytes))
	q.mu.Unlock()
	if first {
		select {
		case q.bell <- struct{}{}:
		default:
		}
	}
	return true
}

// swap takes all frames, and leaves the room of others, that have been written.
func (q *queue) swap(written packed) packed {
	written.bytes, written.ends = written.bytes[:0], written.ends[:0]
	q.mu.Lock()
	defer q.mu.Unlock()
	got := q.in
	q.in = written
	return got
}

// each calls f with the frames in their order.
func (p *packed) each(f func(frame []byte)) {
	begin := 0
	for _, end := range p.ends {
		f(p.bytes[begin:end:end])
		begin = end
	}
}
