package node_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/store"
)

// TestStandby: of two instances on one store the second waits, serves no switch, and says so; when
// the first has ended it takes over with all that the first was asked for.
func TestStandby(t *testing.T) {
	memory := store.NewMemory(nil)
	shared := func(c *node.Config) {
		c.OpenStore = func() (store.Store, error) { return lasting{memory}, nil }
		c.SharedStore = true
	}
	first := start(t, usual, shared, func(c *node.Config) { c.API.Listen = freeAddress(t) })
	first.apply("discovery: {lldp_period: 4s}\n")
	cfg := config(t)
	usual(&cfg)
	shared(&cfg)
	cfg.API.Listen = freeAddress(t)
	var log logs
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	ready := make(chan node.Addresses, 1)
	cfg.Ready = func(at node.Addresses) { ready <- at }
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx, cfg) }()
	first.await("the second to stand by", func() bool { return strings.Contains(log.String(), "standby") })
	second := &instance{t: t, cfg: cfg, at: node.Addresses{API: cfg.API.Listen}}
	first.await("its tokens", func() bool {
		info, err := os.Stat(filepath.Join(cfg.DataDir, "token"))
		return err == nil && info.Size() > 0
	})
	second.api = second.client(second.token("token"))
	defer second.api.Close()
	var members int
	first.await("the standby's API", func() bool {
		page, err := second.api.Members(t.Context())
		if err == nil {
			members = len(page.Items)
		}
		return err == nil
	})
	if members != 2 || len(ready) != 0 {
		t.Errorf("%d members, ready %d: want the owner and the standby, which is not ready", members, len(ready))
	}
	_, err := second.api.Switches(t.Context())
	refusedFor(t, "a list of a standby", err, "API "+first.at.API)
	refusedFor(t, "an intent at a standby", wish(second, "a", "02:00:00:00:00:02"), "is a standby")
	first.await("the owner to know of the standby", func() bool {
		page, err := first.api.Members(t.Context())
		return err == nil && len(page.Items) == 2 && page.Items[1].State == "standby" &&
			page.Items[1].Address == cfg.API.Listen && page.Items[0].Leader
	})
	made, err := first.api.AddToken(t.Context(), client.TokenRequest{Name: "ci", Role: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := first.api.AddToken(t.Context(), client.TokenRequest{Name: "gone", Role: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	asks := func(value string) bool {
		c := second.client(value)
		defer c.Close()
		_, err := c.Members(t.Context())
		return err == nil
	}
	first.await("the standby to take the owner's tokens", func() bool { return asks(made.Value) && asks(gone.Value) })
	if err := first.api.RemoveToken(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	first.await("the standby to hear what is revoked", func() bool { return !asks(gone.Value) })
	_ = first.stop() // what it finds still running is the second
	first.await("the second to take over", func() bool { return len(ready) == 1 })
	second.at = <-ready
	first.await("the configuration of the first", func() bool { return second.period() == "4s" })
	if !asks(made.Value) || asks(gone.Value) {
		t.Error("the new owner has other tokens")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestSteppingDown: an owner whose row another instance has taken steps down at its next look,
// without any request: it knows the other as master of its switches, closes their sessions and stands
// by, and takes over again when the other has gone.
func TestSteppingDown(t *testing.T) {
	memory := store.NewMemory(nil)
	ready := make(chan struct{}, 2)
	views := make(chan *netview.View, 2)
	i := start(t, usual, func(c *node.Config) {
		c.OpenStore = func() (store.Store, error) { return lasting{memory}, nil }
		c.SharedStore = true
		c.View = func(v *netview.View) { views <- v }
		c.API.Listen, c.OpenFlow.Listen = freeAddress(t), freeAddress(t)
		c.Intents = func(*intent.Engine) { ready <- struct{}{} }
	})
	<-ready
	i.emulate("linear:2", openflow.V13)
	i.await("the switches", func() bool { return i.connected() == 2 })
	held := <-views
	masters := func() (names []string) {
		for sw := range held.Snapshot().Switches() {
			names = append(names, sw.Master)
		}
		return names
	}
	if got := masters(); !slices.Equal(got, []string{i.cfg.Name, i.cfg.Name}) {
		t.Errorf("an owner's switches have the masters %q", got)
	}
	key := []byte("instances/owner")
	txn := func(op store.Op) {
		if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{op}}); err != nil {
			t.Fatal(err)
		}
	}
	txn(store.Put(key, []byte(`{"name":"other","api":"192.0.2.1:8181","life":"x"}`)))
	memory.Expire(1)
	i.await("the instance to stand by", func() bool {
		page, err := i.api.Members(t.Context())
		return err == nil && len(page.Items) == 2 && page.Items[0].State == "owner" &&
			page.Items[0].Name == "other" && page.Items[1].State == "standby"
	})
	if got := masters(); !slices.Equal(got, []string{"other", "other"}) {
		t.Errorf("when it has stepped down its switches have the masters %q", got)
	}
	top, err := loadswitch.ParseTopology("linear:2", 1)
	if err != nil {
		t.Fatal(err)
	}
	n := loadswitch.New(top, loadswitch.Config{Version: openflow.V13})
	defer n.Close(context.Background())
	if err := n.Connect(t.Context(), i.cfg.OpenFlow.Listen); err != nil {
		t.Fatalf("switches cannot connect to a standby: %v", err)
	}
	txn(store.Delete(store.Span{From: key}))
	<-ready
	i.await("the instance to be the owner again", func() bool {
		page, err := i.api.Members(t.Context())
		return err == nil && len(page.Items) == 1 && page.Items[0].State == "ready" && page.Items[0].Leader
	})
	i.await("the switches that have connected to the standby", func() bool { return i.connected() == 2 })
}

// slowLoader is a store of which the intents take long to read: until it is told to go on.
type slowLoader struct {
	store.Store
	asked, alive atomic.Int32 // questions for intents; how often somebody said that he lives, since
	goOn         chan struct{}
}

func (s *slowLoader) Range(ctx context.Context, q store.Query) (store.Page, error) {
	if strings.HasPrefix(string(q.Span.From), "intents/") && len(q.Span.To) > 0 {
		s.asked.Add(1)
		select {
		case <-s.goOn:
		case <-ctx.Done():
			return store.Page{}, fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
		}
	}
	return s.Store.Range(ctx, q)
}

func (s *slowLoader) KeepAlive(ctx context.Context, id store.LeaseID) error {
	if s.asked.Load() > 0 {
		s.alive.Add(1)
	}
	return s.Store.KeepAlive(ctx, id)
}

func (*slowLoader) Close() error { return nil }

// TestLoadingOwnerLives: an owner that loads for longer than its lease says all the while that it
// lives, so that no standby takes the store from it; one that another takes it from while it loads
// gives up at once, and stands by.
func TestLoadingOwnerLives(t *testing.T) {
	memory := store.NewMemory(nil)
	slow := &slowLoader{Store: memory, goOn: make(chan struct{})}
	cfg := config(t)
	usual(&cfg)
	cfg.OpenStore, cfg.SharedStore = func() (store.Store, error) { return slow, nil }, true
	var log logs
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	ready := make(chan node.Addresses, 1)
	cfg.Ready = func(at node.Addresses) { ready <- at }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx, cfg) }()
	wait := &instance{t: t, cfg: cfg}
	wait.await("the owner to say that it lives while it loads", func() bool { return slow.alive.Load() >= 2 })
	other := []byte(`{"name":"other","api":"192.0.2.1:8181","life":"x"}`)
	if _, err := memory.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte("instances/owner"), other),
		store.Put([]byte("instances/last"), other)}}); err != nil {
		t.Fatal(err)
	}
	wait.await("the one that loads to stand by",
		func() bool {
			return strings.Contains(log.String(), "this instance is a standby") && slow.asked.Load() == 2
		})
	if _, err := memory.Txn(ctx, store.Txn{Then: []store.Op{store.Delete(store.Key("instances/owner"))}}); err != nil {
		t.Fatal(err)
	}
	wait.await("it to load what it could not follow", func() bool { return slow.asked.Load() == 3 })
	close(slow.goOn)
	wait.await("it to be ready", func() bool { return len(ready) == 1 })
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// flaky is a store of which the configuration cannot be read, so many times.
type flaky struct {
	store.Store
	fails *atomic.Int32
}

