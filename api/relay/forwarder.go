package relay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/cert"
)

// Target is the instance that decides, as one that stands by knows it now.
type Target struct {
	Life    string // of its process; empty: nobody is known to decide
	Name    string
	Address string // of its peer port, HOST:PORT
	Silent  bool   // it is not heard
}

// Config is what a Forwarder needs. Times that are 0 have the default.
type Config struct {
	Name   string // of this instance
	Target func() Target
	TLS    *cert.PeerFiles // nil: none is spoken
	// Hold is how long a request waits for one that decides, or for a token that was published.
	Hold time.Duration
	// Grace is how long requests that are under way may take once another instance decides.
	Grace time.Duration
	Log   *slog.Logger
}

const (
	defaultHold = time.Second
	// again is how soon it is looked again who decides.
	again = 10 * time.Millisecond
	// resend is how soon a request that was sent, and may have been done, is sent again.
	resend = 100 * time.Millisecond
	// dialLimit is how long a connection may take.
	dialLimit = 500 * time.Millisecond
	// bufferedBody is the length of the longest body that is kept, in bytes. A longer one is sent when the other end
	// asks for it.
	bufferedBody = 64 << 10
	// strangers is how many requests with tokens that this instance does not know may be on their way at a time.
	strangers = 64
	// refusalMax is how much of a refusal of the other end is read, in bytes.
	refusalMax = 4096
)

// Forwarder is the rest.Forwarder of an instance that stands by.
type Forwarder struct {
	cfg       Config
	transport *http.Transport
	proxy     *httputil.ReverseProxy
	local     atomic.Pointer[http.Handler] // once this instance decides
	unknown   atomic.Int32                 // requests with a token that is not known
	held      atomic.Int32                 // requests that have not been answered, but for streams

	mu  sync.Mutex
	now *reign
}

// reign is the time in which one instance decides.
type reign struct {
	life    string
	changed context.Context // ends as soon as another decides
	over    context.Context // and some time after that

	replaced, end context.CancelFunc // of the two
}

// New makes a forwarder.
func New(cfg Config) *Forwarder {
	cfg.Hold = cmp.Or(cfg.Hold, defaultHold)
	cfg.Grace = cmp.Or(cfg.Grace, rest.DefaultLimits.ShutdownWait)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := &Forwarder{cfg: cfg}
	dialer := &net.Dialer{Timeout: dialLimit}
	f.transport = &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
		DisableCompression: true, ExpectContinueTimeout: time.Hour, MaxResponseHeaderBytes: 1 << 20}
	if cfg.TLS != nil {
		f.transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialTLS(ctx, dialer, cfg.TLS, network, address)
		}
	}
	f.proxy = &httputil.ReverseProxy{Rewrite: f.rewrite, Transport: f, FlushInterval: -1, ErrorHandler: failed,
		ModifyResponse: own, ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug)}
	return f
}

func dialTLS(ctx context.Context, dialer *net.Dialer, files *cert.PeerFiles, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	cfg, err := files.Client(host(address))
	if err != nil {
		return nil, err
	}
	wire, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(wire, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		wire.Close()
		return nil, fmt.Errorf("TLS with %s: %w", address, err)
	}
	return secure, nil
}

// Ready is nil while requests can be sent on.
func (f *Forwarder) Ready() error {
	switch to := f.cfg.Target(); {
	case f.local.Load() != nil:
		return nil
	case to.Life == "":
		return errors.New("this instance is a standby, and knows nobody that decides for the network")
	case to.Silent:
		return fmt.Errorf("this instance is a standby, and does not hear %s, which decides for the network", to.Name)
	}
	return nil
}

// Decides notes whose life of an instance decides.
func (f *Forwarder) Decides(life string) { f.reign(life) }

// reign is that of a life. It ends the one before.
func (f *Forwarder) reign(life string) *reign {
	f.mu.Lock()
	before := f.now
	if before == nil || before.life != life {
		f.now = newReign(life)
	}
	now := f.now
	f.mu.Unlock()
	if before != nil && before != now {
		before.replaced()
		time.AfterFunc(f.cfg.Grace, before.end)
		f.transport.CloseIdleConnections()
	}
	return now
}

// current is the reign of a life; nil: another one decides since.
func (f *Forwarder) current(life string) *reign {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		f.now = newReign(life)
	}
	if f.now.life != life {
		return nil
	}
	return f.now
}

func newReign(life string) *reign {
	r := &reign{life: life}
	r.changed, r.replaced = context.WithCancel(context.Background())
	r.over, r.end = context.WithCancel(context.Background())
	return r
}

