package rest

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Forwarder answers requests at an instance that knows nothing of the network, by asking the one that does.
type Forwarder interface {
	// Forward answers a request that is addressed to this instance, and carries a token. The body's reads, and the
	// writes of the answer, have their time-outs.
	Forward(w http.ResponseWriter, r *http.Request, about Forwarded)
}

// Forwarded is what is known of a request that is to be forwarded.
type Forwarded struct {
	// Known: the token is one that this instance knows. Another one may be newer than what it knows.
	Known bool
	// Here: the token is of a file of this instance. Others take it once it is published.
	Here bool
	// Open: this instance asks nobody for a token.
	Open bool
	// Keyed: asked again, with the same Idempotency-Key, it is not done twice.
	Keyed bool
}

// Origin is where a request was made that another instance has forwarded.
type Origin struct {
	From     string // address of the caller
	Instance string // that the caller asked, which has checked what the request is addressed to, and its Origin
	Open     bool   // that one asks nobody for a token
}

// originKey is the key of the *Origin in the context of a request. Nothing that a caller sends sets it.
type originKey struct{}

// originOf is where a request was made that was forwarded; nil: it was made here.
func originOf(r *http.Request) *Origin {
	o, _ := r.Context().Value(originKey{}).(*Origin)
	return o
}

// callerOf is what is known of who makes a request before its token is looked at.
func callerOf(r *http.Request) Actor {
	if o := originOf(r); o != nil {
		return Actor{From: o.From, Via: o.Instance}
	}
	return Actor{From: r.RemoteAddr}
}

// ServeForwarded serves a request that another instance has forwarded: as one of its own, with its token and limits, but
// for what the other has checked. At a time there may be as many as connections.
func (s *Stack) ServeForwarded(w http.ResponseWriter, r *http.Request, from Origin) {
	defer s.forwarded.Add(-1)
	if s.forwarded.Add(1) > int64(s.cfg.Limits.Connections) {
		s.Limited("connections", "as many requests from other instances are under way: others are refused")
		Refuse(http.StatusServiceUnavailable, "%d requests that came to other instances are under way, and no more are "+
			"allowed: raise limits.connections, or try again later", s.cfg.Limits.Connections).After(time.Second).Write(w)
		return
	}
	ctl := http.NewResponseController(w)
	if r.ContentLength != 0 { // else net/http reads already, to know whether the caller goes, and a deadline would end that
		ctl.SetReadDeadline(deadline(s.cfg.Limits.Read))
	}
	ctl.SetWriteDeadline(deadline(s.cfg.Limits.Write))
	defer ctl.SetWriteDeadline(time.Time{}) // of the connection's next request, which sets its own
	s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), originKey{}, &from)))
}

// forward checks what a request is addressed to, and that it has a token, and has another instance answer it.
func (s *Stack) forward(w http.ResponseWriter, r *http.Request, route *Route, by Actor) {
	protect(w.Header())
	closeAfterChunked(r, w.Header())
	streams := route != nil && route.streams(r)
	about := Forwarded{Open: s.gate.open,
		Keyed: route != nil && route.Keyed && !streams && r.Header.Get("Idempotency-Key") != ""} // a stream has keys of items
	no := s.gate.addressed(r)
	if no == nil {
		no = s.gate.authorize(r, RoleTenant, &by)
		about.Known = by.Role != RoleNone && no == nil
		about.Here = about.Known && by.grant == nil && !s.gate.open
		if _, ok := bearer(r); ok {
			no = nil // who decides knows which there are
		}
	}
	if no == nil && about.Known {
		no = s.all.noRoom(r)
	}
	if no != nil {
		if no.reason != "" {
			s.metrics.refused.WithLabelValues(no.reason).Inc()
		}
		no.Write(w)
		return
	}
	paced := NewPaced(w, s.cfg.Limits.Write)
	if r.ContentLength != 0 {
		if r.Header.Get("Expect") != "" { // the caller waits for leave to send, which might come after the answer's header
			w.WriteHeader(http.StatusContinue)
			r.Header.Del("Expect")
		}
		body := &forwardedBody{ReadCloser: r.Body, ctl: paced.Ctl}
		paced.Ctl.EnableFullDuplex() // the answer may begin before the body has ended
		if streams {
			body.idle = s.cfg.Limits.StreamIdle
		}
		r.Body = body
	}
	s.cfg.Forward.Forward(paced, r, about)
}

// forwardedBody is the body of a request that is forwarded, which may be read while it is answered.
type forwardedBody struct {
	io.ReadCloser
	ctl     *http.ResponseController
	idle    time.Duration // how long a read may take; 0: the server's limit of the whole request holds
	reading atomic.Bool
}

// Read implements io.Reader.
func (b *forwardedBody) Read(p []byte) (int, error) {
	if b.idle > 0 {
		b.ctl.SetReadDeadline(deadline(b.idle))
	}
	b.reading.Store(true)
	n, err := b.ReadCloser.Read(p)
	b.reading.Store(false)
	return n, err
}

// Close ends a read that waits: net/http's Close would wait for it.
func (b *forwardedBody) Close() error {
	if b.reading.Load() {
		b.ctl.SetReadDeadline(time.Unix(1, 0))
	}
	return b.ReadCloser.Close()
}
