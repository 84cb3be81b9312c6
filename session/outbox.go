package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/weirnet/weir/openflow"
)

// outbox is what comes of a step: what is sent, what is delivered, why the connection ends. All parts of a Core
// put it here, in the order in which it is to be done, and nowhere else. Only the transaction ids may be drawn
// without the owner's lock.
type outbox struct {
	version openflow.Version // in which it sends: that agreed on, or of an error before there is one
	xid     atomic.Uint32    // last transaction id used
	send    []byte
	events  []Event
	reason  error // the connection has ended; the first reason counts
	counts  coreCounts
}

// begin begins a step: what came of the last one is done.
func (o *outbox) begin() {
	if cap(o.send) > minReadBuffer {
		o.send = nil
	}
	clear(o.events)
	o.send, o.events = o.send[:0], o.events[:0]
}

// nextXID is a transaction id that was not used lately. Any goroutine may call it.
func (o *outbox) nextXID() uint32 { return o.xid.Add(1) }

// message sends a message of our own. The version has been checked before: it cannot fail.
func (o *outbox) message(xid uint32, m openflow.Message) {
	send, err := openflow.Append(o.send, o.version, xid, m)
	if err != nil {
		panic("session: own message: " + err.Error())
	}
	o.send = send
}

// echoReply sends the peer's echo request back as a reply with the same transaction id and data.
func (o *outbox) echoReply(frame []byte) {
	at := len(o.send)
	o.send = append(o.send, frame...)
	o.send[at+1] = uint8(openflow.TypeEchoReply)
}

// deliver adds an event.
func (o *outbox) deliver(e Event) { o.events = append(o.events, e) }

// refuse answers a message that was not understood, and goes on. An error is never answered with an error.
func (o *outbox) refuse(frame []byte, err error) {
	o.counts.refused++
	var de *openflow.DecodeError
	if !errors.As(err, &de) {
		de = &openflow.DecodeError{Code: openflow.BadRequestBadLen, Reason: err.Error()}
	}
	if openflow.Type(frame[1]) != openflow.TypeError {
		o.error(frame, de)
	}
}

// error sends the error that answers frame, with its transaction id.
func (o *outbox) error(frame []byte, de *openflow.DecodeError) {
	send, err := openflow.Append(o.send, o.version, binary.BigEndian.Uint32(frame[4:]), openflow.NewError(de, frame))
	if err == nil {
		o.send = send
	}
}

// refuseWith answers a message of the peer with an error whose data is text for people, and ends the connection.
func (o *outbox) refuseWith(xid uint32, code openflow.ErrorCode, text string, reason error) {
	o.counts.refused++
	o.message(xid, &openflow.ErrorMsg{Code: code, Data: []byte(text)})
	o.close(reason)
}

// loseFraming answers a message after which nothing can be read any more, and ends the connection.
func (o *outbox) loseFraming(frame []byte, code openflow.ErrorCode, reason string) {
	o.counts.refused++
	o.error(frame, &openflow.DecodeError{Code: code, Reason: reason})
	o.close(fmt.Errorf("%w: %s", ErrFraming, reason))
}

// close ends the connection.
func (o *outbox) close(reason error) {
	if o.reason == nil {
		o.reason = reason
	}
}

// closed reports whether the connection has ended.
func (o *outbox) closed() bool { return o.reason != nil }
