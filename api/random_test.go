package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store"
)

// TestRandomRequests: whatever is asked is answered below 500, and refusals are problems with a
// detail.
func TestRandomRequests(t *testing.T) {
	var wishes *wishes
	s := newSmall(t, func(c *Config) {
		c.Limits.AtLeastWait, c.Limits.IntentWait = time.Microsecond, time.Second
		wishes = newWishes(t, c.View)
		c.Intents = wishes
	})
	faults := []error{nil, &intent.Overload{What: "a test", RetryAfter: time.Second}, store.ErrFull,
		store.ErrUnavailable, store.ErrUnknown, nil, nil}
	failures := append(slices.Clone(faults[2:]), nil) // of what the store had taken
	routes := s.Routes()
	codes := map[int]int{}
	answer := func(rt *rapid.T, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(ctx))
		codes[w.Code]++
		checkAnswer(rt, r, w)
	}
	ask := func(rt *rapid.T) {
		route := rapid.SampledFrom(routes).Draw(rt, "route")
		method := rapid.SampledFrom([]string{"GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH",
			"OPTIONS", "TRACE"}).Draw(rt, "method")
		r := httptest.NewRequest(method, randomURL(rt, route.Path),
			strings.NewReader(rapid.SampledFrom(randomBodies).Draw(rt, "body")))
		wishes.journal.set(rapid.SampledFrom(faults).Draw(rt, "refused by the store"),
			rapid.SampledFrom(failures).Draw(rt, "failed in the store"))
		r.Host = rapid.SampledFrom([]string{"127.0.0.1", "127.0.0.1", "127.0.0.1", "localhost:1", "[::1", "a b",
			":", "é"}).Draw(rt, "host")
		r.Header.Set("Authorization",
			"Bearer "+rapid.SampledFrom([]string{viewerToken, adminToken, adminToken, "x"}).Draw(rt, "token"))
		for _, h := range []string{"Accept", "Last-Event-ID", "Content-Type", "Accept-Encoding", "Range",
			"If-Match", "Idempotency-Key", "Expect"} {
			if rapid.Bool().Draw(rt, "has "+h) {
				r.Header.Set(h, rapid.OneOf(rapid.String(),
					rapid.SampledFrom([]string{"e.1", "e.2.1", "e.2.i1", "gzip", "application/json",
						"application/json", lineStream, intentpb.ContentType, "*/*;q=0"})).Draw(rt, h))
			}
		}
		answer(rt, r)
	}
	// wish asks a route of intents as one who may, mostly in the right form.
	wish := func(rt *rapid.T) {
		wishes.journal.set(rapid.SampledFrom(faults).Draw(rt, "refused by the store"),
			rapid.SampledFrom(failures).Draw(rt, "failed in the store"))
		route := rapid.SampledFrom([][2]string{{"POST", "/v1/intents"}, {"POST", "/v1/intents"},
			{"POST", "/v1/intents?wait=installed&timeout=1ms"}, {"PUT", "/v1/intents/a"}, {"DELETE", "/v1/intents/a"},
			{"POST", "/v1/intents/withdraw"}, {"GET", "/v1/intents/a?traffic=true"},
			{"GET", "/v1/intents?state=installed"}}).Draw(rt, "route")
		r := httptest.NewRequest(route[0], route[1], strings.NewReader(rapid.SampledFrom(randomBodies).Draw(rt, "body")))
		r.Host = "127.0.0.1"
		r.Header.Set("Authorization", "Bearer "+operatorToken)
		r.Header.Set("Content-Type", rapid.SampledFrom([]string{"application/json", "application/json", lineStream,
			intentpb.ContentType, "text/plain"}).Draw(rt, "type"))
		if kind := r.Header.Get("Content-Type"); kind == lineStream || kind == intentpb.ContentType {
			wishes.journal.set(nil, rapid.SampledFrom(failures).Draw(rt, "failed in the stream"))
		}
		if rapid.IntRange(0, 5).Draw(rt, "has If-Match") == 0 {
			r.Header.Set("If-Match", `"x"`)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		codes[w.Code]++
		checkAnswer(rt, r, w)
	}
	all := []int{200, 202, 204, 400, 401, 403, 404, 405, 409, 412, 415, 422, 429, 503, 507}
	missing := func() bool { return slices.ContainsFunc(all, func(code int) bool { return codes[code] == 0 }) }
	// a round by chance meets no refusal of a kind
	for round := 0; round < 10 && (round == 0 || missing()) && !t.Failed(); round++ {
		rapid.Check(t, func(rt *rapid.T) {
			for range 20 {
				ask(rt)
				wish(rt)
			}
		})
	}
	if missing() {
		t.Errorf("not every one of %v was answered: the generator is too narrow: %v", all, codes)
	}
}

