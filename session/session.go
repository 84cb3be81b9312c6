package session

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/crowd"
	"github.com/weirnet/weir/openflow"
)

// Session is one connection whose reader runs. Its sending methods may be called from any
// goroutine, its handler's calls included, and never block. What is sent within a handler's call
// leaves at the end of the batch of input.
type Session struct {
	group        *group
	conn         net.Conn
	try          tryWriter // nil if the connection can not be written without waiting
	cfg          *Config
	server       *Server        // of a controller's session
	handshake    handshakeEntry // in the queue of handshakes; the group's
	registration registration   // of the datapath id; the server's
	holds        int64          // bytes that the group counts for it; the group's
	ports        int64          // the same, for the ports of a new switch; the group's

	controller Handler        // nil at the switch's end
	switchSide SwitchHandler  // nil at the controller's end
	handler    sessionHandler // the one of the two that is not nil
	frames     FrameHandler   // nil if the handler is none

	mu       sync.Mutex // guards core and features
	core     *Core
	features Features

	in  inCounts
	out output

	deadline       atomic.Int64 // of the core, in ns since group.epoch; 0 is none
	closing        atomic.Pointer[error]
	large          atomic.Bool // the reader's buffer is large
	admission      atomic.Pointer[Admission]
	checkDuplicate atomic.Bool // a duplicate check is to start
	done           chan struct{}

	reader
}

// reader is what only the reader's goroutine touches.
type reader struct {
	input     input
	connected bool
	counted   int64     // held bytes that the group has counted
	newUntil  time.Time // until when the ports of a new switch count as held; zero: they do not
	value     any
	pin       openflow.PacketIn
	mod       *openflow.FlowMod   // made for the first one
	packet    *openflow.PacketOut // made for the first one
}

// newSession makes a session that does not run yet. Exactly one of the handlers is not nil.
func newSession(g *group, conn net.Conn, cfg *Config, h Handler, sw SwitchHandler, roles *Roles) *Session {
	end, handler := ControllerEnd, sessionHandler(h)
	if sw != nil {
		end, handler = SwitchEnd, sw
	}
	conn = withTLS(conn, cfg.TLS, end)
	s := &Session{group: g, conn: conn, try: tryWriterOf(conn), cfg: cfg, controller: h, switchSide: sw, handler: handler,
		handshake: handshakeEntry{source: crowd.SourceOf(conn.RemoteAddr())}, done: make(chan struct{})}
	s.frames, _ = handler.(FrameHandler)
	s.core = NewCore(end, cfg, roles)
	if cfg.NewSwitch != nil && sw == nil {
		s.core.handshake.roomCheck = s.roomForPorts
	}
	_, s.core.ofSwitch.barriers = sw.(BarrierHandler)
	s.out.max, s.out.low = cfg.MaxQueue, cfg.HighWater/2
	s.out.idle.L = &s.out.mu
	s.out.drained = make(chan struct{}, 1)
	return s
}

// Send queues messages with transaction ids of its own, one after the other in one piece, and
// returns the first id: those of the others follow by one. All are queued or none: ErrFull if they
// do not fit, an error that wraps openflow.ErrVersion if one cannot be expressed in the session's
// version, or one that wraps ErrClosed.
func (s *Session) Send(msgs ...openflow.Message) (uint32, error) {
	n := uint32(len(msgs))
	first := s.core.out.xid.Add(n) - n + 1
	return first, s.put(first, 1, msgs)
}

// Reply queues messages with a given transaction id: the answers to a request, in one or more
// parts.
func (s *Session) Reply(xid uint32, msgs ...openflow.Message) error {
	return s.put(xid, 0, msgs)
}

func (s *Session) put(xid, step uint32, msgs []openflow.Message) error {
	s.out.mu.Lock()
	err := s.out.appendAll(xid, step, msgs)
	s.unlockOutput()
	return err
}

// unlockOutput unlocks the queue, and starts a writer if something is queued that nobody writes.
func (s *Session) unlockOutput() {
	start := s.out.startWriting()
	s.out.mu.Unlock()
	if start {
		s.startWriter()
	}
}

