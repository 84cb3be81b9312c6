package node_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// counted is a store that counts how often journals' blocks are read.
type counted struct {
	store.Store
	read atomic.Int32
}

func (s *counted) Range(ctx context.Context, q store.Query) (store.Page, error) {
	for _, prefix := range []string{"intents/", "decisions/", "tables/"} {
		if strings.HasPrefix(string(q.Span.From), prefix) && len(q.Span.To) > 0 {
			s.read.Add(1)
		}
	}
	return s.Store.Range(ctx, q)
}

func (*counted) Close() error { return nil }

// TestStandbyFollows: a standby reads the journals once, hears what the owner writes after that, and has all of it when it
// takes over, without reading them again.
func TestStandbyFollows(t *testing.T) {
	memory := store.NewMemory(nil)
	owner := start(t, usual, func(c *node.Config) {
		c.Name = "a"
		c.OpenStore, c.SharedStore = func() (store.Store, error) { return lasting{memory}, nil }, true
	})
	ask := func(from, to int) {
		t.Helper()
		for n := from; n < to; n++ {
			if _, err := owner.api.CreateIntent(t.Context(), request(n), client.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask(0, 10)
	st := &counted{Store: memory}
	cfg := config(t)
	usual(&cfg)
	cfg.Name, cfg.OpenStore, cfg.SharedStore = "b", func() (store.Store, error) { return st, nil }, true
	var log logs
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	took := make(chan *intent.Engine, 1)
	cfg.Intents = func(e *intent.Engine) { took <- e }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	running.Add(1)
	go func() {
		err := node.Run(ctx, cfg)
		running.Add(-1)
		ended <- err
	}()
	owner.await("the standby to have read the journals", func() bool { return st.read.Load() >= 3 })
	ask(10, 30)
	for n := range 5 {
		if err := owner.api.WithdrawIntent(t.Context(), fmt.Sprint("followed-", n), ""); err != nil {
			t.Fatal(err)
		}
	}
	ask(30, 40) // perhaps with the number of one that is gone
	owner.end()
	var engine *intent.Engine
	select {
	case engine = <-took:
	case <-time.After(20 * time.Second):
		t.Fatalf("nobody takes over: %s", log.String())
	}
	if n := st.read.Load(); n != 3 {
		t.Errorf("journals were read %d times", n)
	}
	for n := range 40 {
		if _, ok := engine.Get(fmt.Sprint("followed-", n)); ok != (n >= 5) {
			t.Errorf("intent %d is there: %v", n, ok)
		}
	}
	if list, _ := engine.List(0, 100, nil); len(list) != 35 {
		t.Errorf("%d intents", len(list))
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func request(n int) *client.IntentRequest {
	return &client.IntentRequest{ID: fmt.Sprint("followed-", n), Kind: client.PointToPoint,
		Src:      client.PointEnds(client.Point{DPID: client.FormatDPID(1), Port: 1}),
		Dst:      client.PointEnds(client.Point{DPID: client.FormatDPID(2), Port: 1}),
		Selector: client.Selector{"ipv4_dst": fmt.Sprintf("10.0.0.%d", n)}}
}