// TakeOver has the requests that wait, and those that come, answered by this instance, which decides now.
func (f *Forwarder) TakeOver(h http.Handler) {
	f.local.Store(&h)
	f.reign("")
}

// Waiting is how many requests are not answered yet. Those that have an answer that goes on do not count.
func (f *Forwarder) Waiting() int { return int(f.held.Load()) }

// Close closes connections that are idle.
func (f *Forwarder) Close() { f.transport.CloseIdleConnections() }

// request is a request on its way.
type request struct {
	about  rest.Forwarded
	asked  *http.Request // as this instance was asked
	body   []byte        // a short one; nil: it is long, or there is none
	long   bool
	begun  atomic.Bool // the long body is being sent
	unsure bool        // it may have been done
	answer func()      // called when there is an answer
}

// requestKey is the key of the *request in a context.
type requestKey struct{}

// Forward implements rest.Forwarder.
func (f *Forwarder) Forward(w http.ResponseWriter, r *http.Request, about rest.Forwarded) {
	if !about.Known {
		defer f.unknown.Add(-1)
		if f.unknown.Add(1) > strangers {
			rest.Refuse(http.StatusServiceUnavailable, "the token given is not known to this instance yet, and too many "+
				"requests with others that are not are under way: try again").After(time.Second).Write(w)
			return
		}
	}
	if len(r.URL.Path) == 0 || r.URL.Path[0] != '/' {
		rest.Refuse(http.StatusNotFound, "there is no %q: /openapi.json lists what there is", rest.Truncate(r.URL.Path)).Write(w)
		return
	}
	f.held.Add(1)
	q := &request{about: about, answer: sync.OnceFunc(func() { f.held.Add(-1) })}
	defer q.answer()
	if no := q.take(r); no != nil {
		no.Write(w)
		return
	}
	q.asked = r
	f.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, q)))
}

// take reads a short body.
func (q *request) take(r *http.Request) *rest.Refusal {
	switch n := r.ContentLength; {
	case n == 0:
	case n < 0 || n > bufferedBody:
		q.long = true
	default:
		q.body = make([]byte, n)
		if _, err := io.ReadFull(r.Body, q.body); err != nil {
			return rest.Refuse(http.StatusBadRequest, "the body: %v: want %d bytes, as Content-Length says", err, n)
		}
		r.Body = io.NopCloser(bytes.NewReader(q.body))
	}
	return nil
}

// rewrite makes the request to the other instance, but for where that is.
func (f *Forwarder) rewrite(p *httputil.ProxyRequest) {
	u := p.Out.URL
	*u = *p.In.URL
	if u.RawPath != "" {
		u.RawPath = Path + u.RawPath
	}
	u.Path = Path + u.Path
	h := p.Out.Header
	for _, name := range []string{"Upgrade", "Connection", "Expect", "Origin", // the gate has checked the origin
		"X-Idempotency-Key", headerOpen} { // net/http would take that key for leave to send again
		h.Del(name)
	}
	h[headerFor], h[headerBy] = []string{p.In.RemoteAddr}, []string{f.cfg.Name}
	q := p.In.Context().Value(requestKey{}).(*request)
	if q.about.Open {
		h[headerOpen] = []string{"1"}
	}
	if q.long {
		h.Set("Expect", "100-continue")
	} else if !q.about.Keyed {
		h.Del("Idempotency-Key") // net/http would take it for leave to send again; the route does not heed it
	}
}

// own leaves out what this instance says itself of each answer.
func own(r *http.Response) error {
	for _, name := range []string{"X-Content-Type-Options", "Cache-Control", headerAnswered} {
		r.Header.Del(name)
	}
	return nil
}

// localAnswer has a request answered by this instance, which decides now.
type localAnswer struct{ by http.Handler }

func (*localAnswer) Error() string { return "this instance decides" }

// failed answers a request that the other instance has not answered.
func failed(w http.ResponseWriter, r *http.Request, err error) {
	q := r.Context().Value(requestKey{}).(*request)
	var here *localAnswer
	var no *rest.Refusal
	switch {
	case errors.As(err, &here):
		if q.body != nil {
			q.asked.Body = io.NopCloser(bytes.NewReader(q.body))
		}
		here.by.ServeHTTP(w, q.asked)
	case errors.As(err, &no):
		no.Write(w)
	default: // the caller has gone
		rest.Refuse(http.StatusBadGateway, "%v", err).Write(w)
	}
}
