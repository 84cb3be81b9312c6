package session

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/crowd"
	"github.com/weirnet/weir/openflow"
)

// Session is one connection whose reader runs: what others than the reader may use of it. Its sending
// methods may be called from any goroutine, its handler's calls included, and never block. What is
// sent within a handler's call leaves at the end of the batch of input.
type Session struct {
	group        *group
	conn         net.Conn
	cfg          *Config
	server       *Server        // of a controller's session
	handshake    handshakeEntry // in the queue of handshakes; the group's
	registration registration   // of the datapath id; the server's
	holds        int64          // bytes that the group counts for it; the group's
	ports        int64          // the same, for the ports of a new switch; the group's

	prompts  prompts
	protocol protocol
	in       inCounts
	out      writer

	large atomic.Bool // the reader's buffer is large
	value any         // the handler's
	done  chan struct{}
}

// newSession makes a session that does not run yet, and returns its reader. Exactly one of the handlers is not nil.
func newSession(g *group, conn net.Conn, cfg *Config, h Handler, sw SwitchHandler, roles *Roles) *reader {
	end := ControllerEnd
	if sw != nil {
		end = SwitchEnd
	}
	conn = withTLS(conn, cfg.TLS, end)
	s := &Session{group: g, conn: conn, cfg: cfg, done: make(chan struct{}),
		handshake: handshakeEntry{source: crowd.SourceOf(conn.RemoteAddr())}}
	s.prompts.conn = conn
	s.protocol.group, s.protocol.core = g, NewCore(end, cfg, roles)
	s.out.conn, s.out.try, s.out.failed = conn, tryWriterOf(conn), &s.prompts
	s.out.stepped, s.out.traced = g.driver != nil, end == ControllerEnd
	s.out.queue.init(cfg)
	return newReader(s, h, sw)
}

// Send queues messages with transaction ids of its own, one after the other in one piece, and
// returns the first id: those of the others follow by one. All are queued or none: ErrFull if they
// do not fit, an error that wraps openflow.ErrVersion if one cannot be expressed in the session's
// version, or one that wraps ErrClosed.
func (s *Session) Send(msgs ...openflow.Message) (uint32, error) {
	n := uint32(len(msgs))
	first := s.protocol.core.out.xid.Add(n) - n + 1
	return first, s.out.messages(first, 1, msgs)
}

// Reply queues messages with a given transaction id: the answers to a request, in one or more
// parts.
func (s *Session) Reply(xid uint32, msgs ...openflow.Message) error {
	return s.out.messages(xid, 0, msgs)
}

// SendBytes queues whole messages as bytes, in the session's version; the bytes are copied. They
// are not checked.
func (s *Session) SendBytes(frames []byte) error {
	return s.out.bytes(frames)
}

// NextXID is a transaction id for SendBytes and Reply that Send does not use.
func (s *Session) NextXID() uint32 { return s.protocol.core.NextXID() }

// Request sends a message that has an answer and calls answer on the session's reader when it is
// there: with the answer (which may be kept; of a multipart request all its parts merged), or with
// a *PeerError, ErrTimeout, ErrTooLarge, an error of the codec, or one that wraps ErrClosed. If
// Request itself returns an error, answer is not called.
func (s *Session) Request(m openflow.Message, answer func(openflow.Message, error)) error {
	_, err := s.protocol.request(&s.out, m, nil, answer)
	return err
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
	s.protocol.mu.Lock()
	defer s.protocol.mu.Unlock()
	return s.protocol.features
}

// Version is the version agreed on; 0 before the session is connected.
func (s *Session) Version() openflow.Version {
	s.out.queue.mu.Lock()
	defer s.out.queue.mu.Unlock()
	return s.out.queue.version
}

// Role is the controller's role here, as the switch has confirmed it: equal at first.
func (s *Session) Role() openflow.Role { return s.protocol.core.Role() }

// SwitchConfig is the configuration that the controller has set, at the switch's end.
func (s *Session) SwitchConfig() openflow.GetConfigReply {
	s.protocol.mu.Lock()
	defer s.protocol.mu.Unlock()
	return s.protocol.core.ofSwitch.config
}

// RoundTrip is how long the last echo took, the peer's and our own waiting included; 0 before the
// first.
func (s *Session) RoundTrip() time.Duration {
	s.protocol.mu.Lock()
	defer s.protocol.mu.Unlock()
	return s.protocol.core.echo.rtt
}

// Queue is how many bytes wait for the peer.
func (s *Session) Queue() int { return int(s.out.queue.size.Load()) }

// SetValue keeps something for the handler: both it and Value may be called within the handler's
// calls only.
func (s *Session) SetValue(v any) { s.value = v }

// Value is what SetValue kept.
func (s *Session) Value() any { return s.value }

// Done is closed when the session has ended and Disconnected has returned.
func (s *Session) Done() <-chan struct{} { return s.done }

// SetMaxQueue has so many bytes wait for the peer of a session from now on (Config.MaxQueue). What waits already stays.
func SetMaxQueue(s *Session, bytes int) {
	q := &s.out.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bound(bytes, s.cfg.HighWater)
}

// Stats are the counts so far.
func (s *Session) Stats() Stats {
	var t Stats
	for i := range t.In {
		t.In[i] = s.in.byType[i].Load()
	}
	t.InBytes, t.Paused, t.Queue = s.in.bytes.Load(), s.in.paused.Load(), s.Queue()
	s.protocol.mu.Lock()
	counts := s.protocol.core.out.counts
	s.protocol.mu.Unlock()
	t.Refused, t.Unmatched, t.Early = counts.refused, counts.unmatched, counts.early
	q := &s.out.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	t.Out, t.OutBytes, t.Full = q.byType, q.bytes, q.full
	return t
}
