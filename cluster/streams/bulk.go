package streams

import (
	"errors"
	"fmt"
)

// Bulk is the sending end of a bulk stream to one peer. Its methods may be called by any goroutine; parts arrive in the
// order of the calls.
type Bulk struct {
	c      *conn
	kind   *Kind
	number uint32
	done   chan struct{}

	// Under c.mu:
	err     error
	dropped bool // what waits of it is not written any more
}

// errComplete is why a stream has ended that its sender has ended.
var errComplete = errors.New("the stream was ended")

// Begin begins a bulk stream of a kind to a peer, instead of one that there is. It is over, and has to be begun anew with
// whatever the receiver then needs, when a call of Send fails, Done is closed, or both.
func (s *Streams) Begin(to ID, kind uint16) (*Bulk, error) {
	k := s.kinds[kind]
	if k == nil || k.Bulk == nil {
		panic(fmt.Sprintf("streams: kind %d is no kind of bulk", kind))
	}
	c := s.conn(to, bulk)
	if c == nil {
		return nil, ErrNotConnected
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.sending[kind]; old != nil {
		old.dropped = true
		old.ended(ErrReplaced)
	}
	c.number++
	b := &Bulk{c: c, kind: k, number: c.number, done: make(chan struct{})}
	if err := c.push(frame{header: b.header(frameBegin)}, 0); err != nil {
		return nil, err
	}
	c.sending[kind] = b
	return b, nil
}

func (b *Bulk) header(t frameType) header {
	return header{typ: t, kind: b.kind.Number, number: b.number}
}

// Send queues a part and never waits. The payload must not be changed any more. If more waits than the kind's queue holds
// the stream is over, at both ends (ErrOverrun): nothing of it is passed over in silence.
func (b *Bulk) Send(payload []byte) error {
	if len(payload) > MaxPayload {
		return fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLong, len(payload), MaxPayload)
	}
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	err := b.c.push(frame{header: b.header(frameData), payload: payload, of: b}, b.kind.Queue)
	if errors.Is(err, ErrFull) {
		b.dropped = true
		b.finish(ErrOverrun, ErrOverrun.Error())
		b.c.s.counts.overruns.Add(1)
		return ErrOverrun
	}
	return err
}

// End ends the stream: it is complete. The receiver is told after its last part.
func (b *Bulk) End() {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	if b.err == nil {
		b.finish(errComplete, "")
	}
}

// Abort ends the stream, and tells the receiver why, which is not to be empty. What waits of it is not sent.
func (b *Bulk) Abort(why string) {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	if b.err == nil {
		b.dropped = true
		b.finish(fmt.Errorf("%w: %s", ErrStopped, why), why)
	}
}

// finish ends a stream that has not ended, and tells the receiver. The caller has the lock.
func (b *Bulk) finish(err error, text string) {
	b.ended(err)
	delete(b.c.sending, b.kind.Number)
	_ = b.c.push(frame{header: b.header(frameEnd), payload: []byte(text)}, 0) // else the connection has ended, and it with it
}

// ended notes why it has ended. The caller has the lock.
func (b *Bulk) ended(err error) {
	b.err = err
	close(b.done)
}

// Done is closed when the stream is over; Err says why.
func (b *Bulk) Done() <-chan struct{} { return b.done }

// Err is why the stream is over; nil: it is not.
func (b *Bulk) Err() error {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	return b.err
}

// inbound is the receiving end of the streams of a connection. Only its reader uses it.
type inbound struct {
	c    *conn
	open map[uint16]uint32 // numbers of the streams that are open, by kind
}

// take takes a frame.
func (in *inbound) take(h header, payload []byte) error {
	if h.typ == frameStop {
		in.c.stopped(h, string(payload))
		return nil
	}
	k := in.c.s.kinds[h.kind]
	if k == nil || k.Bulk == nil {
		if h.typ == frameBegin {
			return in.stop(h, fmt.Errorf("kind %d is not known here", h.kind))
		}
		return nil
	}
	number, open := in.open[h.kind]
	switch {
	case h.typ == frameBegin:
		if open {
			in.ended(k, ErrReplaced)
		}
		in.open[h.kind] = h.number
		k.Bulk.Began(in.c.peer)
	case h.typ != frameData && h.typ != frameEnd:
		return unexpected(in.c, h)
	case !open || number != h.number: // it was stopped here
	case h.typ == frameData:
		in.c.s.counts.bulkReceived.Add(1)
		if err := k.Bulk.Take(in.c.peer, payload); err != nil {
			in.ended(k, err)
			return in.stop(h, err)
		}
	case len(payload) > 0 && string(payload) == ErrOverrun.Error():
		in.ended(k, ErrOverrun)
	case len(payload) > 0:
		in.ended(k, fmt.Errorf("%w: %s", ErrStopped, payload))
	default:
		in.ended(k, nil)
	}
	return nil
}

func (in *inbound) ended(k *Kind, err error) {
	delete(in.open, k.Number)
	k.Bulk.Ended(in.c.peer, err)
}

// stop tells the sender that a stream is not taken any more. The error is that of the connection.
func (in *inbound) stop(h header, why error) error {
	in.c.mu.Lock()
	defer in.c.mu.Unlock()
	text := why.Error()
	text = text[:min(len(text), 1024)]
	return in.c.push(frame{header: header{typ: frameStop, kind: h.kind, number: h.number}, payload: []byte(text)}, 0)
}

// close ends what is open, since the connection has ended.
func (in *inbound) close(err error) {
	for kind := range in.open {
		in.ended(in.c.s.kinds[kind], fmt.Errorf("%w: %w", ErrLost, err))
	}
}

// stopped ends a stream that the receiver does not take any more.
func (c *conn) stopped(h header, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.sending[h.kind]; b != nil && b.number == h.number {
		b.dropped = true
		b.ended(fmt.Errorf("%w: %s", ErrStopped, why))
		delete(c.sending, h.kind)
	}
}
