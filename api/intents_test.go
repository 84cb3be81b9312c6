package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store"
)

// post sends a body as the operator.
func (s *small) post(method, path, body string, h ...func(*http.Request)) *httptest.ResponseRecorder {
	return s.do(method, path, append([]func(*http.Request){func(r *http.Request) {
		r.Body = io.NopCloser(strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+operatorToken)
	}}, h...)...)
}

func setHeader(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

const across = `"kind":"point-to-point","wide":true,"src":{"dpid":"1","port":1},"dst":{"dpid":"2","port":1}`

// answerOf reads an answer.
func answerOf[T any](t *testing.T, w *httptest.ResponseRecorder, code int) (v T) {
	t.Helper()
	if w.Code != code {
		t.Fatalf("status %d, want %d: %s", w.Code, code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return v
}

// TestIntentLife: an intent is asked for, read, replaced, and withdrawn.
func TestIntentLife(t *testing.T) {
	s, _ := newSmallWith(t)
	made := answerOf[client.IntentAnswer](t,
		s.post("POST", "/v1/intents?wait=installed&timeout=20s", `{"id":"a",`+across+`}`), 200)
	if made.ID != "a" || made.Status != "accepted" || made.State != "installed" || made.ETag == "" || made.Revision == "" {
		t.Errorf("%+v", made)
	}
	w := s.get("/v1/intents/a")
	got := answerOf[client.Intent](t, w, 200)
	if got.State != "installed" || got.Src.String() != "0000000000000001/1" || len(got.Routes) != 2 ||
		len(got.Routes[0].Hops) != 2 || w.Header().Get("ETag") != `"`+made.ETag+`"` {
		t.Errorf("%+v, ETag %s", got, w.Header().Get("ETag"))
	}
	if again := answerOf[client.IntentAnswer](t,
		s.post("POST", "/v1/intents", `{"id":"a",`+across+`,"priority":100}`), 202); again.Status != "existing" ||
		again.ETag != made.ETag {
		t.Errorf("the same again: %+v", again)
	}
	if w := s.post("POST", "/v1/intents", `{"id":"a",`+across+`,"priority":7}`); w.Code != 409 ||
		!strings.Contains(w.Body.String(), "another content") {
		t.Errorf("another content: %d %s", w.Code, w.Body)
	}
	if w := s.post("POST", "/v1/intents", `{"id":"b",`+across+`}`); w.Code != 409 ||
		!strings.Contains(w.Body.String(), "intent a ") {
		t.Errorf("the same packets: %d %s", w.Code, w.Body)
	}
	if w := s.post("PUT", "/v1/intents/a", `{`+across+`,"priority":7}`, setHeader("If-Match", `"other"`)); w.Code != 412 {
		t.Errorf("If-Match of another content: %d %s", w.Code, w.Body)
	}
	put := answerOf[client.IntentAnswer](t,
		s.post("PUT", "/v1/intents/a", `{`+across+`,"priority":7}`, setHeader("If-Match", `"`+made.ETag+`"`)), 202)
	if put.ETag == made.ETag || put.State != "submitted" {
		t.Errorf("replaced, and the etag is the same, or the state is of the old content: %+v", put)
	}
	if w := s.post("PUT", "/v1/intents/a", `{"id":"b",`+across+`}`); w.Code != 422 {
		t.Errorf("an id that is not that of the path: %d %s", w.Code, w.Body)
	}
	if w := s.post("DELETE", "/v1/intents/a", "", setHeader("If-Match", `"other"`)); w.Code != 412 {
		t.Errorf("DELETE with If-Match of another content: %d", w.Code)
	}
	for range 2 {
		if w := s.post("DELETE", "/v1/intents/a", ""); w.Code != 204 {
			t.Errorf("DELETE: %d %s", w.Code, w.Body)
		}
	}
	for s.get("/v1/intents/a").Code != 404 { // it vanishes when its rules are gone
	}
}

// TestIntentBatches: each item has its answer; all or none; and what is wrong with the whole.
func TestIntentBatches(t *testing.T) {
	s, _ := newSmallWith(t)
	item := func(id string, priority int) string {
		return fmt.Sprintf(`{"id":%q,%s,"priority":%d}`, id, across, priority)
	}
	list := answerOf[client.IntentAnswers](t,
		s.post("POST", "/v1/intents", `{"items":[`+item("a", 1)+`,{"id":"b","kind":"ring"},`+item("c", 1)+`]}`), 202)
	want := []string{"accepted", "invalid", "conflict"}
	for i, a := range list.Items {
		if a.Index != i || a.ID != string(rune('a'+i)) && a.Status != "invalid" || a.Status != want[i] ||
			want[i] != "accepted" && a.Detail == "" {
			t.Errorf("%d: %+v, want %s", i, a, want[i])
		}
	}
	for body, c := range map[string]struct {
		code int
		say  string
	}{
		`{"atomic":true,"items":[` + item("d", 2) + `,` + item("e", 2) +
			`]}`: {409, "no request was accepted: item 1 (e, line 1): intent d has the same packets"},
		`{"atomic":true,"items":[` + item("d", 2) + `,{"id":"e","kind":"x"}]}`: {422,
			"no request was accepted: item 1 (e, line 1): kind"},
		`{"items":[` + item("d", 2) + `,` + "\n" + `{"id":}]}`:                 {400, "line 2: not JSON"},
		`{"items":[` + item("d", 2):                                            {400, "line 1: not JSON: it ends too early"},
		`{"constraints":{"via":["1"]},` + across + `}`:                         {422, "constraints.via"},
		`{"protected":true,` + across + `}`:                                    {422, "protected: true given"},
		`{` + across + `,"selector":{"in_port":1}}`:                            {422, "selector.in_port"},
		`{"kind":"host-to-host","src":"00:00:00:00:00:09","dst":{"dpid":"1"}}`: {422, "dst: connect point"},
		strings.Repeat(" ", 17<<20):                                            {413, "want at most"},
	} {
		if w := s.post("POST", "/v1/intents", body); w.Code != c.code || !strings.Contains(w.Body.String(), c.say) {
			t.Errorf("%.60s: %d %.200s, want %d %s", body, w.Code, w.Body, c.code, c.say)
		}
	}
	if w := s.get("/v1/intents/d"); w.Code != 404 {
		t.Errorf("what was refused is there: %d %s", w.Code, w.Body)
	}
	if list := answerOf[client.IntentAnswers](t,
		s.post("POST", "/v1/intents", `{"atomic":true,"items":[`+item("d", 2)+`,`+item("e", 3)+`]}`),
		202); list.Items[1].Status != "accepted" {
		t.Errorf("%+v", list)
	}
	gone := answerOf[client.IntentAnswers](t, s.post("POST", "/v1/intents/withdraw", `{"ids":["a","nobody"]}`), 202)
	if gone.Items[0].Status != "accepted" || gone.Items[0].State != "withdrawing" || gone.Items[1].Status != "not-found" {
		t.Errorf("%+v", gone)
	}
}

// TestIntentRequestsRefused: what goes with a body.
func TestIntentRequestsRefused(t *testing.T) {
	s, _ := newSmallWith(t)
	for _, c := range []struct {
		path string
		h    func(*http.Request)
		code int
	}{
		{"/v1/intents?wait=gone", nil, 422}, {"/v1/intents?wait=installed&timeout=1h", nil, 422},
		{"/v1/intents?timeout=5s", nil, 422}, {"/v1/intents?other=1", nil, 422},
		{"/v1/intents?wait=installed&wait=installed", nil, 422}, {"/v1/intents?dry_run=maybe", nil, 422},
		{"/v1/intents?a=%zz", nil, 400},
		{"/v1/intents", setHeader("Content-Type", "text/plain"), 415}, {"/v1/intents", setHeader("If-Match", "x"), 400},
		{"/v1/intents", setHeader("Idempotency-Key", strings.Repeat("k", 300)), 400},
	} {
		if c.h == nil {
			c.h = func(*http.Request) {}
		}
		if w := s.post("POST", c.path, `{`+across+`}`, c.h); w.Code != c.code {
			t.Errorf("%s: %d %s, want %d", c.path, w.Code, w.Body, c.code)
		}
	}
	for header, want := range map[string]string{"Idempotency-Key": "Idempotency-Key: 300 bytes given, want at most 255",
		"If-Match": "If-Match: 300 bytes given, want at most 255"} {
		var p client.Problem
		w := s.post("PUT", "/v1/intents/a", `{`+across+`}`, setHeader(header, strings.Repeat("k", 300)))
		if json.Unmarshal(w.Body.Bytes(), &p) != nil || w.Code != 400 || p.Detail != want {
			t.Errorf("%s of 300 bytes: %d %s, want %q", header, w.Code, w.Body, want)
		}
	}
	for query, want := range map[string]string{
		"other=1": "query.other: unknown query parameter", "dry_run=maybe": "query.dry_run: invalid boolean (maybe was given)",
		"wait=gone": `query.wait: expected value to be one of "installed" (gone was given)`,
		"timeout=x": `wait="": want installed`, "dry_run=true": "dry_run is not served yet",
	} {
		for method, path := range map[string]string{"POST": "/v1/intents", "PUT": "/v1/intents/a"} {
			var p client.Problem
			w := s.post(method, path+"?"+query, `{`+across+`}`)
			if json.Unmarshal(w.Body.Bytes(), &p) != nil || !strings.HasPrefix(p.Detail, want) {
				t.Errorf("%s %s?%s: %s, want %s", method, path, query, w.Body, want)
			}
		}
	}
	key := setHeader("Idempotency-Key", "k1")
	a := answerOf[client.IntentAnswer](t, s.post("POST", "/v1/intents?wait=installed&timeout=20s", `{`+across+`}`, key), 200)
	b := answerOf[client.IntentAnswer](t, s.post("POST", "/v1/intents", `{`+across+`}`, key), 202)
	if a.ID == "" || a.ID != b.ID || b.Status != "existing" {
		t.Errorf("one key: %+v and %+v", a, b)
	}
	two := `{"items":[{` + across + `,"priority":1},{` + across + `,"priority":2}]}`
	first, second := answerOf[client.IntentAnswers](t, s.post("POST", "/v1/intents", two, key), 202),
		answerOf[client.IntentAnswers](t, s.post("POST", "/v1/intents", two, key), 202)
	for i := range first.Items {
		if first.Items[i].ID != second.Items[i].ID || second.Items[i].Status != "existing" ||
			first.Items[0].ID == first.Items[1].ID {
			t.Errorf("one key for two: %+v and %+v", first.Items[i], second.Items[i])
		}
	}
	if got := answerOf[client.Intent](t, s.get("/v1/intents/"+a.ID+"?traffic=true"), 200); got.Traffic == nil ||
		got.Traffic.Packets != 1<<40 || got.Traffic.Entries != 1 {
		t.Errorf("traffic %+v", got.Traffic)
	}
	if tr := answerOf[client.Traffic](t, s.get("/v1/intents/"+a.ID+"/traffic"), 200); tr.Bytes != 7 {
		t.Errorf("traffic %+v", tr)
	}
}

// TestStoreFaults: each fault of the store has its answer, and nothing is left of what it did not
// take.
func TestStoreFaults(t *testing.T) {
	s, j := newSmallWith(t)
	for i, c := range []struct {
		refuse, fail error
		code         int
		say          string
		retry        bool
	}{
		{store.ErrFull, nil, 507, "the store is full", false},
		{&intent.Overload{What: "too much", RetryAfter: 2500e6}, nil, 429, "too much", true},
		{nil, store.ErrUnavailable, 503, "no request was accepted", true},
		{nil, store.ErrUnknown, 503, "the same request again", true},
		{errDisk, nil, 503, "the disk is gone", true},
		{nil, store.ErrTooLarge, 413, "send it in parts", false},
	} {
		j.journal.set(c.refuse, c.fail)
		id := fmt.Sprintf("f%d", i)
		w := s.post("POST", "/v1/intents", `{"id":"`+id+`",`+across+`}`)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.say) || (w.Header().Get("Retry-After") != "") != c.retry {
			t.Errorf("%v %v: %d %s, Retry-After %q", c.refuse, c.fail, w.Code, w.Body, w.Header().Get("Retry-After"))
		}
		if c.code == 429 && w.Header().Get("Retry-After") != "3" {
			t.Errorf("Retry-After %s, want 3", w.Header().Get("Retry-After"))
		}
		j.journal.set(nil, nil)
		if w := s.get("/v1/intents/" + id); w.Code != 404 {
			t.Errorf("%s is there: %d %s", id, w.Code, w.Body)
		}
	}
}

// TestIntentPages: a list is read by pages, and by state.
func TestIntentPages(t *testing.T) {
	s, _ := newSmallWith(t)
	var items []string
	for i := range 25 {
		items = append(items, fmt.Sprintf(`{"id":"i%02d",%s,"priority":%d}`, i, across, i))
	}
	items = append(items, `{"id":"host","kind":"host-to-host","src":"00:00:00:00:00:77","dst":"00:00:00:00:00:78"}`)
	answerOf[client.IntentAnswers](t,
		s.post("POST", "/v1/intents?wait=installed&timeout=1s", `{"items":[`+strings.Join(items, ",")+`]}`), 202)
	seen := map[string]bool{}
	for next := ""; ; {
		p := answerOf[client.Page[client.Intent]](t, s.get("/v1/intents?limit=10&continue="+next), 200)
		for _, in := range p.Items {
			seen[in.ID] = true
		}
		if next = p.Continue; next == "" {
			break
		}
		if len(p.Items) != 10 {
			t.Errorf("a page of %d", len(p.Items))
		}
	}
	if len(seen) != 26 {
		t.Errorf("%d intents on all pages, want 26", len(seen))
	}
	p := answerOf[client.Page[client.Intent]](t, s.get("/v1/intents?state=waiting&state=failed"), 200)
	if len(p.Items) != 1 || p.Items[0].ID != "host" || p.Items[0].Code != "host-unknown" || p.Items[0].Detail == "" {
		t.Errorf("waiting: %+v", p.Items)
	}
	for path, code := range map[string]int{"/v1/intents?state=lost": 422, "/v1/intents?continue=x": 400,
		"/v1/intents?continue=after.x": 400, "/v1/intents/nobody": 404,
		"/v1/intents/nobody/traffic": 404, "/v1/intents/i01?wait=forever": 422,
		"/v1/intents?at_least=" + p.Revision: 200, "/v1/intents/i01?at_least=" + p.Revision: 200} {
		if w := s.get(path); w.Code != code {
			t.Errorf("%s: %d, want %d: %s", path, w.Code, code, w.Body)
		}
	}
}

// TestIntentEvents: states are events; one that is resumed goes on where it was, and one that is
// too late gets a snapshot.
func TestIntentEvents(t *testing.T) {
	s, _ := newSmallWith(t)
	server := httptest.NewServer(openTo(s))
	defer server.Close()
	c, err := client.New(client.Config{Address: server.URL, Token: operatorToken})
	if err != nil {
		t.Fatal(err)
	}
	before := answerOf[client.Page[client.Intent]](t, s.get("/v1/intents"), 200).Revision
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := c.CreateIntent(ctx, &client.IntentRequest{ID: "a", Kind: client.PointToPoint, Wide: true,
		Src: client.PointEnds(client.Point{DPID: "1", Port: 1}),
		Dst: client.PointEnds(client.Point{DPID: "2", Port: 1})}, client.CreateOptions{Wait: 20e9}); err != nil {
		t.Fatal(err)
	}
	watch := func(after string, enough func(kind string, in *client.Intent, gone bool) bool) {
		t.Helper()
		errEnough := fmt.Errorf("enough")
		if err := c.Watch(ctx, client.Watch{After: after, Kinds: []string{"intents"}}, func(e client.Event) error {
			var in client.Intent
			if err := json.Unmarshal(e.Data, &in); err != nil {
				return err
			}
			if enough(e.Kind, &in, e.Delete) {
				if e.Kind == "intent" && e.ID == "" {
					t.Errorf("event %s has no id to go on after", e.Data)
				}
				return errEnough
			}
			return nil
		}); err != errEnough {
			t.Fatal(err)
		}
	}
	watch(before, func(kind string, in *client.Intent, gone bool) bool {
		if kind != "intent" || in.ID != "a" || gone {
			t.Errorf("%s %+v", kind, in)
		}
		return in.State == "installed"
	})
	if err := c.WithdrawIntent(ctx, "a", ""); err != nil {
		t.Fatal(err)
	}
	watch(before, func(kind string, in *client.Intent, gone bool) bool { return kind == "intent" && in.ID == "a" && gone })
	kinds := ""
	watch("e.999999.i5", func(kind string, _ *client.Intent, _ bool) bool {
		kinds += kind + " "
		return kind == client.EventSynced
	})
	if kinds != "reset synced " {
		t.Errorf("an event that is not known: %s", kinds)
	}
}

// openTo is the server under whatever name it is asked by.
func openTo(s *small) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:8181"
		s.ServeHTTP(w, r)
	})
}