// SendBytes queues whole messages as bytes, in the session's version; the bytes are copied. They
// are not checked.
func (s *Session) SendBytes(frames []byte) error {
	s.out.mu.Lock()
	err := s.out.appendBytes(frames, 0)
	s.unlockOutput()
	return err
}

// NextXID is a transaction id for SendBytes and Reply that Send does not use.
func (s *Session) NextXID() uint32 { return s.core.NextXID() }

// Request sends a message that has an answer and calls answer on the session's reader when it is
// there: with the answer (which may be kept; of a multipart request all its parts merged), or with
// a *PeerError, ErrTimeout, ErrTooLarge, an error of the codec, or one that wraps ErrClosed. If
// Request itself returns an error, answer is not called.
func (s *Session) Request(m openflow.Message, answer func(openflow.Message, error)) error {
	_, err := s.request(m, nil, answer)
	return err
}

// request is Request; part, if not nil, takes the parts of a multipart answer.
func (s *Session) request(m openflow.Message, part func(openflow.Version, []byte) error,
	answer func(openflow.Message, error)) (xid uint32, err error) {
	now := s.group.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	xid = s.core.NextXID()
	if err := s.core.Expect(xid, m.Type(), now, answer); err != nil {
		return 0, err
	}
	if part != nil {
		s.core.requests.find(xid).part = part
	}
	if err := s.put(xid, 0, []openflow.Message{m}); err != nil {
		s.core.Forget(xid)
		return 0, err
	}
	s.setDeadline(s.core.nextDeadline())
	return xid, nil
}

// Multipart sends a multipart request and calls answer with the merged body of all parts of the
// reply, as Request does.
func (s *Session) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	return s.Request(&openflow.MultipartRequest{Body: body}, func(m openflow.Message, err error) {
		if err != nil {
			answer(nil, err)
			return
		}
		answer(m.(*openflow.MultipartReply).Body, nil)
	})
}

// Barrier sends a barrier and calls answer when all that was sent before it is done: with nil, or
// with the errors of Request. Errors of the messages before it have been handed to Handler.Message
// by then.
func (s *Session) Barrier(answer func(error)) error {
	return s.Request(&openflow.BarrierRequest{}, func(_ openflow.Message, err error) { answer(err) })
}

// Features is the switch's answer in the handshake, at the controller's end. Its slices must not
// be changed.
func (s *Session) Features() Features {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.features
}

// Version is the version agreed on; 0 before the session is connected.
func (s *Session) Version() openflow.Version {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	return s.out.version
}

// Role is the controller's role here, as the switch has confirmed it: equal at first.
func (s *Session) Role() openflow.Role { return s.core.Role() }

// SwitchConfig is the configuration that the controller has set, at the switch's end.
func (s *Session) SwitchConfig() openflow.GetConfigReply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.ofSwitch.config
}

// RoundTrip is how long the last echo took, the peer's and our own waiting included; 0 before the
// first.
func (s *Session) RoundTrip() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.echo.rtt
}

// Queue is how many bytes wait for the peer.
func (s *Session) Queue() int { return int(s.out.size.Load()) }

// SetValue keeps something for the handler: both it and Value may be called within the handler's
// calls only.
func (s *Session) SetValue(v any) { s.value = v }

// Value is what SetValue kept.
func (s *Session) Value() any { return s.value }

// Done is closed when the session has ended and Disconnected has returned.
func (s *Session) Done() <-chan struct{} { return s.done }

// Stats are the counts so far.
func (s *Session) Stats() Stats {
	var t Stats
	for i := range t.In {
		t.In[i] = s.in.byType[i].Load()
	}
	t.InBytes, t.Paused, t.Queue = s.in.bytes.Load(), s.in.paused.Load(), s.Queue()
	s.mu.Lock()
	t.Refused, t.Unmatched, t.Early = s.core.out.counts.refused, s.core.out.counts.unmatched, s.core.out.counts.early
	s.mu.Unlock()
	s.out.mu.Lock()
	t.Out, t.OutBytes, t.Full = s.out.byType, s.out.bytes, s.out.full
	s.out.mu.Unlock()
	return t
}
