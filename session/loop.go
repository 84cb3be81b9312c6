package session

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/crowd"
	"github.com/weirnet/weir/openflow"
)

// The goroutines of this package, all of them started here:
//
//   - read, one for each session: owns its reader, delivers to the handler, steps the
//     core. It ends when the connection does, and the session with it.
//   - drain, at most one for each session, only while bytes are queued that the reader did not get
//     rid of.
//   - tick, one for each group (a Server or a Dialer): wakes the readers of sessions whose deadline
//     has passed, by a read deadline in the past. It ends when the group is closed.
//   - accept, in the caller's goroutine of Server.Serve.

// group is the set of sessions of a Server or Dialer, which share one ticker.
type group struct {
	driver Driver // nil: goroutines
	epoch  time.Time
	stop   chan struct{}

	mu       sync.Mutex
	sessions map[*Session]struct{}
	half     crowd.Crowd[*Session] // of a Server: those in their handshake
	leaving  int                   // sessions that were shed and have not ended yet
	sources  map[netip.Prefix]int  // sessions of each, of a Server
	held     atomic.Int64          // bytes of all sessions, as Config.MaxHeld counts them; written under the lock
	ports    int64                 // of them, for ports of new switches
	started  bool
	closed   bool
	running  sync.WaitGroup
}

func newGroup(d Driver) *group {
	g := &group{driver: d, stop: make(chan struct{}), sessions: make(map[*Session]struct{}), sources: make(map[netip.Prefix]int)}
	g.epoch = g.now()
	return g
}

func (g *group) now() time.Time {
	if g.driver != nil {
		return g.driver.Now()
	}
	return time.Now()
}

// start runs a session's reader, or returns why it does not. With limits, those of a Server, the session counts as
// half open until it is connected.
func (g *group) start(r *reader, limits *Config) error {
	s := r.s
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return ErrClosed
	}
	if limits != nil {
		if err := g.room(s.handshake.source, limits); err != nil {
			return err
		}
		s.handshake.Place = g.half.Add(s.handshake.source, s)
		g.sources[s.handshake.source]++
	}
	g.sessions[s] = struct{}{}
	if g.driver != nil {
		g.driver.Start(&Stepper{r: r})
		return nil
	}
	if !g.started {
		g.started = true
		g.running.Go(g.tick)
	}
	g.running.Go(r.read)
	return nil
}

// close ends all sessions and waits for them; when ctx is done their connections are cut, and it
// waits no longer.
func (g *group) close(ctx context.Context) error {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		close(g.stop)
	}
	for s := range g.sessions {
		s.Close(errShutdown)
	}
	g.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		g.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	for s := range g.sessions {
		s.conn.Close()
	}
	g.mu.Unlock()
	return ctx.Err()
}

// tick wakes sessions whose deadline has passed.
func (g *group) tick() {
	timer := time.NewTimer(beat.Next(time.Now(), 1))
	defer timer.Stop()
	for n := 1; ; n++ {
		select {
		case <-g.stop:
			return
		case now := <-timer.C:
			timer.Reset(beat.Next(now, 1))
			g.wake(now.Sub(g.epoch), n%restTicks == 0)
		}
	}
}

// wake wakes readers whose deadline has passed and, if rest is set, those with large buffers, which
// they may free.
func (g *group) wake(now time.Duration, rest bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.sessions {
		if d := s.protocol.deadline.Load(); d != 0 && d <= int64(now) || rest && (s.large.Load() || s.out.queue.large()) {
			s.prompts.wake()
		}
	}
}

// Close ends the session: what is queued is still sent, if the peer takes it within half a second.
// It returns at once; Done is closed when it has ended. A nil reason is ErrClosed.
func (s *Session) Close(reason error) {
	if reason == nil {
		reason = ErrClosed
	}
	s.prompts.close(reason)
}

// read is the whole life of the connection.
func (r *reader) read() {
	reason, ours := r.readLoop()
	r.finish(reason, ours)
}

// readLoop reads until the connection ends, and returns why and whether that was our own decision.
func (r *reader) readLoop() (reason error, ours bool) {
	s := r.s
	since := s.group.now()
	if err := r.tlsHandshake(since); err != nil {
		return err, true
	}
	r.open(since)
	for {
		n, err := s.conn.Read(r.room())
		if n > 0 {
			r.batch(n)
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return err, false
		}
		if err != nil {
			_ = s.conn.SetReadDeadline(time.Time{})
			if err := s.prompts.ending(); err != nil {
				return err, true
			}
			r.onDeadline()
		}
		if err := r.core.out.reason; err != nil {
			return err, true
		}
		r.awaitQueue()
	}
}

// start starts the goroutine that writes; the caller has claimed the queue.
func (w *writer) start() {
	if w.stepped {
		w.available()
		return
	}
	go w.drain()
}

// drain writes until nothing is queued. It waits where the peer does not take it.
func (w *writer) drain() {
	for w.next(w.conn.Write) {
	}
}

// signal puts a token into a channel that has room for one, if there is none in it.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// awaitQueue waits while the queue is over the high-water mark, but not for long: if the peer did
// the same, both would wait for ever.
func (r *reader) awaitQueue() {
	if !r.paused() {
		return
	}
	r.s.in.paused.Add(1)
	t := time.NewTimer(pauseLimit)
	defer t.Stop()
	select {
	case <-r.s.out.queue.drained:
	case <-t.C:
	}
}

// RequestContext is Request for callers that may wait, which a handler must not: it returns the
// answer.
func (s *Session) RequestContext(ctx context.Context, m openflow.Message) (openflow.Message, error) {
	type answer struct {
		m   openflow.Message
		err error
	}
	got := make(chan answer, 1)
	xid, err := s.protocol.request(&s.out, m, nil, func(m openflow.Message, err error) { got <- answer{m, err} })
	if err != nil {
		return nil, err
	}
	select {
	case a := <-got:
		return a.m, a.err
	case <-ctx.Done():
		s.protocol.forget(xid)
		return nil, ctx.Err()
	}
}

// Serve accepts connections until the server is closed; it returns nil then, and closes the
// listener.
func (v *Server) Serve(ln net.Listener) error {
	if !v.listen(ln) {
		ln.Close()
		return ErrClosed
	}
	defer ln.Close()
	for {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			_, _ = v.ServeConn(conn) // Config.Refused is called for what is refused
		case v.isClosed():
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default: // out of files, or a connection that was reset before it was accepted
			v.group.shed()
			select {
			case <-v.group.stop:
			case <-time.After(acceptPause):
			}
		}
	}
}
