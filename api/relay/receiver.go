package relay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/cert"
)

// Path begins the paths of the peer port at which requests come that were made at other instances. Its number is the
// version of the form.
const Path = "/weir/api/1"

// The headers between instances.
const (
	headerFor      = "Weir-Forwarded-For"
	headerBy       = "Weir-Forwarded-By"
	headerOpen     = "Weir-Forwarded-Open" // present: the instance that was asked wants no tokens
	headerRefused  = "Weir-Refused"
	headerAnswered = "Weir-Answered" // of each answer of the API: earlier versions know nothing of Path
)

// Values of headerRefused.
const (
	refusedNotOwner   = "not-owner"
	refusedForwarding = "forwarding"
)

// Member is an instance of the cluster.
type Member struct {
	Name    string
	Address string // of its peer port, HOST:PORT
	Self    bool
}

// host is the host of an address.
func host(address string) string {
	h, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return h
}

// Server is what serves requests: a *rest.Stack.
type Server interface {
	ServeForwarded(w http.ResponseWriter, r *http.Request, from rest.Origin)
}

// Receiver serves requests that were made at other instances. It is an http.Handler, for paths below Path.
type Receiver struct {
	members func() []Member
	tls     bool // the port wants certificates
	serving atomic.Pointer[serving]
}

// serving is the time in which an instance decides.
type serving struct {
	server  Server
	ctx     context.Context
	running sync.WaitGroup
	mu      sync.Mutex // of over, so that nothing begins once it is waited for the end
	over    bool
}

// NewReceiver makes a receiver that refuses all, until Serve. members are those of the cluster now; with tls, callers have
// shown a certificate, which has to be that of the instance that they say they are.
func NewReceiver(members func() []Member, tls bool) *Receiver {
	return &Receiver{members: members, tls: tls}
}

// begin has the requests served from now on.
func (v *Receiver) begin(ctx context.Context, server Server) *serving {
	s := &serving{server: server, ctx: ctx}
	v.serving.Store(s)
	return s
}

// enter reports whether a request may begin; then leave ends it.
func (s *serving) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.ctx.Err() != nil {
		return false
	}
	s.running.Add(1)
	return true
}

func (s *serving) leave() { s.running.Done() }

// ServeHTTP implements http.Handler.
func (v *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := v.serving.Load()
	if s == nil || !s.enter() {
		refuse(w, http.StatusServiceUnavailable, refusedNotOwner, errors.New("this instance does not decide for the network"))
		return
	}
	defer s.leave()
	from, err := v.origin(r)
	if err == nil {
		r, err = unwrapped(r)
	}
	if err != nil {
		refuse(w, http.StatusForbidden, refusedForwarding, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	w.Header().Set(headerAnswered, "1")
	s.server.ServeForwarded(w, r.WithContext(ctx), from)
}

// refuse answers that nothing was done.
func refuse(w http.ResponseWriter, status int, how string, err error) {
	w.Header().Set(headerRefused, how)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, err.Error(), status)
}

// origin is where a request was made. It is an error if the request may have been made by a page of a browser, which
// reaches ports on loopback, or does not come from the member that it names.
func (v *Receiver) origin(r *http.Request) (o rest.Origin, err error) {
	if r.Header.Get("Origin") != "" {
		return o, errors.New("an Origin was given: no page may call the peer port")
	}
	if o, err = parseOrigin(r.Header); err != nil {
		return o, err
	}
	named := false
	for _, m := range v.members() {
		switch {
		case m.Self && !addressed(r.Host, m.Address):
			return o, fmt.Errorf("the Host header %q is not %s, where this instance is", rest.Truncate(r.Host), m.Address)
		case m.Self || m.Name != o.Instance:
			continue
		case v.tls && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0):
			return o, errors.New("no certificate was shown")
		case v.tls:
			if err := cert.CheckPeer(r.TLS.PeerCertificates[0], host(m.Address)); err != nil {
				return o, fmt.Errorf("%s of member %s: %w", headerBy, m.Name, err)
			}
		}
		named = true
	}
	if !named {
		return o, fmt.Errorf("%s: %q is no other member of this cluster", headerBy, rest.Truncate(o.Instance))
	}
	return o, nil
}

// addressed reports whether a Host header is that of an address of a peer port.
func addressed(header, address string) bool {
	return strings.EqualFold(header, address) || rest.IsLoopback(strings.Trim(host(header), "[]"))
}

// parseOrigin reads the headers.
func parseOrigin(h http.Header) (o rest.Origin, err error) {
	if len(h[headerFor]) != 1 || len(h[headerBy]) != 1 {
		return o, fmt.Errorf("want one header %s and one %s: this path is for other instances of the cluster", headerFor, headerBy)
	}
	at, err := netip.ParseAddrPort(h[headerFor][0])
	if err != nil {
		return o, fmt.Errorf("%s %q: want HOST:PORT", headerFor, rest.Truncate(h[headerFor][0]))
	}
	by := h[headerBy][0]
	if by == "" || len(by) > maxName || strings.ContainsFunc(by, unicode.IsControl) {
		return o, fmt.Errorf("%s %q: want the name of an instance", headerBy, rest.Truncate(by))
	}
	return rest.Origin{From: at.String(), Instance: by, Open: len(h[headerOpen]) > 0}, nil
}

// maxName is the length of the longest name of an instance, in bytes.
const maxName = 255

// unwrapped is a request as the caller made it.
func unwrapped(r *http.Request) (*http.Request, error) {
	out := new(http.Request)
	*out = *r
	out.Header = r.Header.Clone()
	out.Header.Del(headerFor)
	out.Header.Del(headerBy)
	out.Header.Del(headerOpen)
	u := new(url.URL)
	*u = *r.URL
	u.Path, u.RawPath = strings.TrimPrefix(u.Path, Path), strings.TrimPrefix(u.RawPath, Path)
	if !strings.HasPrefix(u.Path, "/") || u.Path == r.URL.Path || r.URL.RawPath != "" && u.RawPath == r.URL.RawPath {
		return nil, fmt.Errorf("the path %q: want %s and one of the API", rest.Truncate(r.URL.Path), Path)
	}
	out.URL, out.RequestURI = u, strings.TrimPrefix(r.RequestURI, Path)
	return out, nil
}

// endLimit is how long requests that are under way may take when an instance does not decide any more: as long as those
// of its own API.
var endLimit = rest.DefaultLimits.ShutdownWait
