package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/store"
)

// Restore fills what cfg.Store and cfg.DataDir name from a snapshot of a store (package store).
// What is restored appears whole or not at all in a data directory; an etcd elsewhere must hold
// nothing of ours, and an error may leave a part in it. Errors of what was given are *ConfigError.
func Restore(ctx context.Context, cfg Config, r io.ReadSeeker) (store.Contents, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := cfg.checkStore(); err != nil {
		return store.Contents{}, &ConfigError{Err: err}
	}
	if cfg.Store == StoreMemory {
		return store.Contents{},
			&ConfigError{Err: errors.New("--store=memory: what is restored would be lost at once; want embedded, or URLs")}
	}
	contents, err := store.ReadSnapshot(r, nil) // before anything is made
	if err != nil {
		return contents, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return contents, err
	}
	if cfg.Store != StoreEmbedded {
		st, err := openStore(ctx, &cfg, nil, new(storeState))
		if err != nil {
			return contents, err
		}
		defer st.Close()
		return store.Restore(ctx, st, r)
	}
	return restoreDir(ctx, &cfg, r)
}

// restoreDir makes the embedded store of a data directory.
func restoreDir(ctx context.Context, cfg *Config, r io.ReadSeeker) (contents store.Contents, err error) {
	lock, err := lockDir(cfg.DataDir)
	if err != nil {
		return contents, err
	}
	defer lock.Close()
	there := filepath.Join(cfg.DataDir, StoreDir)
	if _, err := os.Lstat(there); !errors.Is(err, fs.ErrNotExist) {
		return contents, fmt.Errorf(
			"the data directory %s has a store already: move %s away, or choose another with --data-dir", cfg.DataDir, there)
	}
	made, err := os.MkdirTemp(cfg.DataDir, ".restored-*")
	if err != nil {
		return contents, err
	}
	defer os.RemoveAll(made)
	st, err := startEmbedded(ctx, made, cfg.Log, false, nil)
	if err != nil {
		return contents, err
	}
	contents, err = store.Restore(ctx, st, r)
	if err = errors.Join(err, st.Close()); err != nil {
		return contents, err
	}
	if err := os.Rename(filepath.Join(made, StoreDir), there); err != nil {
		return contents, err
	}
	return contents, errors.Join(noteStore(lock), atomicfile.SyncDir(cfg.DataDir))
}
