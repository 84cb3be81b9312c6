package host

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// StreamSpec says what a stream of TCP is to carry. Without Bytes and Duration it goes on until Stop.
type StreamSpec struct {
	Dst      netip.Addr
	Port     uint16        // of the destination; 0: DefaultFlowPort
	Bytes    uint64        // 0: no limit
	Duration time.Duration // from when it is established; 0: no limit
	Rate     uint64        // bits of payload a second that are to be sent; 0: as fast as the network takes them
}

// Limits of streams.
const (
	MaxStreams    = 4096    // of a host, both ways, finished ones that linger included
	sendBuffer    = 1 << 20 // bytes that an application at a rate may be ahead of the acknowledgments
	endless       = 1 << 60 // bytes of a stream without a limit
	synTries      = 6       // retransmissions of a SYN, and of other segments, before the stream fails, as Linux's
	segmentTries  = 10      // tcp_syn_retries; its tcp_retries2 is 15
	finWait       = 60 * time.Second
	acceptedIdle  = 10 * time.Minute // an accepted stream that hears nothing for so long is forgotten
	defaultWindow = 1 << 20
	windowShift   = 5
)

// Why streams fail.
var (
	ErrRefused  = errors.New("connection refused")          // a reset answered the SYN
	ErrReset    = errors.New("connection reset by peer")    // a reset came later
	ErrTimedOut = errors.New("connection timed out")        // nobody answered any of the retransmissions
	ErrSilent   = errors.New("nothing heard of the sender") // an accepted stream was silent for too long
)

// streamStage is how far a stream has come. Between open and closed what is left to do follows from what was sent and
// acknowledged.
type streamStage uint8

const (
	connecting streamStage = iota // SYN sent
	accepting                     // SYN received, and answered
	open                          // established, until both ends' FIN are acknowledged
	closed                        // and lingering: what is sent once more is acknowledged once more
	failed                        // and forgotten
)

// streamKey is what tells a host's streams apart.
type streamKey struct {
	peer            packet.Addr
	peerPort, local uint16
}

// Stream is one end of a connection. Its fields change only during calls of its host. Sequence numbers are counted as offsets: 0 is the
// SYN, the first byte is 1, and after the last one comes the FIN.
type Stream struct {
	rtx    timer // retransmission, and probes of a closed window
	app    timer // of the sending application; when it has nothing more to do, of forgetting
	key    streamKey
	spec   StreamSpec
	active bool // opened by this host
	stage  streamStage
	err    error
	place  int // among the accepted

	iss                uint32
	una, nxt, highest  int64  // the first byte not acknowledged, the next to send, the first never sent
	written            uint64 // bytes that the application has given
	closing            bool   // the FIN is to follow them
	window             int64  // the peer's, in bytes
	shift              uint8  // of the peer's windows
	scaled             bool   // both ends shift windows
	retries            int
	timing             bool // a segment that ends at timedEnd and was sent at timedAt is being timed
	timedEnd           int64
	timedAt            time.Duration
	congestion         congestion
	retransmission     retransmission
	irs                uint32
	rcv                int64 // the next offset expected
	fin                int64 // the offset of the peer's FIN, if it came; 0: not yet
	early              spans
	since, until       time.Duration // established; the end of Duration
	started, end, last time.Duration // begun, ended, last heard of the peer
	tally              tally
	counts             streamCounts
	rtt                Latency
}

// TCP begins a stream, the SYN at now. The error says which part of the spec cannot be.
func (h *Host) TCP(spec StreamSpec, now time.Duration) (*Stream, error) {
	dst, err := h.destination(spec.Dst, false)
	if err != nil {
		return nil, err
	}
	spec.Port = orDefault(spec.Port, DefaultFlowPort)
	if spec.Duration < 0 {
		return nil, fmt.Errorf("duration %s: want a positive one, or 0 for no limit", spec.Duration)
	}
	if spec.Bytes > endless {
		return nil, fmt.Errorf("%d bytes: want at most 2^60, or 0 for no limit", spec.Bytes)
	}
	key, ok := h.takeStreamKey(dst, spec.Port)
	if !ok {
		return nil, fmt.Errorf("%d streams at once are as many as a host may have", MaxStreams)
	}
	s := h.newStream(key, now)
	s.spec, s.active = spec, true
	h.timers.set(&s.rtx, (*streamRetransmit)(s), now)
	return s, nil
}

// takeStreamKey finds a free port of the dynamic range for a stream to a port of dst.
func (h *Host) takeStreamKey(dst packet.Addr, port uint16) (key streamKey, ok bool) {
	if len(h.streams) >= MaxStreams {
		return streamKey{}, false
	}
	key = streamKey{peer: dst, peerPort: port}
	for {
		if h.streamPort++; h.streamPort < firstPort {
			h.streamPort = firstPort
		}
		key.local = h.streamPort
		if h.streams[key] == nil {
			return key, true
		}
	}
}

// newStream makes either end.
func (h *Host) newStream(key streamKey, now time.Duration) *Stream {
	s := &Stream{key: key, iss: uint32(h.random.Uint64()), started: now, last: now}
	s.retransmission.rto = initialRTO
	s.congestion.begin(h.mss(key.peer))
	if h.streams == nil {
		h.streams = make(map[streamKey]*Stream)
	}
	h.streams[key] = s
	return s
}

