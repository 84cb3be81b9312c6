package node_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/api/client"
	conf "github.com/weirnet/weir/config"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// TestOldFilesAreTakenOver: what an older version kept in files of the data directory is in force,
// moved into the store, and the files are gone; and it is in force after the next start as well.
func TestOldFilesAreTakenOver(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	body := []byte(`{"text":"discovery: {lldp_period: 4s}\n","source":"apply","by":"admin","at":"2026-01-01T00:00:00Z","drains":[{"kind":"switch","object":"0000000000000002","since":"2026-01-01T00:00:00Z"}]}`)
	sum := sha256.Sum256(body)
	memory := store.NewMemory(nil)
	kept := func(c *node.Config) { c.OpenStore = func() (store.Store, error) { return lasting{memory}, nil } }
	i := start(t, usual, kept, func(c *node.Config) {
		file(t, filepath.Join(c.DataDir, "cluster-key"), string(key))
		file(t, filepath.Join(c.DataDir, conf.StateFile), "weir-configuration 1 sha256 "+hex.EncodeToString(sum[:])+
			"\n"+string(body))
	})
	for range 2 {
		drains := must[client.Page[client.Drain]](i)(i.api.Drains(t.Context())).Items
		if i.period() != "4s" || len(drains) != 1 || drains[0].Object != dpid(2) {
			t.Errorf("lldp_period %s, drained %+v", i.period(), drains)
		}
		for _, name := range []string{"cluster-key", conf.StateFile} {
			if _, err := os.Stat(filepath.Join(i.cfg.DataDir, name)); err == nil {
				t.Errorf("%s is still there", name)
			}
		}
		page, err := memory.Range(context.Background(), store.Query{Span: store.Key("cluster/key")})
		if err != nil || len(page.Pairs) != 1 || !bytes.Equal(page.Pairs[0].Value, key) || page.Pairs[0].Version != 1 {
			t.Errorf("the key in the store: %v, %v", page, err)
		}
		i = i.again(usual, kept)
	}
}

// TestMemoryStore: nothing outlives an instance whose store is in memory, and files of before are
// neither read nor touched.
func TestMemoryStore(t *testing.T) {
	i := start(t, usual, func(c *node.Config) { c.Store = datadir.Memory })
	i.apply("discovery: {lldp_period: 4s}\n")
	i = i.again(usual, func(c *node.Config) { c.Store = datadir.Memory })
	if c := i.configuration(); c.Text != "" {
		t.Errorf("%+v", c)
	}
	if _, err := os.Stat(filepath.Join(i.cfg.DataDir, datadir.StoreDir)); err == nil {
		t.Error("it left a store behind")
	}
}

// TestWrongStores: what --store does not take is refused before anything is made.
func TestWrongStores(t *testing.T) {
	for _, s := range []string{"", "disk", "127.0.0.1:2379", "http://127.0.0.1", "http://127.0.0.1:2379,embedded",
		"ftp://127.0.0.1:1"} {
		err := refusedRun(t, func(c *node.Config) { c.Store = s })
		wantError(t, s, err, true, "--store="+s, "http://127.0.0.1:2379")
	}
}

// ending is a store that stops by itself when the channel is closed.
type ending struct {
	store.Store
	ended chan struct{}
}

func (e ending) Ended() <-chan struct{} { return e.ended }

// TestAStoreThatStops: an instance whose store has stopped ends, and says why.
func TestAStoreThatStops(t *testing.T) {
	cfg := config(t)
	e := ending{store.NewMemory(nil), make(chan struct{})}
	cfg.OpenStore = func() (store.Store, error) { return e, nil }
	cfg.Ready = func(node.Addresses) { close(e.ended) }
	if err := node.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "store: it has stopped by itself") {
		t.Errorf("%v", err)
	}
}

// paged counts how often the memory of what was read is released.
type paged struct {
	store.Store
	released *atomic.Int32
}

func (p paged) PageOut() { p.released.Add(1) }

// TestLoadedStoreIsPagedOut: what a start has read of the store stays in memory no longer than the
// start.
func TestLoadedStoreIsPagedOut(t *testing.T) {
	p := paged{store.NewMemory(nil), new(atomic.Int32)}
	start(t, func(c *node.Config) { c.OpenStore = func() (store.Store, error) { return p, nil } })
	if n := p.released.Load(); n != 1 {
		t.Errorf("released %d times, want once", n)
	}
}
