package relay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
)

const (
	token = "known-everywhere"
	ofB   = "of-a-file-of-b"
)

// records is an audit log in memory.
type records struct {
	mu   sync.Mutex
	list []client.AuditRecord
}

func (l *records) Write(r client.AuditRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, r)
	return nil
}

func (l *records) Begin(r client.AuditRecord) (func() error, error) {
	return func() error { return nil }, l.Write(r)
}
func (l *records) Note(r client.AuditRecord) { l.Write(r) }
func (l *records) Read(time.Time, int) ([]client.AuditRecord, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]client.AuditRecord{}, l.list...), nil
}

// instance is one that can decide.
type instance struct {
	name     string
	log      records
	stack    *rest.Stack
	received *Receiver
	port     *httptest.Server // its peer port
	end      context.CancelFunc
	served   chan struct{}

	wrote   atomic.Int32 // POSTs that were done
	reads   atomic.Int32
	left    atomic.Int32                      // streams whose caller has gone
	gate    chan struct{}                     // not nil: POSTs wait for it after they were done
	dropped atomic.Pointer[func(http.Header)] // called before the connection is cut; nil: answers are given
}

// world is instances a and b that can decide, and b's API as one that stands by.
type world struct {
	t       testing.TB
	a, c    *instance
	forward *Forwarder
	api     *httptest.Server // of b
	target  atomic.Pointer[Target]
}

func newInstance(t testing.TB, name string, tokens ...string) *instance {
	i := &instance{name: name}
	var list []rest.Token
	for _, secret := range tokens {
		list = append(list, rest.Token{Role: rest.RoleOperator, Secret: secret})
	}
	i.stack = rest.NewStack(rest.StackConfig{Access: rest.Access{Tokens: list, Listen: "127.0.0.1:1"},
		Changes: &rest.Changes{Audit: &i.log, Now: time.Now}}, "test", "")
	i.stack.Add(i.routes())
	members := []Member{{Name: "a"}, {Name: "b", Address: "127.0.0.1:2"}, {Name: "c"}}
	i.received = NewReceiver(func() []Member {
		members := slices.Clone(members)
		for n := range members {
			if members[n].Self = members[n].Name == name; members[n].Self {
				members[n].Address = i.port.Listener.Addr().String()
			}
		}
		return members
	}, false)
	i.port = httptest.NewServer(i.received)
	t.Cleanup(i.port.Close)
	return i
}

func (i *instance) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/rows", ID: "rows", Handler: rest.Plain(i.rows)},
		{Method: "GET", Path: "/v1/rows/{id}", ID: "row", Handler: rest.Plain(i.row)},
		{Method: "POST", Path: "/v1/rows", ID: "add", Handler: rest.Plain(i.add), BodyBytes: 64 << 20},
		{Method: "POST", Path: "/v1/keyed", ID: "keyed", Handler: rest.Plain(i.add), Keyed: true},
		{Method: "GET", Path: "/v1/events", ID: "events", Handler: rest.Plain(i.events), Endless: true},
		{Method: "POST", Path: "/v1/echo", ID: "echo", Handler: rest.Plain(i.add),
			Stream: func(w http.ResponseWriter, r *http.Request, _ rest.Actor) bool { i.echo(w, r); return true }},
	}
}

// decide has the instance decide until end is called.
func (i *instance) decide() {
	ctx, cancel := context.WithCancel(context.Background())
	i.end, i.served = cancel, make(chan struct{})
	go func() { defer close(i.served); i.received.Serve(ctx, i.stack) }()
	for i.received.serving.Load() == nil {
		time.Sleep(time.Millisecond)
	}
}

func (i *instance) stop() { i.end(); <-i.served }

func (i *instance) cut(w http.ResponseWriter, r *http.Request) bool {
	dropped := i.dropped.Load()
	if dropped == nil {
		return false
	}
	(*dropped)(r.Header)
	return true
}

// drop has connections be cut, after f was called, and no answers given.
func (i *instance) drop(f func(http.Header)) { i.dropped.Store(&f) }

