package rest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve answers on the listener until the context ends, and then until the requests under way are
// done, or Limits.ShutdownWait is over. It closes the listener. The error is nil after an orderly
// end.
//
// net/http owns a goroutine for each connection; this package starts none. Event streams end with
// the context.
func (s *Stack) Serve(ctx context.Context, l net.Listener) error {
	lim := s.cfg.Limits
	srv := &http.Server{
		Handler:           s,
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

// deadline returns a time so far from now, for the deadlines of connections.
func deadline(after time.Duration) time.Time { return time.Now().Add(after) }
