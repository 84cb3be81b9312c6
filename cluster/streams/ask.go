package streams

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// answer is what has come of a request.
type answer struct {
	payload []byte
	err     error
}

// maxAnswering is how many requests of one peer are answered at a time; more are refused.
const maxAnswering = 256

// errBusy refuses a request.
var errBusy = errors.New("too many requests are being answered")

// waitLength is that of the time in a request: milliseconds that the asker waits.
const waitLength = 4

// longestWait is how long an answer is waited for at most, though the asker may give more time.
const longestWait = time.Minute

// Ask sends a request to a peer and waits for the answer, the end of ctx, or a minute. With ErrNotConnected and
// ErrFull nothing was sent; with *Refused the peer has answered with an error; with ErrUnknown (no answer in time,
// connection lost) it may have done what was asked, or do it yet. The answer is the caller's.
func (s *Streams) Ask(ctx context.Context, to ID, kind uint16, payload []byte) ([]byte, error) {
	k := s.kinds[kind]
	if k == nil || k.Request == nil {
		panic(fmt.Sprintf("streams: kind %d is no kind of requests", kind))
	}
	if len(payload) > MaxPayload-waitLength {
		return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLong, len(payload), MaxPayload-waitLength)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := s.conn(to, messages)
	if c == nil {
		return nil, ErrNotConnected
	}
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	until, _ := ctx.Deadline()
	wait := max(time.Until(until), time.Millisecond)
	b := binary.BigEndian.AppendUint32(make([]byte, 0, waitLength+len(payload)), uint32(wait.Milliseconds()))
	ch := make(chan answer, 1)
	number, err := c.ask(k, append(b, payload...), ch)
	if err != nil {
		return nil, err
	}
	s.counts.asked.Add(1)
	select {
	case a := <-ch:
		return a.payload, a.err
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.asked, number)
		c.mu.Unlock()
		return nil, fmt.Errorf("%w: %w", ErrUnknown, ctx.Err())
	}
}

// ask queues a request whose answer goes to ch.
func (c *conn) ask(k *Kind, payload []byte, ch chan<- answer) (uint32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	f := frame{header: header{typ: frameRequest, kind: k.Number, number: c.number}, payload: payload}
	if err := c.push(f, k.Queue); err != nil {
		return 0, err
	}
	c.asked[c.number] = ch
	return c.number, nil
}

// Send queues a message for a peer and never waits. The payload must not be changed any more. With ErrFull and
// ErrNotConnected nothing was sent; what was taken may be lost with the connection.
func (s *Streams) Send(to ID, kind uint16, payload []byte) error {
	k := s.kinds[kind]
	if k == nil || k.Message == nil {
		panic(fmt.Sprintf("streams: kind %d is no kind of messages", kind))
	}
	if len(payload) > MaxPayload {
		return fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLong, len(payload), MaxPayload)
	}
	c := s.conn(to, messages)
	if c == nil {
		return ErrNotConnected
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.push(frame{header: header{typ: frameMessage, kind: kind}, payload: payload}, k.Queue)
	if errors.Is(err, ErrFull) {
		s.counts.full.Add(1)
	}
	return err
}

// takeMessage takes a frame of the lane of messages.
func (c *conn) takeMessage(h header, payload []byte) error {
	k := c.s.kinds[h.kind]
	switch {
	case h.typ == frameAnswer || h.typ == frameRefusal:
		c.answered(h, payload)
	case h.typ == frameMessage && k != nil && k.Message != nil:
		c.s.counts.messagesReceived.Add(1)
		k.Message(c.peer, payload)
	case h.typ == frameMessage: // of a kind of another version
		c.s.counts.unknownKinds.Add(1)
	case h.typ == frameRequest && len(payload) >= waitLength:
		if k == nil || k.Request == nil {
			return c.reply(h, nil, fmt.Errorf("requests of kind %d are not known here", h.kind))
		}
		wait := time.Duration(binary.BigEndian.Uint32(payload)) * time.Millisecond
		return c.answer(k, h, append([]byte(nil), payload[waitLength:]...), wait)
	default:
		return unexpected(c, h)
	}
	return nil
}

// answered gives an answer to who waits for it, if anybody does.
func (c *conn) answered(h header, payload []byte) {
	c.mu.Lock()
	ch := c.asked[h.number]
	delete(c.asked, h.number)
	c.mu.Unlock()
	if ch == nil {
		return // it came too late
	}
	if h.typ == frameRefusal {
		ch <- answer{err: &Refused{string(payload)}} // it holds one
	} else {
		ch <- answer{payload: append([]byte(nil), payload...)}
	}
}

// reply queues the answer to a request. The error is that of the connection.
func (c *conn) reply(h header, payload []byte, err error) error {
	f := frame{header: header{typ: frameAnswer, kind: h.kind, number: h.number}, payload: payload}
	if err == nil && len(payload) > MaxPayload {
		err = fmt.Errorf("%w: answer of %d bytes, want at most %d", ErrTooLong, len(payload), MaxPayload)
	}
	if err != nil {
		text := err.Error()
		f.typ, f.payload = frameRefusal, []byte(text[:min(len(text), MaxPayload)])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.push(f, 0) // as many as requests, which are bounded
}