// randomBodies are of several routes, some right, some wrong.
var randomBodies = []string{"", "{", strings.Repeat("[", 9999), `{"a":1}`, `{` + across + `}`,
	`{"id":"a",` + across + `}`, `{"id":"1",` + across + `,"priority":5}`,
	`{"items":[{"id":"a",` + across + `},{"id":"b","kind":"path","hops":[]}],"atomic":true}`,
	`{"items":[{"id":"c",` + across + `,"priority":9},{}]}`, `{"ids":["a","1","nobody"]}`, `{"ids":["",7]}`,
	"{\"op\":\"withdraw\",\"id\":\"a\"}\n{\n{\"id\":\"\xff\"}\n", "\x05\x12\x01a\x08\x02",
	"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}

func randomURL(rt *rapid.T, pattern string) string {
	value := rapid.OneOf(rapid.String(),
		rapid.SampledFrom([]string{"1", "0x1", "0", "-1", "99999999999999999999", "00:00:00:00:00:01",
			"00:00:00:00:00:01/7", "e.1", "e.2", "e.3", "e.2.1",
			"000102030405060708090a0b0c0d0e0f.1", "000102030405060708090a0b0c0d0e0f.-1", "link", "true", "switch,link",
			"intent", "installed", "1ms", "after.1", "a", "b", "e.1.i1", "e.2.i99", strings.Repeat("a", 5000),
			"../..", "%00", "\x00"}))
	path := strings.ReplaceAll(pattern, "{$}", "")
	for _, name := range []string{"{dpid}", "{id}", "{vlan}"} {
		path = strings.ReplaceAll(path, name, url.PathEscape(value.Draw(rt, name)))
	}
	query := url.Values{}
	for _, name := range []string{"limit", "continue", "at_least", "dpid", "src", "dst", "k", "disjoint", "kind",
		"state", "wait", "timeout", "traffic", "dry_run", "other"} {
		if rapid.IntRange(0, 3).Draw(rt, "has "+name) == 0 {
			query.Add(name, value.Draw(rt, name))
		}
	}
	if raw := query.Encode(); raw != "" {
		path += "?" + raw
	}
	return path
}

func checkAnswer(rt *rapid.T, r *http.Request, w *httptest.ResponseRecorder) {
	switch w.Code { // 504: switch 2 is silent; the store fails now and then; a dry run is not served
	case http.StatusGatewayTimeout, http.StatusServiceUnavailable, http.StatusInsufficientStorage, http.StatusNotImplemented:
		return
	}
	if w.Code >= 500 {
		rt.Fatalf("%s %s: status %d: %s", r.Method, r.URL, w.Code, w.Body)
	}
	if w.Code < 400 || r.Method == "HEAD" {
		return
	}
	var p struct{ Title, Detail string }
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Title == "" || p.Detail == "" ||
		w.Header().Get("Content-Type") != "application/problem+json" {
		rt.Fatalf("%s %s: status %d, no problem with title and detail: %s", r.Method, r.URL, w.Code, w.Body)
	}
}

// TestCallerGone: a caller that goes while its switch is silent is no fault of the switch's answer.
func TestCallerGone(t *testing.T) {
	s := newSmall(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w := s.do("GET", "/v1/switches/2/flows", func(r *http.Request) { *r = *r.WithContext(ctx) }); w.Code != 504 {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// TestMalformedAccept: huma's negotiation panics on some of these.
func TestMalformedAccept(t *testing.T) {
	s := newSmall(t, nil)
	for _, accept := range []string{";A,", ";", ",", "a;q", "a;q=,", ";;;,", "application/json;q=0", "é;é,"} {
		if w := s.do("GET", "/v1/links", func(r *http.Request) { r.Header.Set("Accept", accept) }); w.Code != 200 {
			t.Errorf("Accept %q: status %d", accept, w.Code)
		}
	}
}

// FuzzRequest gives the handler a raw path and query.
func FuzzRequest(f *testing.F) {
	for _, p := range []string{"/v1/switches/1?limit=1", "/v1/hosts/00:00:00:00:00:01/7",
		"/v1/links?continue=000102030405060708090a0b0c0d0e0f.1&limit=2",
		"/v1/links?at_least=e.2", "/v1/paths?src=1&dst=2&k=3", "/v1/intents?state=installed&continue=after.7",
		"/v1/intents/a?wait=installed&timeout=1ns", "/v1/intents/%2e%2e/traffic", "/v1/events?kind=link",
		"//v1/../v1/links", "/v1/switches/%2F%00/flows", "/%"} {
		f.Add(p)
	}
	s := newSmall(f, func(c *Config) {
		c.Limits.AtLeastWait, c.Limits.AskWait = time.Microsecond, time.Microsecond
		c.Intents = newWishes(f, c.View)
	})
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Host != "" || u.Scheme != "" {
			return
		}
		r := &http.Request{Method: "GET", URL: u, Host: "127.0.0.1",
			Header: http.Header{"Authorization": {"Bearer " + viewerToken}}, Proto: "HTTP/1.1",
			ProtoMajor: 1, ProtoMinor: 1, RequestURI: target, Body: io.NopCloser(strings.NewReader(""))}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(ctx))
		if w.Code >= 500 && w.Code != http.StatusGatewayTimeout {
			t.Fatalf("GET %q: status %d: %s", target, w.Code, w.Body)
		}
	})
}
