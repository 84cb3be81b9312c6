package sim

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/packet"
)

// socket is a port of a switch that a host may be plugged into.
type socket struct {
	w       *world
	index   int
	sw      int
	port    uint32
	out     *emu.Attachment
	station *station
}

// station is a host. It can be pulled out of one socket and put into another.
type station struct {
	w      *world
	index  int
	mac    packet.MAC
	ip     netip.Addr
	stack  *host.Host
	socket *socket // nil while it is in flight
	wakeAt time.Time
	heard  map[uint32]int // shouts, by their numbers: how many copies came
	frames [][]byte       // that the stack sends in one call
}

// talk is a ping of one station to another.
type talk struct {
	from, to *station
	ping     *host.Ping
}

// shoutType is the EtherType of broadcasts whose copies are counted: for local experiments (IEEE
// 802).
const shoutType = 0x88b5

// plugs is the link of a socket.
var plugs = topo.LinkSpec{Delay: 20 * time.Microsecond}

func (h *station) name() string { return fmt.Sprintf("h%d", h.index+1) }

// plug puts a station into a socket, and has it say so.
func (h *station) plug(s *socket) {
	h.socket, s.station = s, h
	s.out.Plug(true)
	h.do(func(now time.Duration) { h.stack.AnnounceAt(now + 50*time.Millisecond) })
}

// pull takes a station out of its socket.
func (h *station) pull() {
	if s := h.socket; s != nil {
		s.out.Plug(false)
		h.socket, s.station = nil, nil
	}
}

// settle plugs a station in, somewhere else if somebody was faster.
func (h *station) settle(to *socket) {
	for i := range h.w.net.sockets {
		s := h.w.net.sockets[(to.index+i)%len(h.w.net.sockets)]
		if s.station == nil {
			h.plug(s)
			return
		}
	}
}

// Deliver is of emu.External: the frame comes to the host in an event of its own.
func (s *socket) Deliver(frame []byte) {
	if h := s.station; h != nil {
		b := append([]byte(nil), frame...)
		s.w.After(0, func() { h.take(b) })
	}
}

// Carrier implements emu.External.
func (s *socket) Carrier(bool) {}

func (h *station) take(frame []byte) {
	if h.w.streams.arrived(h, frame) {
		return
	}
	if len(frame) >= packet.EthernetLen+4 && binary.BigEndian.Uint16(frame[12:]) == shoutType {
		h.heard[binary.BigEndian.Uint32(frame[14:])]++
	}
	h.do(func(now time.Duration) { h.stack.Receive(frame, now, h) })
}

// Send implements host.Output.
func (h *station) Send(frame []byte) { h.frames = append(h.frames, append([]byte(nil), frame...)) }

// do has the stack do something, and then what is due.
func (h *station) do(f func(now time.Duration)) {
	w := h.w
	now := w.elapsed()
	f(now)
	next, ok := h.stack.Step(now, h)
	if len(h.frames) > 0 {
		if h.socket != nil {
			h.socket.out.Send(h.frames)
		}
		h.frames = h.frames[:0]
	}
	if !ok {
		return
	}
	at := epoch.Add(max(next, now+time.Microsecond))
	if !h.wakeAt.IsZero() && !at.Before(h.wakeAt) {
		return
	}
	h.wakeAt = at
	w.at(at, func() {
		if h.wakeAt.Equal(at) {
			h.wakeAt = time.Time{}
			h.do(func(time.Duration) {})
		}
	})
}

// ping has a station ask another for echoes.
func (h *station) ping(to *station, count int, interval, timeout time.Duration) *talk {
	t := &talk{from: h, to: to}
	h.do(func(now time.Duration) {
		t.ping, _ = h.stack.Ping(host.PingSpec{Dst: to.ip, Count: count, Interval: interval, Timeout: timeout}, now)
	})
	return t
}

// shout has a station send one broadcast that is counted by its number.
func (h *station) shout(number uint32) {
	b := make([]byte, 60)
	copy(b, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	copy(b[6:], h.mac[:])
	binary.BigEndian.PutUint16(b[12:], shoutType)
	binary.BigEndian.PutUint32(b[14:], number)
	h.do(func(time.Duration) { h.Send(b) })
}
