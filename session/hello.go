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

// sendHello offers our versions: the header has the highest, and from OpenFlow 1.3 on the bitmap
// all of them.
func (c *Core) sendHello() {
	offer := bitmap(c.cfg.Versions)
	v := highest(offer)
	hello := &openflow.Hello{}
	if v != openflow.V10 {
		hello.Versions = offer
	}
	out, err := openflow.Append(c.out, v, c.NextXID(), hello)
	if err != nil {
		panic("session: versions of Config: " + err.Error())
	}
	c.out = out
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
		c.failHello(peer, frame, "TLS where none is spoken")
		return
	case length < openflow.HeaderLen:
		c.version = c.errorVersion(peer)
		c.failFraming(frame, openflow.BadRequestBadLen, fmt.Sprintf("length %d in a header, below 8", length))
		return
	case openflow.Type(frame[1]) == openflow.TypeError:
		c.close(c.refusedHello(frame))
		return
	case openflow.Type(frame[1]) != openflow.TypeHello:
		c.failHello(peer, frame, fmt.Sprintf("message of type %d before HELLO", frame[1]))
		return
	}
	var hello openflow.Hello
	if err := hello.Parse(peer, frame[openflow.HeaderLen:]); err != nil {
		c.failHello(peer, frame, err.Error())
		return
	}
	offer := bitmap(c.cfg.Versions)
	c.version = negotiate(offer, peer, hello.Versions)
	if c.version == 0 {
		c.failHello(peer, frame, fmt.Sprintf("here %s, there %s: no version in common", versionsText(offer),
			versionsText(cmp.Or(hello.Versions, 1<<(peer&31)))))
		return
	}
	c.onVersion(now)
}

// refusedHello is why the peer's error ended the connection.
func (c *Core) refusedHello(frame []byte) error {
	h, m, err := openflow.Parse(bytes.Clone(frame))
	if err != nil {
		return fmt.Errorf("%w: error instead of HELLO: %w", ErrVersions, err)
	}
	return fmt.Errorf("%w: %w", ErrVersions, &PeerError{Header: h, Msg: m.(*openflow.ErrorMsg)})
}

// errorVersion returns the version of an error to a peer before a version is agreed on.
func (c *Core) errorVersion(peer openflow.Version) openflow.Version {
	if peer >= openflow.V13 {
		return openflow.V13
	}
	return openflow.V10
}

// failHello answers with OFPHFC_INCOMPATIBLE, whose data is text for people, and ends the
// connection.
func (c *Core) failHello(peer openflow.Version, frame []byte, reason string) {
	c.counts.refused++
	c.version = c.errorVersion(peer)
	c.send(binary.BigEndian.Uint32(frame[4:]), &openflow.ErrorMsg{Code: openflow.HelloFailedIncompatible, Data: []byte(reason)})
	c.close(fmt.Errorf("%w: %w", ErrVersions, errors.New(reason)))
}

// onVersion continues when the version is agreed on.
func (c *Core) onVersion(now time.Time) {
	if c.end == SwitchEnd {
		c.connect(now)
		return
	}
	c.askFeatures(now)
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
