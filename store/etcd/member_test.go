package etcd

import (
	"context"
	"log/slog"
	"testing"

	"go.etcd.io/raft/v3"
	"go.uber.org/zap"

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

// TestPanicsOfEtcd: they are panics, but for the one about entries that were discarded since they are
// applied.
func TestPanicsOfEtcd(t *testing.T) {
	log := zap.New(&zapBridge{log: slog.New(slog.DiscardHandler)}, zap.WithPanicHook(panics{})).Named("raft").Sugar()
	panicked := func(err error) (did bool) {
		defer func() { did = recover() != nil }()
		log.Panicf("error scanning unapplied entries [%d, %d): %v", 1, 107, err)
		return false
	}
	if panicked(raft.ErrCompacted) || !panicked(raft.ErrUnavailable) {
		t.Error("entries that are discarded panic, or those that are missing do not")
	}
}
