package node_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// portions is a store that is read one block at a time, and calls told before each that is read of
// a journal.
type portions struct {
	store.Store
	told func(key string)
}

func (p portions) Range(ctx context.Context, q store.Query) (store.Page, error) {
	if key := string(q.Span.From); len(q.Span.To) > 0 &&
		(strings.HasPrefix(key, "intents/b") || strings.HasPrefix(key, "decisions/b")) {
		p.told(key)
		q.Limit = 1
	}
	return p.Store.Range(context.WithoutCancel(ctx), q)
}

// TestAStopWhileItLoads: an instance that is told to end while it loads intents reads no further
// portion, and ends in order.
func TestAStopWhileItLoads(t *testing.T) {
	memory := store.NewMemory(nil)
	i := start(t, usual, func(c *node.Config) { c.OpenStore = func() (store.Store, error) { return lasting{memory}, nil } })
	for n := range 8 { // batches that are too large to share a block
		var list []client.IntentRequest
		for k := range 600 {
			list = append(list, client.IntentRequest{
				ID: fmt.Sprintf("i%d-%d", n, k), Kind: "host-to-host",
				Src: client.HostEnd(fmt.Sprintf("02:00:00:%02x:%02x:01", n, k/250)),
				Dst: client.HostEnd(fmt.Sprintf("02:00:01:%02x:%02x:%02x", n, k/250, k%250)),
			})
		}
		must[client.IntentAnswers](i)(i.api.CreateIntents(t.Context(), list, client.CreateOptions{}))
	}
	if err := i.stop(); err != nil {
		t.Fatal(err)
	}
	run := func(at int) (reads int) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		cfg := i.cfg
		cfg.OpenStore = func() (store.Store, error) {
			return portions{lasting{memory}, func(string) {
				if reads++; reads == at {
					end()
				}
			}}, nil
		}
		cfg.Ready = func(node.Addresses) { end() }
		if err := node.Run(ctx, cfg); err != nil {
			t.Errorf("told to end at portion %d: %v", at, err)
		}
		return reads
	}
	all := run(0)
	if all < 4 {
		t.Fatalf("the intents are in %d portions", all)
	}
	for at := 1; at < all; at++ {
		if n := run(at); n != at {
			t.Errorf("told to end at portion %d of %d, it read %d", at, all, n)
		}
	}
}
