package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// encoded is how many events were made into bytes.
func (s *small) encoded(t *testing.T) (n int) {
	t.Helper()
	_, rest, _ := strings.Cut(s.get("/metrics").Body.String(), "\nweir_api_events_encoded_total ")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// until reads events up to one, and returns how many there were.
func (w *watch) until(last string) (n int) {
	for n = 1; w.event() != last; n++ {
	}
	return n
}

// TestEventsAreEncodedOnce for all streams, also those of some kinds only; and who leads them may
// go at any time.
func TestEventsAreEncodedOnce(t *testing.T) {
	const streams, changes = 40, 50
	s := newSmall(t, nil)
	url := s.start(t)
	var open []*watch
	for n := range streams {
		w := s.watch(t, url+[]string{"", "?kind=host", "?kind=host,link"}[n%3], "")
		w.want("e.2")
		open = append(open, w)
	}
	for n := range changes {
		s.hostTx([]byte{byte(10 + n)}, nil)
		if n%5 == 4 { // it may be the one that leads
			open[0].close()
			open = open[1:]
		}
	}
	for _, w := range open {
		if got := w.until(fmt.Sprintf("e.%d.1 host put 00:00:00:00:00:%02x", 2+changes, 9+changes)); got != changes {
			t.Errorf("a stream has %d events, want %d", got, changes)
		}
		defer w.close()
	}
	if n := s.encoded(t); n != changes {
		t.Errorf("%d events encoded, want %d", n, changes)
	}
}

// TestSnapshotsAreShared: streams that begin together are sent one snapshot, encoded once.
func TestSnapshotsAreShared(t *testing.T) {
	s := newSmall(t, nil)
	url := s.start(t)
	const rows = 2 + 2 + 2 + 1 // switches, links, hosts, the member
	for n := range 30 {
		w := s.watch(t, url, "unknown")
		defer w.close()
		if got := w.until("e.2 synced"); got != rows+2 {
			t.Fatalf("stream %d: %d events, want %d", n, got, rows+2)
		}
	}
	if n := s.encoded(t); n != rows+2 {
		t.Errorf("%d events encoded for 30 streams, want %d", n, rows+2)
	}
	s.hostTx([]byte{3}, nil)
	w := s.watch(t, url, "unknown") // what came since is behind the snapshot, or in a new one
	defer w.close()
	w.until("e.3.1 host put 00:00:00:00:00:03")
}

// TestLongSnapshotsAreNotKept: a snapshot that is too long is encoded as it is sent, for each
// stream, and not gathered in memory.
func TestLongSnapshotsAreNotKept(t *testing.T) {
	s := newSmall(t, nil)
	s.events.feed.maxCachedSnapshot = 2*eventBytes - 1 // two hosts are too many, and one is not
	url := s.start(t)
	for n := range 3 {
		w := s.watch(t, url+"?kind=host", "unknown")
		defer w.close()
		w.want("reset", "host put 00:00:00:00:00:01", "host put 00:00:00:00:00:02/7", "e.2 synced")
		if got := s.encoded(t); got != 4*(n+1) || s.events.feed.snapshots.get(kindOf("host")) != nil {
			t.Errorf("%d events encoded for %d streams, want 4 each, and no snapshot kept", got, n+1)
		}
	}
	w := s.watch(t, url+"?kind=member", "unknown")
	defer w.close()
	w.until("e.2 synced")
	if s.events.feed.snapshots.get(kindOf("member")) == nil {
		t.Error("a short one is not kept")
	}
}

// TestBehindTheFeed: a stream that is further behind than what is kept gets reset and a snapshot,
// and goes on from there; others miss nothing.
func TestBehindTheFeed(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.FeedBytes = 1 })
	url := s.start(t)
	w := s.watch(t, url+"?kind=host", "")
	defer w.close()
	w.want("e.2")
	s.events.feed.mu.Lock()
	before := s.events.feed.first
	s.events.feed.drop() // as if many blocks had come and gone
	s.events.feed.mu.Unlock()
	s.hostTx([]byte{3}, nil)
	w.want("reset", "host put 00:00:00:00:00:01", "host put 00:00:00:00:00:02/7", "host put 00:00:00:00:00:03", "e.3 synced")
	s.hostTx([]byte{4}, nil)
	w.want("e.4.1 host put 00:00:00:00:00:04")
	for n := range byte(20) {
		s.hostTx([]byte{10 + n}, nil)
		w.want(fmt.Sprintf("e.%d.1 host put 00:00:00:00:00:%02x", 5+n, 10+n))
	}
	s.events.feed.mu.Lock()
	defer s.events.feed.mu.Unlock()
	if kept := len(s.events.feed.blocks); kept > 1 || s.events.feed.first <= before {
		t.Errorf("%d blocks kept", kept)
	}
}

// TestStreamsOfAToken: each token has a number of streams; those of others are no matter of it, and
// one that ends makes room.
func TestStreamsOfAToken(t *testing.T) {
	told := ""
	s := newSmall(t, func(c *Config) {
		c.Limits.TokenStreams = 2
		c.LimitReached = func(field, _ string) { told = field }
	})
	url := s.start(t)
	var open []*watch
	for range 2 {
		w := s.watch(t, url, "")
		w.want("e.2")
		open = append(open, w)
	}
	defer open[1].close()
	if w := s.get(eventsPath); w.Code != 429 || w.Header().Get("Retry-After") == "" || told != "limits.streams_per_token" {
		t.Errorf("third stream: status %d, told of %q", w.Code, told)
	}
	if !s.events.tokens.acquire("root", 2) {
		t.Error("another token's stream is refused")
	}
	s.events.tokens.release("root")
	open[0].close()
	need.Await(t, "the token may have another stream", func() bool { return s.events.tokens.acquire("viewer", 2) })
	s.events.tokens.release("viewer")
}

// TestManyPagesOfAToken: by default a hundred pages of one token, from one address, have an event stream each.
func TestManyPagesOfAToken(t *testing.T) {
	s := newSmall(t, nil)
	addr, end := s.serve(t)
	defer end()
	for range 100 {
		w := s.watch(t, "http://"+addr+eventsPath, "")
		defer w.close()
		w.want("e.2")
	}
}

// TestNothingIsKeptWithoutStreams.
func TestNothingIsKeptWithoutStreams(t *testing.T) {
	s := newSmall(t, nil)
	url := s.start(t)
	w := s.watch(t, url, "unknown")
	w.until("e.2 synced")
	s.hostTx([]byte{3}, nil)
	w.until("e.3.1 host put 00:00:00:00:00:03")
	w.close()
	need.Await(t, "the stream has ended", func() bool { return s.events.watchers.Load() == 0 })
	s.events.feed.mu.Lock()
	defer s.events.feed.mu.Unlock()
	if f := s.events.feed; f.streams != 0 || f.blocks != nil || f.snapshots.kept != nil {
		t.Errorf("%d streams, %d blocks, %d snapshots", f.streams, len(f.blocks), len(f.snapshots.kept))
	}
}