func (i *instance) rows(w http.ResponseWriter, r *http.Request) {
	i.reads.Add(1)
	if i.cut(w, r) {
		panic(http.ErrAbortHandler)
	}
	h := w.Header()
	h.Set("ETag", `"7"`)
	h.Set("Weir-Revision", "e.7")
	if r.URL.Query().Get("busy") != "" {
		rest.Refuse(http.StatusTooManyRequests, "busy").After(3 * time.Second).Write(w)
		return
	}
	fmt.Fprintf(w, "%s %s %s %s %s", i.name, r.URL.RequestURI(), r.Header.Get("If-Match"), r.Header.Get(headerFor),
		r.Header.Get(headerBy))
}

func (i *instance) row(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s %q", i.name, r.PathValue("id"))
}

func (i *instance) add(w http.ResponseWriter, r *http.Request) {
	body, _ := rest.Body(r)
	i.wrote.Add(1)
	if i.gate != nil {
		<-i.gate
	}
	if i.cut(w, r) {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "%s %d", i.name, len(body))
}

func (i *instance) events(w http.ResponseWriter, r *http.Request) {
	defer i.left.Add(1)
	w.Header().Set("Content-Type", "text/event-stream")
	ctl := http.NewResponseController(w)
	fmt.Fprintf(w, "data: %s\n\n", i.name)
	ctl.Flush()
	<-r.Context().Done()
}

func (i *instance) echo(w http.ResponseWriter, r *http.Request) {
	ctl := http.NewResponseController(w)
	ctl.EnableFullDuplex()
	if r.Header.Get("Expect") != "" {
		w.WriteHeader(http.StatusContinue)
	}
	w.WriteHeader(http.StatusOK)
	ctl.Flush()
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		fmt.Fprintf(w, "%s %s\n", i.name, lines.Text())
		if ctl.Flush() != nil || lines.Text() == "end" {
			break
		}
	}
	i.left.Add(1)
}

func newWorld(t testing.TB, change ...func(*Config)) *world {
	w := &world{t: t, a: newInstance(t, "a", token), c: newInstance(t, "c", token)}
	w.target.Store(&Target{})
	cfg := Config{Name: "b", Target: func() Target { return *w.target.Load() }, Hold: 300 * time.Millisecond,
		Grace: 50 * time.Millisecond}
	for _, f := range change {
		f(&cfg)
	}
	w.forward = New(cfg)
	b := rest.NewStack(rest.StackConfig{Forward: w.forward, Access: rest.Access{Listen: "127.0.0.1:1",
		Tokens: []rest.Token{{Role: rest.RoleOperator, Secret: ofB}}, Issued: issued{}}}, "test", "")
	b.Add(new(instance).routes())
	w.api = httptest.NewServer(b)
	t.Cleanup(w.api.Close)
	t.Cleanup(w.forward.Close)
	return w
}

// decides has an instance decide, and b know it.
func (w *world) decides(i *instance) {
	i.decide()
	w.know(i)
}

func (w *world) know(i *instance) {
	w.target.Store(&Target{Life: "life of " + i.name, Name: i.name, Address: i.port.Listener.Addr().String()})
	w.forward.Decides("life of " + i.name)
}

// ask asks b.
func (w *world) ask(method, path, body string, header ...string) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.api.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for n := 0; n < len(header); n += 2 {
		req.Header.Set(header[n], header[n+1])
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer, string(text)
}

// want asks, and compares.
func (w *world) want(status int, text, method, path, body string, header ...string) *http.Response {
	w.t.Helper()
	answer, got := w.ask(method, path, body, header...)
	if answer.StatusCode != status || !strings.Contains(got, text) {
		w.t.Errorf("%s %s: %d %q, want %d with %q", method, path, answer.StatusCode, got, status, text)
	}
	return answer
}

// await waits for what has to come.
func (w *world) await(what string, has func() bool) {
	w.t.Helper()
	for until := time.Now().Add(10 * time.Second); !has(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			w.t.Fatalf("no %s", what)
		}
	}
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