// TestIntentAudit: what is asked for is in the log before it is done, and what became of it after.
func TestIntentAudit(t *testing.T) {
	s, _ := newSmallWith(t)
	s.post("POST", "/v1/intents", `{"items":[{"id":"a",`+across+`},{"id":"b","kind":"x"}]}`)
	s.post("DELETE", "/v1/intents/a", "")
	text := fmt.Sprint(s.log.records)
	for _, want := range []string{"POST /v1/intents", "2 intents", "1 accepted, 1 invalid",
		"DELETE /v1/intents/{id}", "intent a", "withdrawn"} {
		if !strings.Contains(text, want) {
			t.Errorf("the audit log has no %q: %s", want, text)
		}
	}
}

// TestIntentRecordBeforeAnswer: a record of a request is in the log before the engine has it, and
// on the disk before the answer. Where it cannot be written nothing is done; where it does not come
// to the disk the answer is none of success.
func TestIntentRecordBeforeAnswer(t *testing.T) {
	s, _ := newSmallWith(t)
	body := func(id string) string { return `{"id":"` + id + `",` + across + `}` }
	s.log.broken = fmt.Errorf("audit.log: %w", syscall.ENOSPC)
	if w := s.post("POST", "/v1/intents", body("a")); w.Code != 507 || !strings.Contains(w.Body.String(), "nothing was changed") {
		t.Errorf("no room for the record: %d %s", w.Code, w.Body)
	}
	if s.log.broken = nil; s.get("/v1/intents/a").Code != 404 {
		t.Error("an intent was taken without a record")
	}
	shown := 0
	s.log.sync = func() error {
		shown = s.get("/v1/intents/b").Code
		return errDisk
	}
	w := s.post("POST", "/v1/intents", body("b"))
	if w.Code != 503 || w.Header().Get("Weir-Outcome") != "unknown" || !strings.Contains(w.Body.String(), "202 Accepted") {
		t.Errorf("a record that did not come to the disk: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if shown != 200 {
		t.Errorf("the record is waited for before the intent is durable: GET %d", shown)
	}
}

// TestCompressedBody: what nobody unpacks is refused as such, a batch or a stream, and is not in
// the audit log.
func TestCompressedBody(t *testing.T) {
	s, _ := newSmallWith(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, `{"id":"a",%s}`, across)
	z.Close()
	for _, kind := range []string{"application/json", lineStream} {
		w := s.post("POST", "/v1/intents", packed.String(), setHeader("Content-Encoding", "gzip"),
			setHeader("Content-Type", kind))
		if w.Code != 415 || !strings.Contains(w.Body.String(), `Content-Encoding \"gzip\" was given`) {
			t.Errorf("%s: %d %s", kind, w.Code, w.Body)
		}
	}
	if text := fmt.Sprint(s.log.records); strings.Contains(text, "\x1f") || strings.Count(text, "Content-Encoding") != 2 {
		t.Errorf("the audit log has %q", text)
	}
	if w := s.post("POST", "/v1/intents", fmt.Sprintf(`{"id":"a",%s}`, across),
		setHeader("Content-Encoding", "identity")); w.Code != 202 {
		t.Errorf("identity: %d %s", w.Code, w.Body)
	}
}

// TestProtoFile: the protobuf form is shown.
func TestProtoFile(t *testing.T) {
	s, _ := newSmallWith(t)
	if w := s.get("/intents.proto"); w.Code != 200 || !bytes.Contains(w.Body.Bytes(), []byte("message IntentRequest")) {
		t.Errorf("%d %.100s", w.Code, w.Body)
	}
}
