package datadir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/owner"
)

// ErrMemory refuses to restore into a store in memory.
var ErrMemory = errors.New("--store=memory: what is restored would be lost at once; want embedded, or URLs")

// Restore fills the store from a snapshot of one (package store). What is restored appears whole or
// not at all in a data directory; an etcd elsewhere must hold nothing of ours, and an error may leave
// a part in it. The Config is checked.
func (c *Config) Restore(ctx context.Context, r io.ReadSeeker) (store.Contents, error) {
	if c.Store == Memory {
		return store.Contents{}, ErrMemory
	}
	contents, err := store.ReadSnapshot(r, nil) // before anything is made
	if err != nil {
		return contents, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return contents, err
	}
	if c.Store != Embedded {
		st, err := c.Open(ctx, nil, nil)
		if err != nil {
			return contents, err
		}
		defer st.Close()
		return restoreInto(ctx, st, r)
	}
	return c.restoreDir(ctx, r)
}

// restoreDir makes the embedded store of a data directory.
func (c *Config) restoreDir(ctx context.Context, r io.ReadSeeker) (contents store.Contents, err error) {
	lock, err := MakeLock(c.Dir)
	if err != nil {
		return contents, err
	}
	defer lock.Close()
	there := filepath.Join(c.Dir, StoreDir)
	if _, err := os.Lstat(there); !errors.Is(err, fs.ErrNotExist) {
		return contents, fmt.Errorf(
			"the data directory %s has a store already: move %s away, or choose another with --data-dir", c.Dir, there)
	}
	made, err := os.MkdirTemp(c.Dir, ".restored-*")
	if err != nil {
		return contents, err
	}
	defer os.RemoveAll(made)
	alone := Config{Dir: made, Store: Embedded, Log: c.Log}
	st, err := alone.startEmbedded(ctx, false, nil)
	if err != nil {
		return contents, err
	}
	contents, err = restoreInto(ctx, st, r)
	if err = errors.Join(err, st.Close()); err != nil {
		return contents, err
	}
	if err := os.Rename(filepath.Join(made, StoreDir), there); err != nil {
		return contents, err
	}
	return contents, errors.Join(lock.noteStore(), atomicfile.SyncDir(c.Dir))
}

// restoreInto fills a store, which nobody owns then.
func restoreInto(ctx context.Context, st store.Store, r io.ReadSeeker) (contents store.Contents, err error) {
	if contents, err = store.Restore(ctx, st, r); err == nil {
		err = owner.Restored(ctx, st)
	}
	return contents, err
}
