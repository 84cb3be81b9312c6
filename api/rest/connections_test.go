package rest

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// attacks are what an anonymous connection sends.
var attacks = map[string]string{
	"nothing":       "",
	"half a header": "GET /v1/links HTTP/1.1\r\nHost: 127.0.0.1\r\n",
	"no token":      "GET /v1/links HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	"a bad token":   "GET /v1/links HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer bad-token-of-a-anonymous\r\n\r\n",
	"half a body":   "POST /v1/intents HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer bad-token-of-a-anonymous\r\nContent-Length: 999\r\n\r\n{",
	"probes":        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}

// reachToken is the one that is valid.
const reachToken = "viewer-token-of-the-tests"

// reach is a stack with a list and a stream, on a socket as its clients reach it.
type reach struct {
	*Stack
	addr  string
	tls   *tls.Config // nil: plain
	fresh *http.Client
	told  sync.Map // fields of limits that were reached
}

func newReach(t *testing.T, secure bool, change func(*Limits)) *reach {
	t.Helper()
	r := &reach{}
	own := httptest.NewTLSServer(nil)
	own.Close()
	cfg := StackConfig{Access: Access{Tokens: []Token{{Role: RoleViewer, Secret: reachToken}}, Listen: "127.0.0.1:8181"},
		LimitReached: func(field, text string) { r.told.Store(field, text) }}
	cfg.Limits.ShutdownWait = time.Millisecond
	change(&cfg.Limits)
	if secure {
		cfg.TLS = &tls.Config{Certificates: own.TLS.Certificates}
		r.tls = own.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		r.tls.ServerName = "example.com"
	}
	r.Stack = NewStack(cfg, "test", "")
	r.Add([]Route{
		{Method: "GET", Path: "/v1/links", ID: "links", Handler: Plain(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "{}")
		})},
		{Method: "GET", Path: "/v1/events", ID: "events", Endless: true, Handler: Plain(holdOpen)},
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(ctx, l) }()
	t.Cleanup(func() { cancel(); <-ended })
	r.addr = l.Addr().String()
	r.fresh = r.client(t, true)
	return r
}

