package relay

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/api/rest"
)

// TestQuietStreamOutlivesTheReadLimit: a forwarded GET without a body may take longer than Limits.Read, as one
// that is not forwarded may (events, backups, ?wait=): net/http reads on in the background by then, and a deadline that is
// set on the connection ends that read, and with it the request's context.
func TestQuietStreamOutlivesTheReadLimit(t *testing.T) {
	served := make(chan time.Duration, 2)
	limits := rest.Limits{Read: 300 * time.Millisecond}
	s := rest.NewStack(rest.StackConfig{Limits: limits, Access: rest.Access{Open: true, Listen: "127.0.0.1:1"}}, "test", "")
	s.Add([]rest.Route{{Method: "GET", Path: "/v1/slow", ID: "slow", Handler: rest.Plain(
		func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			select {
			case <-r.Context().Done():
			case <-time.After(2 * time.Second):
			}
			served <- time.Since(began)
		})}})
	port := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeForwarded(w, r, rest.Origin{From: "192.0.2.1:1", Instance: "b", Open: true})
	}))
	defer port.Close()
	if answer, err := http.Get(port.URL + "/v1/slow"); err == nil {
		answer.Body.Close()
	}
	if took := <-served; took < 1900*time.Millisecond {
		t.Errorf("forwarded: the request's context ended after %v, though the caller is there", took)
	}
}

// TestStreamWithLength: a stream whose length the caller says (curl --data-binary @file) gets all its answers.
func TestStreamWithLength(t *testing.T) {
	w := newWorld(t)
	w.decides(w.a)
	var b strings.Builder
	for n := 0; b.Len() < 200<<10; n++ {
		fmt.Fprintf(&b, "line %06d %s\n", n, strings.Repeat("x", 80))
	}
	want := strings.Count(b.String(), "\n")
	req, _ := http.NewRequest("POST", w.api.URL+"/v1/echo", strings.NewReader(b.String()))
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got := 0
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		got++
	}
	if got != want || lines.Err() != nil {
		t.Errorf("%d answers of %d: %v", got, want, lines.Err())
	}
}

// TestOtherKeyHeader: a change is not done twice because the caller has sent X-Idempotency-Key, which no route heeds.
func TestOtherKeyHeader(t *testing.T) {
	w := newWorld(t)
	w.decides(w.a)
	w.want(200, "a", "GET", "/v1/rows", "") // the next one uses the connection again
	w.a.drop(func(http.Header) {})
	w.ask("POST", "/v1/rows", "{}", "X-Idempotency-Key", "1")
	if n := w.a.wrote.Load(); n != 1 {
		t.Errorf("done %d times", n)
	}
}

// TestKeyOfAStream: the Idempotency-Key of a stream is heeded by nobody (api/intents, streams.serve), so it is not sent
// twice.
func TestKeyOfAStream(t *testing.T) {
	w := newWorld(t)
	var done atomic.Int32
	stream := rest.Route{Method: "POST", Path: "/v1/intents", ID: "intents", Keyed: true, Handler: rest.Plain(w.a.add),
		Stream: func(_ http.ResponseWriter, r *http.Request, _ rest.Actor) bool {
			if r.Header.Get("Content-Type") != "application/x-ndjson" {
				return false
			}
			rest.Body(r)
			done.Add(1)
			panic(http.ErrAbortHandler)
		}}
	w.a.stack.Add([]rest.Route{stream})
	b := rest.NewStack(rest.StackConfig{Forward: w.forward, Access: rest.Access{Open: true, Listen: "127.0.0.1:1"}}, "test", "")
	b.Add([]rest.Route{stream})
	api := httptest.NewServer(b)
	defer api.Close()
	w.api = api
	w.decides(w.a)
	w.ask("POST", "/v1/intents", "{}\n", "Idempotency-Key", "1", "Content-Type", "application/x-ndjson")
	if n := done.Load(); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// TestOpenOwner: an owner that asks for no tokens, as it listens on loopback alone (--auth=none), does not open the APIs
// of the others, which other machines reach, and which ask for them. api.auth is of each instance.
func TestOpenOwner(t *testing.T) {
	w := newWorld(t)
	open := rest.NewStack(rest.StackConfig{Access: rest.Access{Open: true, Listen: "127.0.0.1:1"}}, "test", "")
	open.Add(w.a.routes())
	w.a.stack = open
	w.decides(w.a)
	w.want(401, "token", "POST", "/v1/rows", "{}", "Authorization", "Bearer made-up")
	if n := w.a.wrote.Load(); n != 0 {
		t.Errorf("a token that nobody has made changed something")
	}
}
