package delay

import (
	"encoding/binary"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/packet"
)

// payload describes the part of a packet, which may be fragmented, that a frame carries.
type payload struct {
	payload  int         // of ICMP or UDP, up to the end of this frame
	last     bool        // the packet ends here: it is not fragmented, or this is its last fragment
	fragment fragmentKey // of a fragment; zero otherwise
}

// fragmentKey is what the fragments of one packet share.
type fragmentKey struct {
	src, dst [16]byte
	id       uint32
	proto    uint8
}

// What of a frame is not payload: 14 bytes of Ethernet, an IP header, 8 bytes of ICMP or UDP.
const transportHeader = 8

// payloadOf parses a frame. One that is not IP is measured as if it were.
func payloadOf(frame []byte) payload {
	at := 14
	for len(frame) >= at+4 && (binary.BigEndian.Uint16(frame[at-2:]) == 0x8100 ||
		binary.BigEndian.Uint16(frame[at-2:]) == 0x88a8) {
		at += 4
	}
	c := payload{payload: len(frame) - at - 20 - transportHeader, last: true}
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

func (c *payload) ipv4(b []byte) {
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
	c.fragment = fragmentKey{id: uint32(ip.ID()), proto: b[9]}
	copy(c.fragment.src[:], b[12:16])
	copy(c.fragment.dst[:], b[16:20])
}

// ipv6 knows a fragment header directly behind the header, where Linux has it.
func (c *payload) ipv6(b []byte) {
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
	c.fragment = fragmentKey{id: binary.BigEndian.Uint32(b[44:]), proto: b[40]}
	copy(c.fragment.src[:], b[8:24])
	copy(c.fragment.dst[:], b[24:40])
}

// along is the median of a latency for a frame: since the first frame of its packet came.
func (c *payload) along(l *profile.Latency) time.Duration {
	if c.last {
		return l.At(c.payload)
	}
	return l.Least(c.payload)
}

// loaded is by how much a rate of traffic lengthens the latency of a frame.
func (c *payload) loaded(l *profile.Load, bps float64) float64 {
	if c.last {
		return l.Times(bps, c.payload)
	}
	return l.Least(bps)
}

// devices is what the devices of the machine take of a frame, both ways.
func (c *payload) devices(points []profile.Point) time.Duration {
	if c.last {
		return profile.At(points, c.payload)
	}
	return profile.Most(points, c.payload)
}

// arrival is the time a packet arrived, and the random factor of its latency.
type arrival struct {
	at     time.Duration
	chance float64
}

// fragments remember when fragmented packets began to come, the newest ones.
type fragments struct {
	list [32]struct {
		fragmentKey
		arrival
	}
	next int
}

// since is the coming of a fragment's packet: its own, if it is the first that came.
func (t *fragments) since(id fragmentKey, own arrival) arrival {
	for i := range t.list {
		if x := &t.list[i]; x.fragmentKey == id && own.at-x.at < time.Second && x.at <= own.at {
			return x.arrival
		}
	}
	x := &t.list[t.next]
	x.fragmentKey, x.arrival = id, own
	t.next = (t.next + 1) % len(t.list)
	return own
}
