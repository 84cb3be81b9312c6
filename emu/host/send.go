package host

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/packet"
)

var loopback6 = netip.IPv6Loopback()

// headroom is at least the length of all headers: Ethernet with a tag, IPv6, TCP with options.
const headroom = 128

// stampLen is the length of a stamp, in bytes: the least payload of echo requests and datagrams.
const stampLen = 24

// stampMark begins a stamp.
const stampMark = 0x57656972

// stamp is the start of a payload that is measured.
type stamp struct {
	id   uint32        // of the flow or ping, among those of its host
	seq  uint64        // from 0
	sent time.Duration // the intended time, by the clock of the network
}

// maxSkew is how far in the future the time of a stamp may be, since concurrent engines of a
// network have read the clock at different times; the latency then counts as 0. Beyond it the
// payload has no stamp of ours.
const maxSkew = time.Second

func (s *stamp) put(b []byte) {
	binary.BigEndian.PutUint32(b, stampMark)
	binary.BigEndian.PutUint32(b[4:], s.id)
	binary.BigEndian.PutUint64(b[8:], s.seq)
	binary.BigEndian.PutUint64(b[16:], uint64(s.sent))
}

// readStamp parses a stamp; ok is false if there is none.
func readStamp(b []byte) (s stamp, ok bool) {
	if len(b) < stampLen || binary.BigEndian.Uint32(b) != stampMark {
		return stamp{}, false
	}
	return stamp{id: binary.BigEndian.Uint32(b[4:]), seq: binary.BigEndian.Uint64(b[8:]),
		sent: time.Duration(binary.BigEndian.Uint64(b[16:]))}, true
}

// payload is a buffer of n bytes behind the headers of the frame to be built, which moves them to
// their place. Its content is undefined.
func (h *Host) payload(n int) []byte {
	h.buf = slices.Grow(h.buf[:0], headroom+n)
	return h.buf[headroom : headroom+n]
}

// stamped is a payload of n bytes that begins with a stamp; the rest is zero.
func (h *Host) stamped(s stamp, n int) []byte {
	b := h.payload(n)
	s.put(b)
	clear(b[stampLen:])
	return b
}

// frame is the empty frame to be built; payload remains valid behind it.
func (h *Host) frame() []byte {
	h.buf = slices.Grow(h.buf[:0], headroom)
	return h.buf[:0]
}

// key is the template of a packet from this host to dst; its Ethernet destination is not filled in.
func (h *Host) key(dst packet.Addr) packet.Key {
	k := packet.Key{EthSrc: h.cfg.MAC, VLAN: h.vlan(), IPDst: dst, EtherType: packet.TypeIPv4, IPSrc: h.ip4}
	if !dst.Is4() {
		k.EtherType, k.IPSrc = packet.TypeIPv6, h.ip6
	}
	return k
}

// tally counts the frames of a command.
type tally struct {
	sent   uint64 // left the host
	unsent uint64 // dropped, because the neighbour did not answer or its queue was full
}

// deliver sends a frame to the IP address dst, or queues it until the neighbour's address is known.
// It fills in the Ethernet destination.
func (h *Host) deliver(dst packet.Addr, frame []byte, t *tally, now time.Duration, out Output) {
	if mac, ok := h.groupMAC(dst); ok {
		copy(frame, mac[:])
		h.transmit(frame, t, out)
		return
	}
	n := h.neighbour(dst)
	if !n.known {
		h.hold(n, frame, t, now, out)
		return
	}
	copy(frame, n.mac[:])
	h.transmit(frame, t, out)
	if now >= n.until && n.tries == 0 {
		h.solicit(n, now, out) // the entry is used while it is being confirmed
	}
}

// transmit sends a complete frame and counts it.
func (h *Host) transmit(frame []byte, t *tally, out Output) {
	h.counters.FramesOut++
	h.counters.BytesOut += uint64(len(frame))
	if t != nil {
		t.sent++
	}
	out.Send(frame)
}
