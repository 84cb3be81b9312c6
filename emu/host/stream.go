package host

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// StreamSpec describes a stream of TCP. Without Bytes and Duration it goes on until Stop.
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
	sendBuffer    = 1 << 20 // bytes that a sender at a rate may be ahead of the acknowledgments
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

// streamStage is the state of a stream. The states of RFC 9293 between open and closed follow from
// the bytes sent and acknowledged.
type streamStage uint8

const (
	connecting streamStage = iota // SYN sent
	accepting                     // SYN received, and answered
	open                          // established, until both ends' FIN are acknowledged
	closed                        // and lingering, as TIME-WAIT: retransmissions are acknowledged again
	failed                        // and forgotten
)

// streamKey identifies a stream of a host.
type streamKey struct {
	peer            packet.Addr
	peerPort, local uint16
}

// streams is TCP: all streams of a host, those that it opened and those that others did.
type streams struct {
	via         *neighbours
	streams     map[streamKey]*Stream
	accepted    []*Stream // those of them that other hosts opened
	port        uint16    // the last source port given out
	closedPorts map[uint16]bool
}

// Stream is one end of a connection: two halves, which know nothing of each other, and what joins them. Its fields
// change only during calls of its host. Sequence numbers are counted as offsets: 0 is the SYN, the first byte is
// 1, and after the last one comes the FIN.
type Stream struct {
	of     *streams
	rtx    timer // retransmission, and probes of a closed window
	app    timer // of the sending application; when it has nothing more to do, of forgetting
	key    streamKey
	spec   StreamSpec
	active bool // opened by this host
	stage  streamStage
	err    error
	place  int // among the accepted

	snd                sender
	rcv                receiver
	since, until       time.Duration // established; the end of Duration
	started, end, last time.Duration // begun, ended, last heard of the peer
	tally              tally
}

// begin begins a stream, the SYN at now.
func (c *streams) begin(spec StreamSpec, now time.Duration) (*Stream, error) {
	dst, err := c.via.link.destination(spec.Dst, false)
	if err != nil {
		return nil, err
	}
	spec.Port = cmp.Or(spec.Port, DefaultFlowPort)
	if spec.Duration < 0 {
		return nil, fmt.Errorf("duration %s: want a positive one, or 0 for no limit", spec.Duration)
	}
	if spec.Bytes > endless {
		return nil, fmt.Errorf("%d bytes: want at most 2^60, or 0 for no limit", spec.Bytes)
	}
	key, ok := c.takeKey(dst, spec.Port)
	if !ok {
		return nil, fmt.Errorf("%d streams at once are as many as a host may have", MaxStreams)
	}
	s := c.newStream(key, now)
	s.spec, s.active = spec, true
	s.setRetransmit(now)
	return s, nil
}

// takeKey finds a free port of the dynamic range for a stream to a port of dst.
func (c *streams) takeKey(dst packet.Addr, port uint16) (key streamKey, ok bool) {
	if len(c.streams) >= MaxStreams {
		return streamKey{}, false
	}
	key = streamKey{peer: dst, peerPort: port}
	for {
		c.port = max(c.port+1, firstPort)
		if key.local = c.port; c.streams[key] == nil {
			return key, true
		}
	}
}

// newStream makes either end of a connection.
func (c *streams) newStream(key streamKey, now time.Duration) *Stream {
	s := &Stream{of: c, key: key, started: now, last: now}
	s.snd.begin(uint32(c.via.link.random.Uint64()), c.via.link.mss(key.peer))
	put(&c.streams, key, s)
	return s
}

// Stop closes the stream in order: bytes that were sent are still delivered, no others are sent.
func (s *Stream) Stop(now time.Duration) {
	if !s.active || s.stage > open || s.snd.closing {
		return
	}
	s.snd.written = min(s.snd.written, uint64(max(s.snd.highest-1, 0)))
	s.snd.closing = true
	s.setApp(now) // sends the FIN
}

// setRetransmit sets the retransmission timer.
func (s *Stream) setRetransmit(at time.Duration) {
	s.of.via.link.timers.set(&s.rtx, (*streamRetransmit)(s), at)
}

// setApp sets the application's timer.
func (s *Stream) setApp(at time.Duration) { s.of.via.link.timers.set(&s.app, (*streamApp)(s), at) }
