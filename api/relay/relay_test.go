package relay

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/api/rest"
)

// issued are the tokens of the store, as b knows them.
type issued struct{}

var grant = rest.NewGrant("x", rest.RoleOperator)

func (issued) Use(hash [sha256.Size]byte) *rest.Grant {
	if hash == sha256.Sum256([]byte(token)) {
		return grant
	}
	return nil
}
func (i issued) Knows(hash [sha256.Size]byte) bool { return i.Use(hash) != nil }

// TestForwarded: an answer is that of the owner, with its headers; the audit log has the caller's address and the
// instance that was asked. Headers that only instances set have no effect from outside.
func TestForwarded(t *testing.T) {
	w := newWorld(t)
	w.decides(w.a)
	answer := w.want(200, `a /v1/rows?x=1&y=%3b+ "7"  `, "GET", "/v1/rows?x=1&y=%3b+", "", "If-Match", `"7"`,
		headerFor, "192.0.2.1:1", headerBy, "c", "Origin", w.api.URL)
	for name, want := range map[string]string{"ETag": `"7"`, "Weir-Revision": "e.7", "Cache-Control": "no-store",
		"X-Content-Type-Options": "nosniff", headerAnswered: ""} {
		if got := strings.Join(answer.Header.Values(name), ","); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	w.want(400, "invalid semicolon", "GET", "/v1/rows?x=1;y=2", "")
	w.want(201, "a 2", "POST", "/v1/rows", "{}", headerFor, "192.0.2.1:1", headerBy, "c")
	list, _ := w.a.log.Read(time.Time{}, 9)
	if r := list[2]; len(list) != 3 || r.Via != "b" || !strings.HasPrefix(r.From, "127.0.0.1:") || r.Result != "done" {
		t.Errorf("the audit log has %+v", list)
	}
	w.want(200, `a "x/y z"`, "GET", "/v1/rows/x%2Fy%20z", "")
	w.want(404, `there is no \"/v2/x\"`, "GET", "/v2/x", "")
	w.want(405, "takes GET, HEAD, POST", "DELETE", "/v1/rows", "")
	if answer := w.want(429, "busy", "GET", "/v1/rows?busy=1", ""); answer.Header.Get("Retry-After") != "3" {
		t.Errorf("Retry-After %q", answer.Header.Get("Retry-After"))
	}
	w.want(401, "no token", "GET", "/v1/rows", "", "Authorization", "")
	w.want(401, "the token given is not one of this instance", "GET", "/v1/rows", "", "Authorization", "Bearer unknown")
	w.want(403, "Host header", "GET", "/v1/rows", "", "Host", "evil.example")
	w.want(403, "Origin", "GET", "/v1/rows", "", "Origin", "http://evil.example")
	w.want(200, "ok", "GET", "/healthz", "", "Authorization", "")
	if got := w.a.reads.Load(); got != 2 {
		t.Errorf("%d reads came to the owner, want 2", got)
	}
}

// TestPeerPort: what does not come from another instance is refused at the peer port, and what comes there while the
// instance does not decide is told so; nothing is forwarded from there.
func TestPeerPort(t *testing.T) {
	w := newWorld(t)
	w.decides(w.a)
	ask := func(i *instance, path string, header ...string) (int, string, string) {
		req, _ := http.NewRequest("GET", i.port.URL+path, nil)
		req.Header.Set("Authorization", "Bearer "+token)
		for n := 0; n < len(header); n += 2 {
			if header[n] == "Host" {
				req.Host = header[n+1]
			}
			req.Header.Add(header[n], header[n+1])
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, answer.Header.Get(headerRefused), string(text)
	}
	good := []string{headerFor, "192.0.2.1:5", headerBy, "b"}
	if status, _, text := ask(w.a, Path+"/v1/rows", good...); status != 200 || text != "a /v1/rows   " {
		t.Errorf("%d %q", status, text)
	}
	for _, c := range []struct {
		path   string
		header []string
		text   string
	}{
		{"/v1/rows", nil, "want one header"},
		{"/v1/rows", []string{headerFor, "192.0.2.1:5"}, "want one header"},
		{"/v1/rows", []string{headerFor, "192.0.2.1:5", headerFor, "192.0.2.1:5", headerBy, "b"}, "want one header"},
		{"/v1/rows", []string{headerFor, "somewhere", headerBy, "b"}, "want HOST:PORT"},
		{"/v1/rows", []string{headerFor, "192.0.2.1:5", headerBy, "nobody"}, "is no other member"},
		{"/v1/rows", []string{headerFor, "192.0.2.1:5", headerBy, "a"}, "is no other member"},
		{"/v1/rows", []string{headerFor, "192.0.2.1:5", headerBy, ""}, "want the name"},
		{"/v1/rows", append([]string{"Host", "evil.example:1"}, good...), "the Host header"},
		{"/v1/rows", append([]string{"Origin", w.a.port.URL}, good...), "no page may"},
		{"", good, "the path"},
		{"x", good, "the path"},
	} {
		if status, how, text := ask(w.a, Path+c.path, c.header...); status != 403 || how != refusedForwarding ||
			!strings.Contains(text, c.text) {
			t.Errorf("%q %q: %d %s %q, want %q", c.path, c.header, status, how, text, c.text)
		}
	}
	if status, how, _ := ask(w.c, Path+"/v1/rows", good...); status != 503 || how != refusedNotOwner {
		t.Errorf("an instance that does not decide: %d %s", status, how)
	}
	if got := w.a.reads.Load(); got != 1 {
		t.Errorf("%d reads were served, want 1", got)
	}
}

// TestHeld: while nobody decides, or who does does not know it yet, requests wait, and are done once. When that takes too
// long they are refused, and nothing was done.
func TestHeld(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Hold = 10 * time.Second })
	var group sync.WaitGroup
	long := strings.Repeat("x", 4<<20)
	for range 8 {
		group.Go(func() { w.want(200, "c /v1/rows", "GET", "/v1/rows", "") })
		group.Go(func() { w.want(201, "c 2", "POST", "/v1/rows", "{}") })
		group.Go(func() { w.want(201, fmt.Sprint("c ", len(long)), "POST", "/v1/rows", long) })
	}
	w.await("requests that wait", func() bool { return w.forward.Waiting() == 24 })
	if err := w.forward.Ready(); err == nil {
		t.Error("it is ready to forward to nobody")
	}
	gone := Target{Life: "gone", Name: "gone", Address: freePort(t)}
	w.target.Store(&gone)
	time.Sleep(50 * time.Millisecond)
	w.know(w.c) // which does not know yet that it decides
	time.Sleep(50 * time.Millisecond)
	w.c.decide()
	group.Wait()
	if got := w.c.wrote.Load(); got != 16 {
		t.Errorf("%d of 16 writes were done", got)
	}
	if w.forward.Waiting() != 0 || w.forward.Ready() != nil {
		t.Errorf("%d requests wait; ready: %v", w.forward.Waiting(), w.forward.Ready())
	}

	w = newWorld(t)
	for _, to := range []Target{{}, gone,
		{Life: "silent", Name: "a", Address: w.a.port.Listener.Addr().String(), Silent: true},
		{Life: "c", Name: "c", Address: w.c.port.Listener.Addr().String()}} {
		w.target.Store(&to)
		began := time.Now()
		answer := w.want(503, "nothing was done", "POST", "/v1/rows", "{}")
		took := time.Since(began)
		if h := answer.Header; h.Get("Retry-After") != "1" || h.Get("Weir-Outcome") != "" || took < w.forward.cfg.Hold {
			t.Errorf("%+v: headers %v after %v", to, h, took)
		}
	}
}

