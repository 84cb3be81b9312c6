package target

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/timerq"
)

// Synthetic is a responder that behaves as it is told. It answers as the null responder does, but
// when, and if, its Behaviour says.
type Synthetic struct {
	Behaviour
	// Counts of packet-ins since the beginning, of all connections.
	PacketIns, Answered, Lost, Stalled atomic.Uint64

	Wait func(d time.Duration, wake <-chan struct{}) // for the next answer, or wake
	Note func(f PlannedReply)                        // if set, is notified of every packet-in
}

// Respond serves switches until ctx ends, and closes the listener.
func (y *Synthetic) Respond(ctx context.Context, ln net.Listener) error {
	if y.Wait == nil {
		y.Wait = awaitAnswer
	}
	return accept(ctx, ln, y.serve)
}

// synthetic is one connection of a responder.
type synthetic struct {
	r Responder // of the reader
	w *delayedWriter
}

// delayedWriter writes to a connection what is planned for it. A reader draws the fates, the writer's own goroutine
// sends what is due.
type delayedWriter struct {
	y     *Synthetic
	conn  net.Conn
	began time.Time
	fates *replyPlan
	wake  chan struct{}

	mu    sync.Mutex
	queue timerq.Queue[time.Duration, []byte] // messages that wait for their time
	ended bool
}

func (y *Synthetic) newWriter(conn net.Conn, number uint64) *delayedWriter {
	return &delayedWriter{y: y, conn: conn, began: time.Now(), fates: newReplyPlan(y.Behaviour, number),
		wake: make(chan struct{}, 1)}
}

// serve serves one switch.
func (y *Synthetic) serve(conn net.Conn, number uint64) {
	s := &synthetic{w: y.newWriter(conn, number)}
	var writing sync.WaitGroup
	writing.Go(s.w.write)
	messages(conn, s.take)
	s.w.end()
	writing.Wait()
}

// end ends the writer.
func (s *delayedWriter) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.tell()
}

// errFailed ends a connection that the responder has no answers for.
var errFailed = errors.New("no OpenFlow that is answered")

// take takes one message: a packet-in's answer waits for its time, all else is answered at once.
func (s *synthetic) take(m []byte) error {
	s.r.Out = s.r.Out[:0]
	s.r.Message(m)
	switch {
	case s.r.failed:
		return errFailed
	case openflow.Type(m[1]) != openflow.TypePacketIn:
		_, err := s.w.conn.Write(s.r.Out)
		return err
	}
	s.w.plan(s.r.Out, s.r.misname)
	return nil
}

// plan draws a message's fate; one that is to be wrong is spoilt.
func (s *delayedWriter) plan(m []byte, spoil func([]byte)) {
	f := s.fates.next(time.Since(s.began))
	s.y.count(f)
	if f.Lost {
		return
	}
	m = append([]byte(nil), m...)
	if f.Wrong {
		spoil(m)
	}
	s.put(f.Due, m)
}

// put has the writer send a message when it is due.
func (s *delayedWriter) put(due time.Duration, m []byte) {
	s.mu.Lock()
	next, _, waits := s.queue.First()
	s.queue.Add(due, m)
	s.mu.Unlock()
	if !waits || due < next {
		s.tell()
	}
}

// count counts a fate.
func (y *Synthetic) count(f PlannedReply) {
	y.PacketIns.Add(1)
	switch {
	case f.Lost:
		y.Lost.Add(1)
	default:
		y.Answered.Add(1)
		if f.stalled {
			y.Stalled.Add(1)
		}
	}
	if y.Note != nil {
		y.Note(f)
	}
}

// tokenFromEnd is how far before its end a frame of the load has its token, in bytes.
const tokenFromEnd = 10

// misname has an answer name a packet that was never sent: tokens never have the highest bit.
func (r *Responder) misname(answer []byte) {
	at := len(answer) - tokenFromEnd
	if openflow.Type(answer[1]) == openflow.TypeFlowMod {
		at = r.modAt
	}
	answer[at] |= 1 << 7
}

// tell wakes the writer.
func (s *delayedWriter) tell() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// idleWait is that of a writer that has nothing to write.
const idleWait = time.Hour

// write sends answers when they are due.
func (s *delayedWriter) write() {
	var out []byte
	for {
		wait := idleWait
		s.mu.Lock()
		if s.ended {
			s.mu.Unlock()
			return
		}
		now := time.Since(s.began)
		for answer, ok := s.queue.Due(now); ok; answer, ok = s.queue.Due(now) {
			out = append(out, answer...)
		}
		if next, _, ok := s.queue.First(); ok {
			wait = next - now
		}
		s.mu.Unlock()
		if len(out) > 0 {
			_, _ = s.conn.Write(out) // of a broken connection the reader learns
			out = out[:0]
			continue
		}
		s.y.Wait(wait, s.wake)
	}
}

// coarse is what the timers of Go's runtime may be late where nothing else happens.
const coarse = 1500 * time.Microsecond

// awaitAnswer waits for a time, to within a tenth of a millisecond, or until it is woken.
func awaitAnswer(d time.Duration, wake <-chan struct{}) {
	if d <= coarse {
		pace.Nap(min(d, 100*time.Microsecond))
		return
	}
	t := time.NewTimer(d - coarse)
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake:
	}
}
