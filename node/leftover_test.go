package node_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// TestRefusedStartLeavesNothing: a start that the store refuses removes the data directory that it
// made, and no other.
func TestRefusedStartLeavesNothing(t *testing.T) {
	cfg := node.Defaults()
	cfg.Peer.Listen = "none"
	cfg.OpenFlow.Listen, cfg.API.Listen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.OpenStore = func() (store.Store, error) { return nil, store.ErrFull }
	made, own, filled := filepath.Join(t.TempDir(), "data"), t.TempDir(), filepath.Join(t.TempDir(), "filled")
	for _, dir := range []string{made, own, filled} {
		cfg.DataDir = dir
		if dir == filled {
			cfg.OpenStore = func() (store.Store, error) {
				return nil, errors.Join(os.WriteFile(filepath.Join(filled, "something"), nil, 0o600), store.ErrFull)
			}
		}
		if err := node.Run(t.Context(), cfg); !errors.Is(err, store.ErrFull) {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("the directory that it made is there still: %v", err)
	}
	for _, dir := range []string{own, filled} {
		if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
			t.Errorf("a directory that was there or has something in it: %v", err)
		}
	}
}
