package emu

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"unicode"

	"github.com/weirnet/weir/openflow"
)

// Refused begins the reason of Trouble where the controller sent an error and closed the
// connection.
const Refused = "the controller refused"

// rejection is an error message with which a controller ends a connection.
type rejection struct {
	code openflow.ErrorCode
	text string // for people, as Weir sends it; others send the start of what they refuse
	seen bool   // the batch that it came in is over
}

func (r *rejection) Error() string {
	if r.text == "" || strings.ContainsFunc(r.text, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return fmt.Sprintf("%s: %v", Refused, r.code)
	}
	return fmt.Sprintf("%s: %v %q", Refused, r.code, r.text)
}

// acceptance tracks whether a controller has accepted the switch, which shows after the answer to
// its features request.
type acceptance uint8

const (
	unasked acceptance = iota
	asked              // in this batch
	awaited            // what comes next is it
	heard
)

// endOfBatch is called at the end of a batch. A controller that goes on after the features takes
// the switch: a rejection of the attempt before stands until then. An error after which anything
// came is not why a connection ends.
func (c *conn) endOfBatch() {
	switch {
	case c.lastError != nil && !c.lastError.seen:
		c.lastError.seen = true
		return
	case c.lastError != nil:
		c.lastError = nil
	}
	switch c.acceptance {
	case asked:
		c.acceptance = awaited
	case awaited:
		c.acceptance = heard
		c.channel.accepted(c.wire)
	}
}

// troubled records why there is no connection, or why that over a wire ended, unless there is
// another by now.
func (ch *channel) troubled(w *wire, err error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	switch {
	case ch.wire != nil && ch.wire != w:
	case w != nil && w == ch.ended: // whatever the session noticed of it first
		ch.trouble = net.ErrClosed
	default:
		ch.trouble = err
	}
}

// Refused records why the handshake failed.
func (c *conn) Refused(err error) { c.channel.troubled(c.wire, err) }

// why is the text of a connection's error without addresses, so that it is the same for all
// switches.
func why(err error) string {
	var op *net.OpError
	switch {
	case errors.Is(err, net.ErrClosed):
		return "the connection was cut"
	case errors.As(err, &op):
		return op.Err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the controller closed the connection"
	}
	return err.Error()
}

// Trouble is why a switch is not connected, the first that tells: the controller, and what went
// wrong when it was last tried. Both are empty if nothing went wrong.
func (n *Network) Trouble() (controller, reason string) {
	for _, sw := range n.switches {
		for _, ch := range sw.control.channels {
			ch.mu.Lock()
			err := ch.trouble
			ch.mu.Unlock()
			if err != nil {
				return ch.address, why(err)
			}
		}
	}
	return "", ""
}

// troubleSuffix is the trouble behind a number of switches: ": 127.0.0.1:6653: connect: connection
// refused".
func (n *Network) troubleSuffix() string {
	if controller, reason := n.Trouble(); reason != "" {
		return fmt.Sprintf(": %s: %s", controller, reason)
	}
	return ""
}