// TestLost: what may have been done when its answer is lost is not sent again, unless it reads, or has a key that is
// heeded.
func TestLost(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Hold = 5 * time.Second })
	w.decides(w.a)
	w.a.drop(func(http.Header) {})
	answer := w.want(503, "the outcome is unknown", "POST", "/v1/rows", "{}")
	if answer.Header.Get("Weir-Outcome") != "unknown" || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("headers %v", answer.Header)
	}
	w.want(503, "the outcome is unknown", "POST", "/v1/rows", "{}", "Idempotency-Key", "k") // which is not heeded there
	w.want(503, "the outcome is unknown", "POST", "/v1/rows", strings.Repeat("x", 1<<20))
	if got := w.a.wrote.Load(); got != 3 {
		t.Errorf("3 writes were done %d times", got)
	}
	w.a.drop(func(http.Header) {
		if w.target.Load().Name == "a" {
			w.c.decide()
			w.know(w.c)
		}
	})
	w.want(200, "c /v1/rows", "GET", "/v1/rows", "")
	w.c.end()
	<-w.c.served
	w.know(w.a)
	w.want(201, "c 2", "POST", "/v1/keyed", "{}", "Idempotency-Key", "k")
}

// TestReplacedWhileItAnswers: an owner that answers nothing any more, though its connections live, and that another one
// replaces, holds no request.
func TestReplacedWhileItAnswers(t *testing.T) {
	w := newWorld(t)
	w.decides(w.a)
	w.a.gate = make(chan struct{})
	defer close(w.a.gate)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.want(503, "the outcome is unknown", "POST", "/v1/rows", "{}")
	}()
	w.await("the write", func() bool { return w.a.wrote.Load() == 1 })
	w.decides(w.c)
	<-done
	w.want(200, "c /v1/rows", "GET", "/v1/rows", "")
}

