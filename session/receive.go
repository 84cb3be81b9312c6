package session

import (
	"bytes"
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
	} else {
		c.take(h, m, frame, now)
	}
	if c.state == stateHandshake && c.handshake.stage == stageDone {
		c.connect(now)
	}
}

// take takes a message that was understood.
func (c *Core) take(h openflow.Header, m openflow.Message, frame []byte, now time.Time) {
	switch m := m.(type) {
	case *openflow.Hello:
	case *openflow.EchoRequest:
		c.out.echoReply(frame)
	case *openflow.EchoReply:
		if !c.echo.measure(h.XID, now) && !c.duplicate.reply(&c.out, h.XID) {
			c.requests.reply(h, m, len(frame))
		}
	case *openflow.ErrorMsg:
		c.takeError(h, m)
	default:
		if c.end == ControllerEnd {
			c.takeFromSwitch(h, m, frame)
		} else {
			c.takeFromController(h, m, frame)
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
	return t == openflow.TypeError || openflow.Version(header[0]) == c.out.version || c.otherVersion(header)
}

// otherVersion reports whether a controller says something in another version of OpenFlow than
// agreed on, which does not end the session: the header has the same form in all versions, so what
// comes next is still understood. Open vSwitch goes on, too. A controller does not go on with such
// a switch.
func (c *Core) otherVersion(header []byte) bool {
	const first, last = openflow.V10, openflow.Version(6) // OpenFlow 1.0 to 1.5
	v := openflow.Version(header[0])
	return c.end == SwitchEnd && c.state != stateHello && v != c.out.version && first <= v && v <= last
}

// framed reports whether the bytes are a message of this session. If not, it has been answered, and
// the connection ends unless the framing is still known. Errors may have any version: one that
// refuses our HELLO comes before the peer has agreed on one.
func (c *Core) framed(frame []byte) bool {
	length := int(frame[2])<<8 | int(frame[3])
	v, agreed := openflow.Version(frame[0]), c.out.version
	switch {
	case length < openflow.HeaderLen:
		c.out.loseFraming(frame, openflow.BadRequestBadLen, fmt.Sprintf("length %d in a header, below 8", length))
	case v == agreed || openflow.Type(frame[1]) == openflow.TypeError:
		return true
	case c.otherVersion(frame):
		c.out.refuse(frame, &openflow.DecodeError{Code: openflow.BadRequestBadVersion,
			Reason: fmt.Sprintf("version %s in a session of %s", v, agreed)})
	default:
		c.out.loseFraming(frame, openflow.BadRequestBadVersion, fmt.Sprintf("version %s in a session of %s", v, agreed))
	}
	return false
}

// refuse answers a message that was not understood, and goes on. If it is the answer to a request, that has failed.
func (c *Core) refuse(h openflow.Header, frame []byte, err error) {
	if r := c.requests.find(h.XID); r != nil && r.want == h.Type {
		c.requests.end(r, nil, err)
	}
	c.out.refuse(frame, err)
}

// takeError takes an error: the answer to a request, or something for the handler.
func (c *Core) takeError(h openflow.Header, m *openflow.ErrorMsg) {
	if r := c.requests.find(h.XID); r != nil {
		c.requests.end(r, nil, &PeerError{Header: h, Msg: m})
		return
	}
	if m.Code>>16 == openflow.HelloFailedIncompatible>>16 {
		c.out.close(fmt.Errorf("%w: %w", ErrVersions, &PeerError{Header: h, Msg: m}))
		return
	}
	c.deliver(h, m)
}
