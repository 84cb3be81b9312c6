package api

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/weirnet/weir/netview"
)

// Serve answers on the listener until the context ends, and then until the requests under way are done, or
// Limits.ShutdownWait is over. It closes the listener. The error is nil after an orderly end.
//
// net/http owns a goroutine for each connection; this package starts none. Event streams end with the context.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return serve(ctx, door{l, s.all}, s, s.cfg.Limits, s.cfg.TLS, s.cfg.Log)
}

// Serve is as Server.Serve.
func (s *Site) Serve(ctx context.Context, l net.Listener) error {
	return serve(ctx, door{l, s.all}, s, s.cfg.Limits, s.cfg.TLS, s.cfg.Log)
}

func serve(ctx context.Context, l door, h http.Handler, lim Limits, secure *tls.Config, log *slog.Logger) error {
	srv := &http.Server{
		Handler:           h,
		TLSConfig:         secure,
		ConnContext:       withConnection,
		ConnState:         l.all.follow,
		ReadHeaderTimeout: lim.ReadHeader,
		ReadTimeout:       lim.Read,
		WriteTimeout:      lim.Write,
		IdleTimeout:       lim.Idle,
		MaxHeaderBytes:    lim.HeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
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
	if secure != nil {
		err = srv.ServeTLS(l, "", "")
	} else {
		err = srv.Serve(l)
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

// await is true as soon as the view is at the revision or after it, and false once Limits.AtLeastWait is over.
func (s *Server) await(ctx context.Context, r netview.Revision) bool {
	timeout := time.NewTimer(s.cfg.Limits.AtLeastWait)
	defer timeout.Stop()
	select {
	case <-s.cfg.View.Changed(r - 1):
		return true
	case <-timeout.C:
	case <-ctx.Done():
	}
	return false
}

// awaitIntents is as await, of the intents.
func (s *Server) awaitIntents(ctx context.Context, revision uint64) bool {
	timeout := time.NewTimer(s.cfg.Limits.AtLeastWait)
	defer timeout.Stop()
	select {
	case <-s.cfg.Intents.Changed(revision - 1):
		return true
	case <-timeout.C:
	case <-ctx.Done():
	}
	return false
}

// run is the loop of one event stream; the connection's goroutine owns the stream. It ends when the client goes, or is too
// slow to take one write within Limits.Write, or the server ends.
func (st *stream) run(ctx context.Context) {
	tick := time.NewTicker(st.s.cfg.Limits.KeepAlive)
	defer tick.Stop()
	f := st.s.feed
	for st.step() {
		idle := false
		select {
		case <-f.came(st.next):
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

// lead waits for a change and has it encoded, for all streams; it writes nothing, so that no client holds the others up. It is true
// where nothing came before the tick.
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
	gather := time.NewTimer(f.gather())
	defer gather.Stop()
	select {
	case <-gather.C:
		f.advance()
	case <-ctx.Done():
	}
	return false
}

// deadline is a time so far from now, for the deadlines of connections.
func deadline(after time.Duration) time.Time { return time.Now().Add(after) }
