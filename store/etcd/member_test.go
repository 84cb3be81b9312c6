package etcd

import (
	"context"
	"testing"

	"github.com/weirnet/weir/internal/storetest"
	"github.com/weirnet/weir/store"
)

func start(t *testing.T, cfg Config) *Store {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	s, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestMember holds a member in this process, on disk, to the contract.
func TestMember(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return start(t, Config{}) })
}
