package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/openflow"
)

// receive takes one whole message.
func (c *Core) receive(frame []byte, now time.Time) {
	if c.state == stateHello {
		c.receiveFirst(frame, now)
		return
	}
	if !c.framed(frame) {
		return
	}
	h, m, err := openflow.Parse(bytes.Clone(frame))
	if err != nil {
		c.refuse(h, frame, err)
		return
	}
	switch m := m.(type) {
	case *openflow.Hello:
	case *openflow.EchoRequest:
		c.answerEcho(frame)
	case *openflow.EchoReply:
		if !c.measure(h.XID, now) && !c.duplicateReply(h.XID) {
			c.reply(h, m, frame)
		}
	case *openflow.ErrorMsg:
		c.receiveError(h, m)
	default:
		if c.end == ControllerEnd {
			c.receiveFromSwitch(h, m, frame)
		} else {
			c.receiveFromController(h, m, frame)
		}
	}
}

// plausible reports whether the rest of a message is to be awaited, by its header: if not, the
// header ends the connection, so that a client of another protocol gets its error at once.
func (c *Core) plausible(header []byte) bool {
	t := openflow.Type(header[1])
	if c.state == stateHello {
		return t == openflow.TypeHello || t == openflow.TypeError
	}
	return t == openflow.TypeError || openflow.Version(header[0]) == c.version || c.otherVersion(header)
}

// otherVersion reports whether a controller says something in another version of OpenFlow than
// agreed on, which does not end the session: the header has the same form in all versions, so what
// comes next is still understood. Open vSwitch goes on, too. A controller does not go on with such
// a switch.
func (c *Core) otherVersion(header []byte) bool {
	const first, last = openflow.V10, openflow.Version(6) // OpenFlow 1.0 to 1.5
	v := openflow.Version(header[0])
	return c.end == SwitchEnd && c.state != stateHello && v != c.version && first <= v && v <= last
}

// framed reports whether the bytes are a message of this session. If not, it has been answered, and
// the connection ends unless the framing is still known. Errors may have any version: one that
// refuses our HELLO comes before the peer has agreed on one.
func (c *Core) framed(frame []byte) bool {
	length := int(frame[2])<<8 | int(frame[3])
	switch v := openflow.Version(frame[0]); {
	case length < openflow.HeaderLen:
		c.failFraming(frame, openflow.BadRequestBadLen, fmt.Sprintf("length %d in a header, below 8", length))
	case v != c.version && openflow.Type(frame[1]) != openflow.TypeError && c.otherVersion(frame):
		c.counts.refused++
		c.sendError(frame, &openflow.DecodeError{Code: openflow.BadRequestBadVersion,
			Reason: fmt.Sprintf("version %s in a session of %s", v, c.version)})
	case v != c.version && openflow.Type(frame[1]) != openflow.TypeError:
		c.failFraming(frame, openflow.BadRequestBadVersion, fmt.Sprintf("version %s in a session of %s", v, c.version))
	default:
		return true
	}
	return false
}

// failFraming answers a message after which the framing is lost, and ends the connection.
func (c *Core) failFraming(frame []byte, code openflow.ErrorCode, reason string) {
	c.counts.refused++
	c.sendError(frame, &openflow.DecodeError{Code: code, Reason: reason})
	c.close(fmt.Errorf("%w: %s", ErrFraming, reason))
}

// refuse answers a message that was not understood, and goes on. An error is never answered with an
// error.
func (c *Core) refuse(h openflow.Header, frame []byte, err error) {
	c.counts.refused++
	if r := c.requests.find(h.XID); r != nil && r.want == h.Type {
		c.answer(r, nil, err)
	}
	var de *openflow.DecodeError
	if !errors.As(err, &de) {
		de = &openflow.DecodeError{Code: openflow.BadRequestBadLen, Reason: err.Error()}
	}
	if openflow.Type(frame[1]) != openflow.TypeError {
		c.sendError(frame, de)
	}
}

// sendError sends the error that answers frame, with its transaction id.
func (c *Core) sendError(frame []byte, de *openflow.DecodeError) {
	out, err := openflow.Append(c.out, c.version, binary.BigEndian.Uint32(frame[4:]), openflow.NewError(de, frame))
	if err == nil {
		c.out = out
	}
}

// receiveError takes an error: the answer to a request, or something for the handler.
func (c *Core) receiveError(h openflow.Header, m *openflow.ErrorMsg) {
	if r := c.requests.find(h.XID); r != nil {
		c.answer(r, nil, &PeerError{Header: h, Msg: m})
		return
	}
	if m.Code>>16 == openflow.HelloFailedIncompatible>>16 {
		c.close(fmt.Errorf("%w: %w", ErrVersions, &PeerError{Header: h, Msg: m}))
		return
	}
	c.deliver(h, m)
}
