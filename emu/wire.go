package emu

import (
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/session"
)

// wire is a switch's end of a connection to a controller, between the session and the network, where faults are made and
// bytes are captured.
type wire struct {
	net.Conn
	channel *channel
	settled sync.Once // its place among those that connect is given back
	closed  sync.Once

	mu      sync.Mutex
	changed sync.Cond // signalled when one of the following changes
	faults  faults
	ended   bool
	over    chan struct{} // closed at the end
}

// tryWire is a wire that can be written without waiting.
type tryWire struct {
	*wire
	try interface{ TryWrite(p []byte) (int, error) }
}

// faults are what is wrong with a connection.
type faults struct {
	stalled bool          // nothing is read
	slow    time.Duration // what was read is handed on so much later
}

// newWire makes the connection that a session gets.
func newWire(c net.Conn, ch *channel) (*wire, net.Conn) {
	w := &wire{Conn: c, channel: ch, over: make(chan struct{})}
	w.changed.L = &w.mu
	if try := session.TryWriterOf(c); try != nil {
		return w, &tryWire{w, try}
	}
	return w, w
}

// Read reads what the controller sent. While the connection is stalled it waits, whatever deadlines pass; Close ends it.
func (w *wire) Read(p []byte) (int, error) {
	if !w.await() {
		return 0, net.ErrClosed
	}
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.delay()
		if !w.await() { // it was stalled while it read
			return 0, net.ErrClosed
		}
		w.channel.tap(FromController, p[:n])
	}
	return n, err
}

// Write writes what the switch says.
func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	w.channel.tap(ToController, p[:n])
	return n, err
}

// TryWrite writes what there is room for.
func (w *tryWire) TryWrite(p []byte) (int, error) {
	n, err := w.try.TryWrite(p)
	w.channel.tap(ToController, p[:n])
	return n, err
}

// await waits while the connection is stalled; false if it was closed.
func (w *wire) await() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.faults.stalled && !w.ended {
		w.settle() // a connection that is stalled in its handshake keeps no other from being made
	}
	for w.faults.stalled && !w.ended {
		w.changed.Wait()
	}
	return !w.ended
}

// delay waits as long as a slow connection does, unless it is closed.
func (w *wire) delay() {
	w.mu.Lock()
	slow := w.faults.slow
	w.mu.Unlock()
	if slow > 0 {
		pause(w, slow)
	}
}

// setFaults makes or mends faults.
func (w *wire) setFaults(f faults) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = f
	w.changed.Broadcast()
}

// settle gives the place among those that connect back.
func (w *wire) settle() { w.settled.Do(w.channel.sw.net.settle) }

// Close ends the connection; the channel tries another.
func (w *wire) Close() error {
	err := w.Conn.Close()
	w.closed.Do(func() {
		w.mu.Lock()
		w.ended = true
		close(w.over)
		w.changed.Broadcast()
		w.mu.Unlock()
		w.settle()
		w.channel.lost()
	})
	return err
}
