package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/trace"
)

// Serve answers on the listener until the context ends, and then until the requests under way are
// done, or Limits.ShutdownWait is over. It closes the listener. The error is nil after an orderly
// end.
//
// net/http owns a goroutine for each connection; this package starts none. Event streams end with
// the context.
func (s *Stack) Serve(ctx context.Context, l net.Listener) error { return s.serve(ctx, l, s) }

// Serve is Stack.Serve with metrics and the audit log.
func (s *Server) Serve(ctx context.Context, l net.Listener) error { return s.serve(ctx, l, s) }

func (s *Stack) serve(ctx context.Context, l net.Listener, h http.Handler) error {
	lim := s.cfg.Limits
	srv := &http.Server{
		Handler:           h,
		TLSConfig:         s.cfg.TLS,
		ConnContext:       withConnection,
		ConnState:         s.all.connState,
		ReadHeaderTimeout: lim.ReadHeader,
		ReadTimeout:       lim.Read,
		WriteTimeout:      lim.Write,
		IdleTimeout:       lim.Idle,
		MaxHeaderBytes:    lim.HeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug),
	}
	down := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.Background(), lim.ShutdownWait)
		defer cancel()
		if err := srv.Shutdown(end); err != nil {
			srv.Close()
		}
		down <- nil
	})
	var err error
	if counted := (countedListener{l, s.all}); s.cfg.TLS != nil {
		err = srv.ServeTLS(counted, "", "")
	} else {
		err = srv.Serve(counted)
	}
	if stop() { // the listener broke by itself
		srv.Close()
		return err
	}
	<-down
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// await reports whether the view gets to a revision, or after it, within Limits.AtLeastWait.
func (s *Server) await(ctx context.Context, r netview.Revision) bool {
	v := s.cfg.View
	return reached(ctx, s.cfg.Limits.AtLeastWait, v.Changed, func() netview.Revision { return v.Snapshot().Revision() }, r)
}

// awaitIntents is await for a revision of the intents.
func (s *Server) awaitIntents(ctx context.Context, revision uint64) bool {
	return reached(ctx, s.cfg.Limits.AtLeastWait, s.cfg.Intents.Changed, s.cfg.Intents.Revision, revision)
}

// reached reports whether now returns want or more before the time is over. changed returns a
// channel that is closed at the next change after a revision.
func reached[R ~uint64](ctx context.Context, within time.Duration, changed func(after R) <-chan struct{},
	now func() R, want R) bool {
	timeout := time.NewTimer(within)
	defer timeout.Stop()
	for at := now(); at < want; at = now() {
		select {
		case <-changed(at):
		case <-timeout.C:
			return now() >= want
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// submit has requests made durable, within Limits.StoreAnswer. After that it is errStoreTimeout, and
// they may still become durable.
func (s *Server) submit(ctx context.Context, reqs []intent.Request, atomic bool) ([]intent.Answer, error) {
	type outcome struct {
		answers []intent.Answer
		err     error
	}
	ended := make(chan outcome, 1)
	trace.At(trace.Request)
	err := s.cfg.Intents.SubmitAsync(reqs, atomic, func(answers []intent.Answer, err error) { ended <- outcome{answers, err} })
	if err != nil {
		return nil, err
	}
	late := time.NewTimer(s.cfg.Limits.StoreAnswer)
	defer late.Stop()
	select {
	case o := <-ended:
		return o.answers, o.err
	case <-late.C:
		return nil, errStoreTimeout
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run is the loop of one event stream; the connection's goroutine owns the stream. It ends when the
// client goes, or is too slow to take one write within Limits.Write, or the server ends.
func (st *stream) run(ctx context.Context) {
	tick := time.NewTicker(st.s.cfg.Limits.KeepAlive)
	defer tick.Stop()
	f := st.s.feed
	for st.step() {
		idle := false
		select {
		case <-f.blockAvailable(st.next):
		case f.leader <- struct{}{}: // nobody leads
			idle = f.lead(ctx, st.next, tick.C)
			<-f.leader
		case <-tick.C:
			idle = true
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}
		if idle {
			st.idle()
		}
	}
}

// lead waits for a change and has it encoded, for all streams; it writes nothing, so that no client
// holds the others up. It is true where nothing came before the tick.
func (f *feed) lead(ctx context.Context, next uint64, tick <-chan time.Time) bool {
	at, end := f.end()
	if next != end {
		return false
	}
	var intents <-chan struct{}
	if f.s.cfg.Intents != nil {
		intents = f.s.cfg.Intents.Changed(at.intents)
	}
	select {
	case <-f.s.cfg.View.Changed(at.revision):
	case <-intents:
	case <-tick:
		return true
	case <-ctx.Done():
		return false
	}
	gather := time.NewTimer(f.coalesceTime())
	defer gather.Stop()
	select {
	case <-gather.C:
		f.latest()
	case <-ctx.Done():
	}
	return false
}

// deadline returns a time so far from now, for the deadlines of connections.
func deadline(after time.Duration) time.Time { return time.Now().Add(after) }
