package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/api/rest"
)

// RoundTrip implements http.RoundTripper: it sends a request to the instance that decides, and, where nothing was done,
// waits for one that does. The error is a *rest.Refusal, a *localAnswer, or the context's.
func (f *Forwarder) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.Context().Value(requestKey{}).(*request)
	var until time.Time // since when nobody has answered, and the time that it may take
	for {
		if h := f.local.Load(); h != nil {
			return nil, &localAnswer{*h}
		}
		why := rest.Refuse(http.StatusServiceUnavailable, "nothing was done: no instance is known to decide for the network: "+
			"try again").After(time.Second)
		switch to := f.cfg.Target(); {
		case to.Silent:
			why.Detail = fmt.Sprintf("nothing was done: instance %s, which decides for the network, is not heard, and no other one "+
				"has taken its place yet: try again", to.Name)
		case to.Life != "":
			answer, no, again := f.try(r, q, to)
			if no == nil {
				q.answer()
				return answer, nil
			} else if !again {
				return nil, no
			}
			why = no
		}
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		now := time.Now()
		if until.IsZero() {
			until = now.Add(f.cfg.Hold)
		} else if now.After(until) {
			return nil, q.lost(why)
		}
		wait := again
		if q.unsure {
			wait = resend
		}
		select {
		case <-r.Context().Done():
		case <-time.After(wait):
		}
	}
}

// try sends a request to an instance. It is answered, or refused; with again it may be sent again.
func (f *Forwarder) try(r *http.Request, q *request, to Target) (answer *http.Response, no *rest.Refusal, again bool) {
	reign := f.current(to.Life)
	if reign == nil {
		return nil, q.lost(rest.Refuse(http.StatusServiceUnavailable, "nothing was done: another instance than %s has begun to decide "+
			"for the network: try again", to.Name).After(time.Second)), true
	}
	ctx, cancel := context.WithCancel(context.Background()) // without what the proxy traces
	gone := context.AfterFunc(r.Context(), cancel)
	over := context.AfterFunc(reign.over, cancel)
	end := func() { gone(); over(); cancel() }
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead || q.about.Keyed && !q.long
	unheard := func() bool { return true }
	if safe {
		unheard = context.AfterFunc(reign.changed, cancel)
	}
	var sent atomic.Bool
	out := r.Clone(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { // net/http uses another connection if nothing was written, or it is safe to send again
			if !safe {
				sent.Store(false)
			}
		},
		WroteHeaders: func() { sent.Store(true) },
	}))
	out.URL.Scheme, out.URL.Host, out.Host = "http", to.Address, to.Address
	if f.cfg.TLS != nil {
		out.URL.Scheme = "https"
	}
	q.fill(out)
	answer, err := f.transport.RoundTrip(out)
	unheard()
	if err != nil {
		end()
		done := sent.Load() && !(q.long && !q.begun.Load()) // perhaps
		if done && r.Method != http.MethodGet && r.Method != http.MethodHead {
			q.unsure = true
		}
		return nil, q.lost(rest.Refuse(http.StatusServiceUnavailable, "nothing was done: instance %s, which decides for the "+
			"network, does not answer this one: %v: try again", to.Name, err).After(time.Second)), safe || !done
	}
	if no, again := q.judge(answer, to); no != nil {
		answer.Body.Close()
		end()
		return nil, no, again && (!q.long || !q.begun.Load())
	}
	answer.Body = &endingBody{answer.Body, end}
	return answer, nil, false
}

// lost is why a request is not answered: nothing was done, or it is not known.
func (q *request) lost(why *rest.Refusal) *rest.Refusal {
	if !q.unsure {
		return why
	}
	return &rest.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Unknown: true,
		Detail: "the outcome is unknown: this instance has sent the request to the one that decided for the network, and the " +
			"answer was lost. It may have been done: look, before you ask again"}
}

// judge reports why an answer is not the caller's, if it is not, and whether to ask again.
func (q *request) judge(answer *http.Response, to Target) (no *rest.Refusal, again bool) {
	refused := answer.Header.Get(headerRefused)
	switch {
	case refused == refusedNotOwner:
		return rest.Refuse(http.StatusServiceUnavailable, "nothing was done: instance %s does not decide for the network yet, or "+
			"does not any more: try again", to.Name).After(time.Second), true
	case refused != "":
		text, _ := io.ReadAll(io.LimitReader(answer.Body, refusalMax))
		return rest.Refuse(http.StatusBadGateway, "nothing was done: instance %s, which decides for the network, refuses what this "+
			"one forwards: %s", to.Name, strings.TrimSpace(string(text))), false
	case answer.Header.Get(headerAnswered) == "":
		return rest.Refuse(http.StatusServiceUnavailable, "nothing was done: instance %s, which decides for the network, takes no "+
			"requests from this one, perhaps since its version is an earlier one: ask it", to.Name).After(time.Second), true
	case answer.StatusCode == http.StatusUnauthorized && q.about.Here:
		return rest.Refuse(http.StatusServiceUnavailable, "nothing was done: the token given is of a file of this instance, and "+
			"instance %s, which decides for the network, does not take it: it does some seconds after this one has joined, unless "+
			"it was removed there (weir token rm): try again, or use another", to.Name).After(time.Second), true
	}
	return nil, false
}

// fill gives a request its body.
func (q *request) fill(out *http.Request) {
	switch {
	case q.long:
		out.Body = &longBody{out.Body, &q.begun}
	case q.body != nil:
		out.Body = io.NopCloser(bytes.NewReader(q.body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(q.body)), nil }
	default:
		out.Body = nil
	}
}

// longBody is the body of a caller, which is closed only where it was begun: else it may still be sent.
type longBody struct {
	io.ReadCloser
	begun *atomic.Bool
}

// Read implements io.Reader.
func (b *longBody) Read(p []byte) (int, error) {
	b.begun.Store(true)
	return b.ReadCloser.Read(p)
}

// Close implements io.Closer.
func (b *longBody) Close() error {
	if !b.begun.Load() {
		return nil
	}
	return b.ReadCloser.Close()
}

// endingBody is the body of an answer, with what ends when it is closed.
type endingBody struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (b *endingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