func (s flaky) Range(ctx context.Context, q store.Query) (store.Page, error) {
	if strings.HasPrefix(string(q.Span.From), "config/") && s.fails.Add(-1) >= 0 {
		return store.Page{}, fmt.Errorf("%w: for a while", store.ErrUnavailable)
	}
	return s.Store.Range(ctx, q)
}

func (flaky) Close() error { return nil }

// TestSteppedDownWaitsForItsStore: an instance that has stepped down, and finds a store that cannot be opened, or read, does not
// end: it owns the store as soon as it can.
func TestSteppedDownWaitsForItsStore(t *testing.T) {
	memory := store.NewMemory(nil)
	var opens, fails atomic.Int32
	ready := make(chan struct{}, 2)
	i := start(t, usual, func(c *node.Config) {
		c.OpenStore = func() (store.Store, error) {
			if opens.Add(1) == 2 {
				return nil, errors.New("it is away")
			}
			return flaky{memory, &fails}, nil
		}
		c.SharedStore = true
		c.API.Listen, c.OpenFlow.Listen = freeAddress(t), freeAddress(t)
		c.Intents = func(*intent.Engine) { ready <- struct{}{} }
	})
	<-ready
	fails.Store(1)
	key := []byte("instances/owner")
	other := store.Put(key, []byte(`{"name":"other","api":"192.0.2.1:8181","life":"x"}`))
	if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{other}}); err != nil {
		t.Fatal(err)
	}
	memory.Expire(1)
	i.await("the instance to step down, and to find no store", func() bool { return opens.Load() >= 3 })
	if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{store.Delete(store.Span{From: key})}}); err != nil {
		t.Fatal(err)
	}
	<-ready
	i.await("the instance to be the owner again", func() bool {
		page, err := i.api.Members(t.Context())
		return err == nil && len(page.Items) == 1 && page.Items[0].State == "ready"
	})
	if fails.Load() >= 0 {
		t.Error("the configuration was read at once")
	}
}

