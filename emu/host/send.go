package host

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/packet"
)

var loopback6 = netip.IPv6Loopback()

// headroom is more than all headers before a payload are long: Ethernet with a tag, IPv6, TCP with
// options.
const headroom = 128

// stampLen is the length of a stamp, in bytes: the least payload of echo requests and datagrams.
const stampLen = 24

// stampMark begins a stamp.
const stampMark = 0x57656972

// stamp is what a measuring payload begins with.
type stamp struct {
	id   uint32        // of the flow or ping, among those of its host
	seq  uint64        // from 0
	sent time.Duration // when it was meant to be sent, by the clock of the network
}

// maxSkew is how much later than now a stamp may say that it was sent: parts of a network that run
// beside each other have read the clock at different times. The latency is 0 then. What claims to
// come from further ahead has no stamp of ours.
const maxSkew = time.Second

func (s *stamp) put(b []byte) {
	binary.BigEndian.PutUint32(b, stampMark)
	binary.BigEndian.PutUint32(b[4:], s.id)
	binary.BigEndian.PutUint64(b[8:], s.seq)
	binary.BigEndian.PutUint64(b[16:], uint64(s.sent))
}

// readStamp reads a stamp; ok is false if there is none.
func readStamp(b []byte) (s stamp, ok bool) {
	if len(b) < stampLen || binary.BigEndian.Uint32(b) != stampMark {
		return stamp{}, false
	}
	return stamp{id: binary.BigEndian.Uint32(b[4:]), seq: binary.BigEndian.Uint64(b[8:]),
		sent: time.Duration(binary.BigEndian.Uint64(b[16:]))}, true
}

// payload is n bytes for a payload, behind the place where the frame will be built: a builder moves
// them to where they belong. They hold what the last frame left there.
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

// frame is the start of a frame: an empty slice whose array holds payload where it does not
// disturb.
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

// tally counts the frames of one command.
type tally struct {
	sent   uint64 // left the host
	unsent uint64 // dropped, because the neighbour did not answer or too many waited
}

// deliver sends a frame to the IP address dst, at once if its neighbour's address is known, else
// when it is. The frame's Ethernet destination is written here.
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
		h.solicit(n, now, out) // it is asked whether it is still there while it is still believed
	}
}

// transmit gives a complete frame to the link.
func (h *Host) transmit(frame []byte, t *tally, out Output) {
	h.counters.FramesOut++
	h.counters.BytesOut += uint64(len(frame))
	if t != nil {
		t.sent++
	}
	out.Send(frame)
}
