package session

import (
	"errors"
	"net"
	"sync"
	"time"
)

// wire is the connection under TLS. What TLS writes after its handshake gathers here.
type wire struct {
	net.Conn
	try tryWriter // nil if the connection can not be written without waiting

	mu        sync.Mutex
	gathering bool
	pending   []byte
}

// errWire ends a connection whose peer makes TLS answer and takes no answers.
var errWire = errors.New("too much of TLS waits for the peer")

// maxGathered is how much may gather: one part encrypted, and what TLS sends on its own.
const maxGathered = 2 * writeChunk

func (w *wire) gather() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gathering = true
}

// Write is called by TLS.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	if !w.gathering {
		w.mu.Unlock()
		return w.Conn.Write(p)
	}
	defer w.mu.Unlock()
	if len(w.pending)+len(p) > maxGathered {
		return 0, errWire
	}
	w.pending = append(w.pending, p...)
	return len(p), nil
}

// flush writes what has gathered, without waiting, and reports whether something is left.
func (w *wire) flush() (left bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 || w.try == nil {
		return len(w.pending) > 0, nil
	}
	n, err := w.try.TryWrite(w.pending)
	w.pending = append(w.pending[:0], w.pending[n:]...)
	return len(w.pending) > 0, err
}

// drain writes what has gathered, and waits. One goroutine at a time calls flush or drain.
func (w *wire) drain() error {
	w.mu.Lock()
	b := w.pending
	w.pending = nil
	w.mu.Unlock()
	_, err := w.Conn.Write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending == nil {
		w.pending = b[:0]
	}
	return err
}

// trim frees a large buffer that is empty.
func (w *wire) trim() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 && cap(w.pending) > keepOutput {
		w.pending = nil
	}
}

// Close writes what can be written at once, TLS's farewell at best, and closes the connection.
func (w *wire) Close() error {
	_ = w.Conn.SetWriteDeadline(time.Time{}) // that of TLS, for its farewell
	_, _ = w.flush()
	return w.Conn.Close()
}