// holdOpen answers, and ends with the request.
func holdOpen(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// client is an HTTP client; a fresh one makes a connection for each request.
func (r *reach) client(t *testing.T, fresh bool) *http.Client {
	transport := &http.Transport{TLSClientConfig: r.tls, DisableKeepAlives: fresh, MaxIdleConnsPerHost: 1}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// ask is the status of a request, 0 where there is no answer.
func (r *reach) ask(t *testing.T, c *http.Client, path, token string) int {
	t.Helper()
	scheme := "http://"
	if r.tls != nil {
		scheme = "https://"
	}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", scheme+r.addr+path, nil)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Logf("%s: %v", path, err)
		return 0
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// dial makes a connection and sends something; with an answer it waits for one.
func (r *reach) dial(t *testing.T, send string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if r.tls != nil && send != "" {
		conn = tls.Client(conn, r.tls)
	}
	io.WriteString(conn, send)
	return conn
}

// TestAnonymousKeepNobodyOut: whatever anonymous connections send or do not, with TLS and without,
// from one source or so many that only the limit of all counts, who has a token gets in, stays, and
// is answered, and so are probes.
func TestAnonymousKeepNobodyOut(t *testing.T) {
	const most, share = 24, 12
	for _, secure := range []bool{false, true} {
		for what, send := range attacks {
			for _, perSource := range []int{share, 10 * most} {
				if secure && perSource == share {
					continue
				}
				t.Run(fmt.Sprintf("%s/TLS=%v/%d", what, secure, perSource), func(t *testing.T) {
					t.Parallel()
					r := newReach(t, secure, func(l *Limits) { l.Connections, l.SourceConnections = most, perSource })
					steady := r.client(t, false)
					if code := r.ask(t, steady, "/v1/links", reachToken); code != 200 {
						t.Fatalf("before: %d", code)
					}
					for n := range 2 * most {
						r.dial(t, send)
						if n%12 != 11 {
							continue
						}
						for c, client := range map[string]*http.Client{"fresh": r.fresh, "steady": steady} {
							if code := r.ask(t, client, "/v1/links", reachToken); code != 200 {
								t.Errorf("%s client after %d anonymous: %d", c, n+1, code)
							}
						}
						if code := r.ask(t, r.fresh, "/healthz", ""); code != 200 {
							t.Errorf("probe after %d anonymous: %d", n+1, code)
						}
					}
					authenticated, anonymous, cutAll, cutSource := r.all.count()
					if authenticated+anonymous > most || anonymous > perSource || cutAll+cutSource == 0 {
						t.Errorf("%d with a token and %d without; %d and %d cut", authenticated, anonymous, cutAll, cutSource)
					}
					for field, n := range map[string]uint64{"limits.connections": cutAll,
						"limits.connections_per_source": cutSource} {
						if _, told := r.told.Load(field); told != (n > 0) {
							t.Errorf("%s: told %v, %d cut", field, told, n)
						}
					}
				})
			}
		}
	}
}

// TestReserve: clients with tokens cannot take all connections. Above their part who is idle goes;
// where all are busy others are refused, and probes are answered.
func TestReserve(t *testing.T) {
	const most = 16
	r := newReach(t, false, func(l *Limits) { l.Connections = most })
	idle := r.client(t, false)
	r.ask(t, idle, "/v1/links", reachToken)
	need.Await(t, "the connection is idle", func() bool {
		r.all.mu.Lock()
		defer r.all.mu.Unlock()
		return r.all.idle.Len() > 0
	})
	for n := range most - most/reservedShare {
		conn := r.dial(t, "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "+reachToken+"\r\n\r\n")
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
			t.Fatalf("stream %d: %q %v", n, line, err)
		}
	}
	if authenticated, _, cut, _ := r.all.count(); authenticated != most-most/reservedShare || cut != 1 {
		t.Errorf("%d with tokens, %d cut; want the idle one to be cut", authenticated, cut)
	}
	for range most {
		if code := r.ask(t, r.fresh, "/v1/links", reachToken); code != 503 {
			t.Fatalf("one more: %d, want 503", code)
		}
		if code := r.ask(t, r.fresh, "/healthz", ""); code != 200 {
			t.Fatalf("probe: %d", code)
		}
	}
	if r.refused(t) == "" {
		t.Error("nobody is told that the limit is reached")
	}
}

func (r *reach) refused(t *testing.T) string {
	text, _ := r.told.Load("limits.connections")
	s, _ := text.(string)
	return s
}

// TestManyPages: by default a hundred pages of one token from one address, each with an event
// stream and five more connections, are all served.
func TestManyPages(t *testing.T) {
	r := newReach(t, false, func(*Limits) {})
	const pages, each = 100, 5
	var streams []net.Conn
	for range pages {
		streams = append(streams,
			r.dial(t, "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "+reachToken+"\r\n\r\n"))
		for range each {
			r.dial(t, "") // a browser opens connections before it needs them
		}
	}
	for _, conn := range streams {
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
			t.Fatalf("stream: %q %v", line, err)
		}
	}
	need.Await(t, "all are counted", func() bool {
		authenticated, anonymous, _, _ := r.all.count()
		return authenticated+anonymous >= pages*(1+each)
	})
	authenticated, anonymous, cutAll, cutSource := r.all.count()
	if authenticated != pages || anonymous != pages*each || cutAll+cutSource != 0 {
		t.Errorf("%d with a token, %d without, %d and %d cut", authenticated, anonymous, cutAll, cutSource)
	}
}

// TestConnectionsAreForgotten: nothing is left of connections that have gone.
func TestConnectionsAreForgotten(t *testing.T) {
	r := newReach(t, false, func(l *Limits) {
		l.ReadHeader, l.Idle, l.Read = 20*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond
	})
	for _, send := range attacks {
		r.dial(t, send)
	}
	r.ask(t, r.client(t, false), "/v1/links", reachToken)
	need.Await(t, "nobody is counted", func() bool {
		authenticated, anonymous, _, _ := r.all.count()
		return authenticated+anonymous == 0
	})
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if r.all.anonymous.Sources() != 0 || r.all.idle.Len() != 0 {
		t.Errorf("%d sources, %d idle", r.all.anonymous.Sources(), r.all.idle.Len())
	}
}

// TestLimitsAreExact: as many connections as a limit says are there, and not one more or less; and
// one that is idle and has shown no token makes no room among those that have.
func TestLimitsAreExact(t *testing.T) {
	told := map[string]int{}
	a := newConnections(Limits{Connections: 16, SourceConnections: 3}, func(field, _ string) { told[field]++ })
	add := func() *connection {
		near, far := net.Pipe()
		t.Cleanup(func() { far.Close() })
		return a.add(near)
	}
	want := func(what string, authenticated, anonymous int, cutAll, cutSource uint64) {
		t.Helper()
		if k, s, all, source := a.count(); k != authenticated || s != anonymous || all != cutAll || source != cutSource {
			t.Errorf("%s: %d with a token and %d without, %d and %d cut; want %d, %d, %d and %d", what, k, s, all,
				source, authenticated, anonymous, cutAll, cutSource)
		}
	}
	for range 3 {
		add()
	}
	want("as many of a source as may be", 0, 3, 0, 0)
	last := add()
	want("one more", 0, 3, 0, 1)
	last.Close()
	const most = 14 // of 16, but for an eighth
	var busy []*connection
	for n := range most {
		c := add()
		if !a.admit(c) {
			t.Fatalf("connection %d with a token is refused", n+1)
		}
		busy = append(busy, c)
	}
	want("as many with a token as may be", most, 2, 0, 1)
	anonymous := add()
	a.setIdle(anonymous, true)
	want("all", most, 2, 1, 1)
	another := add()
	if a.admit(another) {
		t.Error("one more with a token is taken while all are busy")
	}
	if anonymous.gone {
		t.Error("a anonymous made room among those with a token")
	}
	a.setIdle(busy[5], true)
	if !a.admit(another) || !busy[5].gone || told["limits.connections"] == 0 || told["limits.connections_per_source"] != 1 {
		t.Errorf("the idle one made no room: gone %t, told %v", busy[5].gone, told)
	}
}