// TestStandbyOutlivesItsStore: a standby that takes a store, and then finds that it cannot be read for a moment, does not end.
func TestStandbyOutlivesItsStore(t *testing.T) {
	memory := store.NewMemory(nil)
	var fails atomic.Int32
	key := []byte("instances/owner")
	txn := func(op store.Op) {
		if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{op}}); err != nil {
			t.Fatal(err)
		}
	}
	txn(store.Put(key, []byte(`{"name":"other","api":"192.0.2.1:8181","life":"x"}`)))
	cfg := config(t)
	usual(&cfg)
	cfg.OpenStore, cfg.SharedStore = func() (store.Store, error) { return flaky{memory, &fails}, nil }, true
	cfg.API.Listen, cfg.OpenFlow.Listen = freeAddress(t), freeAddress(t)
	var log logs
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	ready := make(chan bool)
	cfg.Ready = func(node.Addresses) { close(ready) }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx, cfg) }()
	await(t, "the instance to stand by", func() bool { return strings.Contains(log.String(), "this instance is a standby") },
		log.String)
	fails.Store(1)
	txn(store.Delete(store.Span{From: key}))
	select {
	case err := <-ended:
		t.Errorf("it has ended: %v", err)
	case <-ready:
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if fails.Load() >= 0 {
		t.Error("the store was never read in vain")
	}
}
