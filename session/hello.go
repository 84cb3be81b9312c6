package session

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/weirnet/weir/openflow"
)

// bitmap is the set of versions as HELLO has it: bit n for version n.
func bitmap(versions []openflow.Version) uint32 {
	var m uint32
	for _, v := range versions {
		m |= 1 << v
	}
	return m
}

// highest is the highest version of a bitmap.
func highest(m uint32) openflow.Version { return openflow.Version(bits.Len32(m) - 1) }

// hello offers our versions: the header has the highest, and from OpenFlow 1.3 on the bitmap
// all of them.
func (o *outbox) hello(versions []openflow.Version) {
	offer := bitmap(versions)
	v := highest(offer)
	hello := &openflow.Hello{}
	if v != openflow.V10 {
		hello.Versions = offer
	}
	send, err := openflow.Append(o.send, v, o.nextXID(), hello)
	if err != nil {
		panic("session: versions of Config: " + err.Error())
	}
	o.send = send
}

// negotiate picks the version: where both sides sent a bitmap the highest in both, otherwise the
// smaller of the two headers' versions, if it is ours (OpenFlow 1.3, "Connection Setup"). Zero if
// there is none.
func negotiate(offer uint32, peer openflow.Version, versions uint32) openflow.Version {
	if versions != 0 && highest(offer) != openflow.V10 {
		if common := offer & versions; common != 0 {
			return highest(common)
		}
		return 0
	}
	v := min(highest(offer), peer)
	if offer&(1<<v) == 0 {
		return 0
	}
	return v
}

// tlsHandshake and tlsMajor begin what a peer sends that speaks TLS: the record's type and version
// (RFC 8446, 5.1).
const (
	tlsHandshake = 22
	tlsMajor     = 3
)

// receiveFirst takes the first message, which must be HELLO (or the error that refuses ours).
func (c *Core) receiveFirst(frame []byte, now time.Time) {
	peer := openflow.Version(frame[0])
	length := int(frame[2])<<8 | int(frame[3])
	switch {
	case frame[0] == tlsHandshake && frame[1] == tlsMajor:
		c.out.refuseHello(frame, "TLS where none is spoken")
		return
	case length < openflow.HeaderLen:
		c.out.version = errorVersion(peer)
		c.out.loseFraming(frame, openflow.BadRequestBadLen, fmt.Sprintf("length %d in a header, below 8", length))
		return
	case openflow.Type(frame[1]) == openflow.TypeError:
		c.out.close(refusedHello(frame))
		return
	case openflow.Type(frame[1]) != openflow.TypeHello:
		c.out.refuseHello(frame, fmt.Sprintf("message of type %d before HELLO", frame[1]))
		return
	}
	var hello openflow.Hello
	if err := hello.Parse(peer, frame[openflow.HeaderLen:]); err != nil {
		c.out.refuseHello(frame, err.Error())
		return
	}
	offer := bitmap(c.cfg.Versions)
	v := negotiate(offer, peer, hello.Versions)
	if v == 0 {
		c.out.refuseHello(frame, fmt.Sprintf("here %s, there %s: no version in common", versionsText(offer),
			versionsText(cmp.Or(hello.Versions, 1<<(peer&31)))))
		return
	}
	c.out.version = v
	if c.end == SwitchEnd {
		c.connect(now)
		return
	}
	c.state = stateHandshake
	c.handshake.begin(now)
}

// refusedHello is why the peer's error ended the connection.
func refusedHello(frame []byte) error {
	h, m, err := openflow.Parse(bytes.Clone(frame))
	if err != nil {
		return fmt.Errorf("%w: error instead of HELLO: %w", ErrVersions, err)
	}
	return fmt.Errorf("%w: %w", ErrVersions, &PeerError{Header: h, Msg: m.(*openflow.ErrorMsg)})
}

// errorVersion returns the version of an error to a peer before a version is agreed on.
func errorVersion(peer openflow.Version) openflow.Version {
	if peer >= openflow.V13 {
		return openflow.V13
	}
	return openflow.V10
}

// refuseHello answers the first message with OFPHFC_INCOMPATIBLE, and ends the connection.
func (o *outbox) refuseHello(frame []byte, reason string) {
	o.version = errorVersion(openflow.Version(frame[0]))
	o.refuseWith(binary.BigEndian.Uint32(frame[4:]), openflow.HelloFailedIncompatible, reason,
		fmt.Errorf("%w: %w", ErrVersions, errors.New(reason)))
}

// versionsText is a bitmap of versions for people: "1.0, 1.3".
func versionsText(m uint32) string {
	var names []string
	for v := range openflow.Version(32) {
		if m&(1<<v) != 0 {
			names = append(names, versionText(v))
		}
	}
	return strings.Join(names, ", ")
}

// versionText is 1.0 for 1, 1.5 for 6: OpenFlow 1.n is number n+1.
func versionText(v openflow.Version) string {
	if v == 0 {
		return "0x00"
	}
	return fmt.Sprintf("1.%d", v-1)
}