// TestStreams: both ways at once, at once; each end's end is the other's.
func TestStreams(t *testing.T) {
	w := newWorld(t)
	w.decides(w.a)
	open := func(method, path string, body io.Reader, header ...string) (*http.Response, *bufio.Reader, func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, method, w.api.URL+path, body)
		req.Header.Set("Authorization", "Bearer "+token)
		for n := 0; n < len(header); n += 2 {
			req.Header.Set(header[n], header[n+1])
		}
		answer, err := (&http.Transport{ExpectContinueTimeout: time.Hour}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return answer, bufio.NewReader(answer.Body), cancel
	}
	for _, expect := range []string{"", "100-continue"} {
		var header []string
		if expect != "" {
			header = []string{"Expect", expect}
		}
		r, in := io.Pipe()
		_, out, cancel := open("POST", "/v1/echo", r, header...)
		for n := range 3 {
			fmt.Fprintf(in, "%d\n", n)
			if line, err := out.ReadString('\n'); line != fmt.Sprintf("a %d\n", n) {
				t.Fatalf("%q, %v", line, err)
			}
		}
		in.Close()
		if _, err := out.ReadString('\n'); err != io.EOF {
			t.Errorf("after its last line: %v", err)
		}
		cancel()
	}
	left := w.a.left.Load()
	r, in := io.Pipe()
	_, out, cancel := open("POST", "/v1/echo", r) // which the caller gives up
	fmt.Fprintln(in, "x")
	out.ReadString('\n')
	cancel()
	w.await("the end of a stream whose caller has gone", func() bool { return w.a.left.Load() == left+1 })
	r, in = io.Pipe()
	_, out, cancel = open("POST", "/v1/echo", r) // which the owner ends, while the caller still sends
	fmt.Fprintln(in, "end")
	if line, _ := out.ReadString('\n'); line != "a end\n" {
		t.Errorf("%q", line)
	}
	if _, err := out.ReadString('\n'); err != io.EOF {
		t.Errorf("after the owner's end: %v", err)
	}
	cancel()
	in.Close()

	left = w.a.left.Load()
	_, out, cancel = open("GET", "/v1/events", nil)
	if line, _ := out.ReadString('\n'); line != "data: a\n" {
		t.Errorf("%q", line)
	}
	cancel()
	w.await("the end of events whose caller has gone", func() bool { return w.a.left.Load() == left+1 })

	for _, over := range []func(){w.a.stop, func() { w.a.port.CloseClientConnections() },
		func() { w.forward.Decides("another") }} {
		if w.a.received.serving.Load() == nil {
			w.decides(w.a)
		}
		_, events, cancel := open("GET", "/v1/events", nil)
		events.ReadString('\n')
		r, in := io.Pipe()
		_, echo, cancelEcho := open("POST", "/v1/echo", r)
		fmt.Fprintln(in, "x")
		echo.ReadString('\n')
		over()
		if _, err := io.ReadAll(events); err != nil && err != io.ErrUnexpectedEOF {
			t.Errorf("events after the owner's end: %v", err)
		}
		if over := make(chan struct{}); w.a.received.serving.Load() != nil { // else the echo ends with its caller
			go func() { io.ReadAll(echo); close(over) }()
			select {
			case <-over:
			case <-time.After(10 * time.Second):
				t.Error("a stream whose owner has gone, and whose caller sends nothing, goes on")
			}
		}
		in.Close()
		cancelEcho()
		cancel()
		w.know(w.a)
	}
}

