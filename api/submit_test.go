package api

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
)

// newSilent is newSmallWith over a store that answers nothing until the test ends, or release is
// called.
func newSilent(t *testing.T) (s *small, release func()) {
	s, w := newSmallWith(t, func(c *Config) { c.Limits.StoreAnswer = 50 * time.Millisecond })
	hold := make(chan struct{})
	w.journal.mu.Lock()
	w.journal.hold = hold
	w.journal.mu.Unlock()
	released := false
	release = func() {
		if !released {
			released = true
			close(hold)
		}
	}
	t.Cleanup(release)
	return s, release
}

// TestSilentStore: a store that does not answer has requests of each form answered in time, with
// the outcome said to be unknown and how to find out. What the answer is about is not shown until
// it is durable, and is then.
func TestSilentStore(t *testing.T) {
	s, release := newSilent(t)
	w := s.post("POST", "/v1/intents", `{"id":"a",`+across+`}`)
	if w.Code != 503 || w.Header().Get("Weir-Outcome") != "unknown" || w.Header().Get("Retry-After") == "" ||
		!strings.Contains(w.Body.String(), "the outcome is unknown") || !strings.Contains(w.Body.String(), "GET /v1/intents/ID") {
		t.Errorf("POST: %d %v %s", w.Code, w.Header(), w.Body)
	}
	for _, r := range [][3]string{
		{"DELETE", "/v1/intents/a", ""}, {"PUT", "/v1/intents/a", `{` + across + `}`},
		{"POST", "/v1/intents/withdraw", `{"ids":["a"]}`},
		{"POST", "/v1/intents", `{"items":[{"id":"a",` + across + `}]}`},
	} {
		if w := s.post(r[0], r[1], r[2]); w.Code != 503 || w.Header().Get("Weir-Outcome") != "unknown" {
			t.Errorf("%s %s: %d %v %s", r[0], r[1], w.Code, w.Header(), w.Body)
		}
	}
	line, _ := flow(1).AppendJSON(nil)
	got := readAnswers(t, s.stream(bytes.NewReader(line), lineStream).Body.Bytes(), lineStream)
	if len(got) != 1 || got[0].Status != "failed" || !strings.Contains(got[0].Detail, "the outcome is unknown") {
		t.Errorf("a stream: %+v", got)
	}
	if w := s.get("/v1/intents/a"); w.Code != 404 {
		t.Errorf("before it is durable: %d %s", w.Code, w.Body)
	}
	release()
	for s.get("/v1/intents/f000001").Code != 200 { // it was the last to be submitted
	}
	list := answerOf[client.Page[client.Intent]](t, s.get("/v1/intents"), 200)
	for _, in := range list.Items {
		if in.ID == "a" && in.State != "withdrawing" {
			t.Errorf("a was withdrawn in the end, and is %s", in.State)
		}
	}
}
