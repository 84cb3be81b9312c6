package emu

import (
	"errors"
	"fmt"
	"io"
	"net"
)

// troubled takes note of why there is no connection, or why one over a wire ended, unless there is another by now.
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

// Refused takes note of why the controller and the switch did not come to speak OpenFlow.
func (c *conn) Refused(err error) { c.channel.troubled(c.wire, err) }

// why is an error of a connection in words that are the same for all switches: without addresses, of which each has its own.
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

// Trouble is why a switch is not connected, the first that tells: the controller, and what went wrong when it was last tried. Both are
// empty if nothing went wrong.
func (n *Network) Trouble() (controller, reason string) {
	for _, sw := range n.switches {
		for _, ch := range sw.channels {
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

// because is the trouble behind a number of switches: ": 127.0.0.1:6653: connect: connection refused".
func (n *Network) because() string {
	if controller, reason := n.Trouble(); reason != "" {
		return fmt.Sprintf(": %s: %s", controller, reason)
	}
	return ""
}