// TestTokenOfAFile: one that the owner does not take yet is told so, and works once it does.
func TestTokenOfAFile(t *testing.T) {
	w := newWorld(t)
	w.decides(w.a)
	w.want(503, "is of a file of this instance", "GET", "/v1/rows", "", "Authorization", "Bearer "+ofB)
	w.a.stop()
	w.c = newInstance(t, "c", token, ofB)
	go func() { time.Sleep(w.forward.cfg.Hold / 3); w.decides(w.c) }()
	w.want(200, "c /v1/rows", "GET", "/v1/rows", "", "Authorization", "Bearer "+ofB)
}

// TestTakeOver: requests that wait are answered by the instance itself once it decides, and those that come too.
func TestTakeOver(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Hold = 10 * time.Second })
	var group sync.WaitGroup
	for _, body := range []string{"{}", strings.Repeat("x", 1<<20)} {
		group.Go(func() { w.want(201, fmt.Sprint("c ", len(body)), "POST", "/v1/rows", body) })
	}
	group.Go(func() { w.want(200, "c /v1/rows", "GET", "/v1/rows", "") })
	w.await("requests that wait", func() bool { return w.forward.Waiting() == 3 })
	w.forward.TakeOver(w.c.stack)
	group.Wait()
	w.want(401, "not one of this instance", "GET", "/v1/rows", "", "Authorization", "Bearer unknown")
	if got := w.c.wrote.Load(); got != 2 || w.forward.Ready() != nil {
		t.Errorf("%d writes of 2, ready %v", got, w.forward.Ready())
	}
}

// TestEarlierOwner: an owner whose version knows nothing of requests of others is told from an answer.
func TestEarlierOwner(t *testing.T) {
	w := newWorld(t)
	w.a.port.Config.Handler = http.NotFoundHandler()
	w.know(w.a)
	w.want(503, "an earlier one: ask it", "GET", "/v1/rows", "")
}

// FuzzOrigin: the two headers are taken as they are said to be, or refused.
func FuzzOrigin(f *testing.F) {
	f.Add("192.0.2.1:5", "b")
	f.Add("[fe80::1%eth0]:65535", "an instance")
	f.Add(":1", "\x00")
	f.Fuzz(func(t *testing.T, from, by string) {
		o, err := parseOrigin(http.Header{headerFor: {from}, headerBy: {by}})
		if err == nil {
			again, err := parseOrigin(http.Header{headerFor: {o.From}, headerBy: {o.Instance}})
			if err != nil || again != o || o.Instance != by || len(o.From) > len(from)+40 {
				t.Errorf("%q, %q: %+v, and then %+v, %v", from, by, o, again, err)
			}
		}
	})
}
