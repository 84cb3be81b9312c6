package node_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// silent is a store that answers nothing while it is held, and then does what it was asked for,
// though nobody waits for it any more.
type silent struct {
	store.Store
	mu   sync.Mutex
	held chan struct{} // nil: it answers
	read bool          // it can be read all the same
}

func (s *silent) hold(read bool) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.held, s.read = held, read
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held = nil
		close(held)
	})
}

// wait is false where the context ends before the store answers.
func (s *silent) wait(ctx context.Context) (held <-chan struct{}, ok bool) {
	s.mu.Lock()
	held = s.held
	s.mu.Unlock()
	if held == nil {
		return nil, true
	}
	select {
	case <-held:
		return held, true
	case <-ctx.Done():
		return held, false
	}
}

func (s *silent) Txn(ctx context.Context, t store.Txn) (store.Result, error) {
	if held, ok := s.wait(ctx); !ok {
		go func() { <-held; s.Store.Txn(context.Background(), t) }() // late
		return store.Result{}, store.ErrUnknown
	}
	return s.Store.Txn(ctx, t)
}

func (s *silent) Range(ctx context.Context, q store.Query) (store.Page, error) {
	s.mu.Lock()
	read := s.read
	s.mu.Unlock()
	if read {
		return s.Store.Range(ctx, q)
	}
	if _, ok := s.wait(ctx); !ok {
		return store.Page{}, store.ErrUnavailable
	}
	return s.Store.Range(ctx, q)
}

// refusedFor wants a request to have been refused with 503.
func refusedFor(t *testing.T, what string, err error, words string) {
	t.Helper()
	var p *client.Problem
	if !errors.As(err, &p) || p.Status != http.StatusServiceUnavailable || !strings.Contains(p.Detail, words) {
		t.Errorf("%s: %v, want 503 with %q", what, err, words)
	}
}

// wish asks for an intent from a host to another.
func wish(i *instance, id, dst string) error {
	_, err := i.api.CreateIntent(i.t.Context(), &client.IntentRequest{
		ID: id, Kind: client.HostToHost, Src: client.HostEnd("02:00:00:00:00:01"), Dst: client.HostEnd(dst),
	}, client.CreateOptions{})
	return err
}

// TestSilentStore: while the store does not answer each request that it is needed for is refused in
// time, the first of each kind as unknown and those behind it for certain; all that is read goes
// on. When it answers again, what was unknown is done, what was refused is not, and requests are
// taken again without a restart.
func TestSilentStore(t *testing.T) {
	st := &silent{Store: store.NewMemory(nil)}
	i := start(t, usual, func(c *node.Config) {
		c.OpenStore = func() (store.Store, error) { return st, nil }
		c.Limits.StoreAnswer = 200 * time.Millisecond
	})
	wish := func(id, dst string) error { return wish(i, id, dst) }
	release := st.hold(false)
	defer release()
	refusedFor(t, "an intent", wish("first", "02:00:00:00:00:02"), "the outcome is unknown")
	i.await("the journal to refuse at once", func() bool {
		err := wish("later", "02:00:00:00:00:03")
		return err != nil && strings.Contains(err.Error(), "no request was accepted")
	})
	_, err := i.api.Apply(t.Context(), []byte("discovery: {lldp_period: 4s}\n"), false)
	refusedFor(t, "a configuration", err, "")
	if _, err := i.api.Intent(t.Context(), "first"); err == nil {
		t.Error("an intent is shown that is not durable")
	}
	alarms := must[client.Page[client.Alarm]](i)(i.api.Alarms(t.Context(), false)).Items
	if !slices.ContainsFunc(alarms, func(a client.Alarm) bool { return a.Kind == "store" && a.Object == "intents" }) {
		t.Errorf("alarms: %+v", alarms)
	}
	i.configuration()
	release()
	i.await("the intent whose outcome was unknown",
		func() bool { _, err := i.api.Intent(t.Context(), "first"); return err == nil })
	i.await("requests to be taken again", func() bool { return wish("next", "02:00:00:00:00:04") == nil })
	if list := must[client.Page[client.Intent]](i)(i.api.Intents(t.Context())).Items; len(list) != 2 {
		t.Errorf("%d intents, want those that were not refused: %+v", len(list), list)
	}
	if i.apply("discovery: {lldp_period: 3s}\n"); i.period() != "3s" {
		t.Errorf("the period is %s", i.period())
	}
}

// TestUnknownChange: a change of the configuration, or a drain, whose outcome the store has not
// told is said to be unknown, is not in force until it is, and no change is made behind it before;
// then it is in force, without a restart.
func TestUnknownChange(t *testing.T) {
	st := &silent{Store: store.NewMemory(nil)}
	i := start(t, usual, func(c *node.Config) {
		c.OpenStore = func() (store.Store, error) { return st, nil }
		c.Limits.StoreAnswer = 200 * time.Millisecond
	})
	before := i.period()
	release := st.hold(true)
	defer release()
	_, err := i.api.Apply(t.Context(), []byte("discovery: {lldp_period: 4s}\n"), false)
	refusedFor(t, "a configuration", err, "the outcome is unknown")
	_, err = i.api.Apply(t.Context(), []byte("discovery: {lldp_period: 3s}\n"), false)
	refusedFor(t, "a configuration behind it", err, "the change before this one")
	if i.period() != before {
		t.Errorf("the period is %s before the change is known to be kept", i.period())
	}
	release()
	i.await("the change whose outcome was unknown", func() bool { return i.period() == "4s" })
}
