package emu

import (
	"encoding/binary"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/packet"
)

// cargo is what a frame carries of a packet that may be in several fragments.
type cargo struct {
	payload int     // of ICMP or UDP, up to the end of this frame
	last    bool    // there is no more of the packet: it is whole, or this is its last fragment
	train   trainID // of a fragment; zero otherwise
}

// trainID is what the fragments of one packet share.
type trainID struct {
	src, dst [16]byte
	id       uint32
	proto    uint8
}

// What of a frame is not payload: 14 bytes of Ethernet, an IP header, 8 bytes of ICMP or UDP.
const transportHeader = 8

// cargoOf looks at a frame. One that is not IP is measured as if it were.
func cargoOf(frame []byte) cargo {
	at := 14
	for len(frame) >= at+4 && (binary.BigEndian.Uint16(frame[at-2:]) == 0x8100 || binary.BigEndian.Uint16(frame[at-2:]) == 0x88a8) {
		at += 4
	}
	c := cargo{payload: len(frame) - at - 20 - transportHeader, last: true}
	if len(frame) >= at {
		switch ip := frame[at:]; binary.BigEndian.Uint16(frame[at-2:]) {
		case 0x0800:
			c.ipv4(ip)
		case 0x86dd:
			c.ipv6(ip)
		}
	}
	c.payload = min(max(c.payload, 1), profile.MaxPayload)
	return c
}

func (c *cargo) ipv4(b []byte) {
	ip := packet.IPv4(b)
	if len(b) < 20 || !ip.Valid() {
		return
	}
	size := int(binary.BigEndian.Uint16(b[2:])) - int(b[0]&15)*4
	c.payload = ip.FragmentOffset() + size - transportHeader
	if ip.FragmentOffset() == 0 && !ip.MoreFragments() {
		return
	}
	c.last = !ip.MoreFragments()
	c.train = trainID{id: uint32(ip.ID()), proto: b[9]}
	copy(c.train.src[:], b[12:16])
	copy(c.train.dst[:], b[16:20])
}

// ipv6 knows a fragment header directly behind the header, where Linux has it.
func (c *cargo) ipv6(b []byte) {
	if len(b) < 48 {
		return
	}
	size := int(binary.BigEndian.Uint16(b[4:]))
	c.payload = size - transportHeader
	if b[6] != packet.ProtoFragment {
		return
	}
	place := binary.BigEndian.Uint16(b[42:])
	c.payload = int(place&^7) + size - 8 - transportHeader
	c.last = place&1 == 0
	c.train = trainID{id: binary.BigEndian.Uint32(b[44:]), proto: b[40]}
	copy(c.train.src[:], b[8:24])
	copy(c.train.dst[:], b[24:40])
}

// along is the median of a latency for a frame: since the first frame of its packet came.
func (c *cargo) along(l *profile.Latency) time.Duration {
	if c.last {
		return l.At(c.payload)
	}
	return l.Least(c.payload)
}

// coming is when a packet came, and what chance makes of its latency.
type coming struct {
	at     time.Duration
	chance float64
}

// trains remember when fragmented packets began to come, the newest ones.
type trains struct {
	list [32]struct {
		trainID
		coming
	}
	next int
}

// since is the coming of a fragment's packet: its own, if it is the first that came.
func (t *trains) since(id trainID, own coming) coming {
	for i := range t.list {
		if x := &t.list[i]; x.trainID == id && own.at-x.at < time.Second && x.at <= own.at {
			return x.coming
		}
	}
	x := &t.list[t.next]
	x.trainID, x.coming = id, own
	t.next = (t.next + 1) % len(t.list)
	return own
}
