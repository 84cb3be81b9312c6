package emu

import (
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/session"
)

// wire is a switch's end of a connection to a controller, between the session and the network,
// where faults are made and bytes are captured.
type wire struct {
	net.Conn
	channel  *channel
	released sync.Once // its place among those that connect is given back
	closed   sync.Once

	mu          sync.Mutex
	changed     sync.Cond // signalled when one of the following changes
	faults      faults
	ended       bool
	over        chan struct{} // closed at the end
	slowChanged chan struct{} // closed, and another made, when the time changes by which the connection is slow

	order sync.Mutex // held, while somebody captures, from a write to its being shown: no answer to it is shown before it
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
	w := &wire{Conn: c, channel: ch, over: make(chan struct{}), slowChanged: make(chan struct{})}
	w.changed.L = &w.mu
	if try := session.TryWriterOf(c); try != nil {
		return w, &tryWire{w, try}
	}
	return w, w
}

// Read reads what the controller sent. While the connection is stalled it waits, whatever deadlines
// pass; Close ends it.
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
		w.show(p[:n])
	}
	return n, err
}

// show shows what the controller sent to those who capture.
func (w *wire) show(b []byte) {
	if w.channel.taps.Load() != nil {
		w.order.Lock()
		defer w.order.Unlock()
		w.channel.tap(FromController, b)
	}
}

// Write writes the bytes of the switch. It may block for long, so captures get all of them before.
func (w *wire) Write(p []byte) (int, error) {
	w.channel.tap(ToController, p)
	return w.Conn.Write(p)
}

// TryWrite writes what there is room for.
func (w *tryWire) TryWrite(p []byte) (int, error) {
	if w.channel.taps.Load() == nil {
		return w.try.TryWrite(p)
	}
	w.order.Lock()
	defer w.order.Unlock()
	n, err := w.try.TryWrite(p)
	w.channel.tap(ToController, p[:n])
	return n, err
}

// await waits while the connection is stalled; false if it was closed.
func (w *wire) await() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.faults.stalled && !w.ended {
		w.releaseSlot() // a connection that is stalled in its handshake keeps no other from being made
	}
	for w.faults.stalled && !w.ended {
		w.changed.Wait()
	}
	return !w.ended
}

// delay waits as long as a slow connection does, unless it is closed. A change of the time holds
// for what waits already.
func (w *wire) delay() {
	for begun := w.channel.sw.net.now(); ; {
		w.mu.Lock()
		until, changed := begun+w.faults.slow, w.slowChanged
		w.mu.Unlock()
		if !pause(until-w.channel.sw.net.now(), w.over, changed) {
			return
		}
	}
}

// setFaults makes or mends faults.
func (w *wire) setFaults(f faults) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.slow != w.faults.slow {
		close(w.slowChanged)
		w.slowChanged = make(chan struct{})
	}
	w.faults = f
	w.changed.Broadcast()
}

// releaseSlot gives the place among those that connect back.
func (w *wire) releaseSlot() { w.released.Do(w.channel.sw.net.attempts.release) }

// Close ends the connection; the channel tries another.
func (w *wire) Close() error {
	err := w.Conn.Close()
	w.closed.Do(func() {
		w.mu.Lock()
		w.ended = true
		close(w.over)
		w.changed.Broadcast()
		w.mu.Unlock()
		w.releaseSlot()
		w.channel.lost()
	})
	return err
}
