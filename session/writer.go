package session

import (
	"net"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/trace"
)

// writer is the way out of a session: any goroutine appends to the queue, and what is there is written by the reader
// at the end of its batch, by who gathered messages that belong together or, where that would wait and else, by a
// goroutine of its own (drain).
type writer struct {
	queue   output
	conn    net.Conn
	try     tryWriter // nil if the connection can not be written without waiting
	stepped bool      // a Driver's: nobody waits; what the connection does not take is left until Drain
	traced  bool      // at the controller's end
	failed  *prompts  // told when the connection takes no more
}

// messages appends messages with consecutive transaction ids (step 1) or the same one (step 0): all of them, or
// none.
func (w *writer) messages(xid, step uint32, msgs []openflow.Message) error {
	w.queue.mu.Lock()
	err := w.queue.appendAll(xid, step, msgs)
	w.unlock()
	return err
}

// bytes appends whole messages as bytes.
func (w *writer) bytes(frames []byte) error {
	w.queue.mu.Lock()
	err := w.queue.appendBytes(frames, 0)
	w.unlock()
	return err
}

// frames appends encoded messages, to which it gives transaction ids.
func (w *writer) frames(frames []byte, xid uint32, count int) error {
	w.queue.mu.Lock()
	err := w.queue.appendFrames(frames, xid, count)
	w.unlock()
	return err
}

// answers appends what the core sends, for which there is a reserve; it waits for the flush.
func (w *writer) answers(frames []byte) {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	_ = w.queue.appendBytes(frames, queueReserve) // what is refused is counted there
}

// connected lets others append, in a version.
func (w *writer) connected(v openflow.Version) {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	w.queue.version = v
}

// unlock unlocks the queue, and starts a writer if something is queued that nobody writes.
func (w *writer) unlock() {
	start := w.queue.startWriting()
	w.queue.mu.Unlock()
	if start {
		w.start()
	}
}

// begin makes what is appended wait for flush. Each call is followed by one of flush, by the same goroutine.
func (w *writer) begin() {
	w.queue.mu.Lock()
	w.queue.gathering++
	w.queue.mu.Unlock()
}

// flush writes what is queued, without waiting: what the peer does not take at once, and what
// others append meanwhile, is left to a writer. Where others gather, the last of them writes.
func (w *writer) flush() {
	q := &w.queue
	q.mu.Lock()
	q.gathering--
	if !q.startWriting() {
		q.mu.Unlock()
		return
	}
	if w.try == nil {
		q.mu.Unlock()
		w.start()
		return
	}
	b := q.nextWrite()
	q.mu.Unlock()
	n, err := w.try.TryWrite(b)
	w.trace()
	q.mu.Lock()
	q.wrote(n)
	if err != nil {
		q.drop()
		q.mu.Unlock()
		w.failed.close(err)
		return
	}
	q.stopWriting()
	w.unlock()
}

// next has write take the next bytes of the queue, and reports whether it took all of them;
// it takes less, or there are none, where the writer has to stop. The caller is the writer.
func (w *writer) next(write func([]byte) (int, error)) bool {
	q := &w.queue
	q.mu.Lock()
	b := q.nextWrite()
	q.mu.Unlock()
	if len(b) == 0 {
		return false
	}
	b = b[:min(len(b), writeChunk)]
	n, err := write(b)
	w.trace()
	q.mu.Lock()
	q.wrote(n)
	if err != nil {
		q.drop()
	}
	q.mu.Unlock()
	if err != nil {
		w.failed.close(err)
	}
	return err == nil && n == len(b)
}

// available is the writer of a session without goroutines: it writes until nothing is queued,
// or the connection takes no more. Then it stays the writer, until it is called again or the end.
func (w *writer) available() {
	for w.next(w.try.TryWrite) {
	}
}

// abandon ends the writing of a session without goroutines that has ended: what is queued is
// lost.
func (w *writer) abandon() {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	if w.queue.writing {
		w.queue.drop()
	}
}

// goOn goes on writing, after a connection of a session without goroutines has taken less than all.
func (w *writer) goOn() {
	w.queue.mu.Lock()
	writing := w.queue.writing
	w.queue.mu.Unlock()
	if writing {
		w.available()
	}
}

// trace is called when bytes were given to the connection.
func (w *writer) trace() {
	if w.traced {
		trace.At(trace.Written)
	}
}
