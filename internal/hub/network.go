package hub

import (
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/need"
)

// StartNetwork runs an emulated network under a hub until the test ends: all its switches are
// connected, and flood.
func StartNetwork(t testing.TB, topology string, change ...func(*emu.Config)) (*emu.Network, *Hub) {
	t.Helper()
	top, err := topo.Parse(topology, 1)
	if err != nil {
		t.Fatal(err)
	}
	h := Start(t)
	cfg := emu.Config{Topology: top, Controllers: []string{h.Address}, Seed: 1, BackoffMin: time.Millisecond,
		BackoffMax: 50 * time.Millisecond}
	for _, f := range change {
		f(&cfg)
	}
	n, err := emu.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), need.Patience)
		defer cancel()
		if err := n.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	need.Await(t, "switches are connected and flood", func() bool { return n.Totals().Entries == int64(len(top.Switches)) })
	return n, h
}