// mss is the largest payload of a segment to dst that this host's link takes.
func (h *Host) mss(dst packet.Addr) int { return h.room(dst) - packet.TCPLen }

// Stop ends the stream in order: what has been sent is still delivered, nothing more is.
func (s *Stream) Stop(h *Host, now time.Duration) {
	if !s.active || s.stage > open || s.closing {
		return
	}
	s.written = min(s.written, uint64(max(s.highest-1, 0)))
	s.closing = true
	h.timers.set(&s.app, (*streamApp)(s), now) // sends the FIN
}

// established begins the application's sending, or its waiting.
func (s *Stream) established(h *Host, now time.Duration) {
	s.stage, s.since, s.retries = open, now, 0
	h.timers.stop(&s.rtx)
	if !s.active {
		h.timers.set(&s.app, (*streamApp)(s), now+acceptedIdle)
		return
	}
	if s.spec.Duration > 0 {
		s.until = now + s.spec.Duration
		h.timers.set(&s.app, (*streamApp)(s), s.until)
	}
	switch {
	case s.closing:
	case s.spec.Rate > 0:
		h.timers.set(&s.app, (*streamApp)(s), now)
	case s.spec.Bytes > 0:
		s.written, s.closing = s.spec.Bytes, true
	default:
		s.written = endless
	}
}

// streamApp is a Stream as the owner of its application's timer.
type streamApp Stream

func (a *streamApp) wake(h *Host, now time.Duration, out Output) {
	s := (*Stream)(a)
	switch {
	case s.stage == closed:
		h.dropStream(s)
	case s.finAcked(): // the peer's FIN has not come for finWait
		s.finish(h, now)
	case !s.active:
		if now-s.last >= acceptedIdle {
			s.fail(h, now, ErrSilent)
			return
		}
		h.timers.set(&s.app, a, s.last+acceptedIdle)
	case s.until > 0 && now >= s.until && !s.closing:
		s.Stop(h, now)
	case s.stage == open && !s.closing:
		s.write(h, now, out)
	case s.stage == open:
		s.output(h, now, out)
	}
}

// write gives the stream the next segment of a sender at a rate, and sets the time of the one after it.
func (s *Stream) write(h *Host, now time.Duration, out Output) {
	n := uint64(s.congestion.mss)
	if s.spec.Bytes > 0 {
		n = min(n, s.spec.Bytes-s.written)
	}
	ahead := int64(s.written) + 1 - s.una
	if ahead < sendBuffer {
		s.written += n
		s.closing = s.spec.Bytes > 0 && s.written == s.spec.Bytes
	}
	s.output(h, now, out)
	if s.closing || s.stage != open {
		return
	}
	next := s.since + s.lasts(s.written)
	if ahead >= sendBuffer {
		next = now + s.lasts(n)
	}
	if s.until > 0 {
		next = min(next, s.until)
	}
	h.timers.set(&s.app, (*streamApp)(s), next)
}

// lasts is how long so many bytes take at the stream's rate.
func (s *Stream) lasts(bytes uint64) time.Duration {
	return time.Duration(float64(bytes) * 8 * float64(time.Second) / float64(s.spec.Rate))
}

// finAcked says whether the peer has acknowledged this end's FIN, and finReceived whether its own has come in order.
func (s *Stream) finAcked() bool    { return s.closing && s.una > s.dataEnd() }
func (s *Stream) finReceived() bool { return s.fin > 0 && s.rcv > s.fin }

// dataEnd is the offset after the last byte written: the FIN's, once closing.
func (s *Stream) dataEnd() int64 { return int64(s.written) + 1 }

// settle ends the stream when both directions are closed, or waits for the peer's FIN.
func (s *Stream) settle(h *Host, now time.Duration) {
	switch {
	case s.stage != open || !s.finAcked():
	case s.finReceived():
		s.finish(h, now)
	case s.app.place == 0 || s.app.at > now+finWait:
		h.timers.set(&s.app, (*streamApp)(s), now+finWait)
	}
}

// finish ends a stream well; it lingers, as TIME-WAIT does.
func (s *Stream) finish(h *Host, now time.Duration) {
	s.stage, s.end = closed, now
	h.timers.stop(&s.rtx)
	h.timers.set(&s.app, (*streamApp)(s), now+linger)
	if s.active {
		h.finished++
	}
}

// fail ends a stream with an error and forgets it.
func (s *Stream) fail(h *Host, now time.Duration, err error) {
	s.stage, s.end, s.err = failed, now, err
	h.dropStream(s)
	h.counters.TCPFailed++
	if s.active {
		h.finished++
	}
}

// dropStream forgets a stream.
func (h *Host) dropStream(s *Stream) {
	h.timers.stop(&s.rtx)
	h.timers.stop(&s.app)
	delete(h.streams, s.key)
	if s.active {
		return
	}
	last := len(h.accepted) - 1
	h.accepted[s.place] = h.accepted[last]
	h.accepted[s.place].place = s.place
	h.accepted[last] = nil
	h.accepted = h.accepted[:last]
}
