package datadir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weirnet/weir/store"
)

// keyLen is the length of the cluster's key, in bytes: it authenticates discovery frames.
const keyLen = 32

// ClusterKey is the cluster's key: the store's, or, with files, the one that an older version kept in
// one, or a new one.
func ClusterKey(ctx context.Context, st store.Store, dir string, files bool) ([]byte, error) {
	path := filepath.Join(dir, "cluster-key")
	key, err := store.Once(ctx, st, clusterKeyName, func() ([]byte, error) {
		if files {
			if key, err := oldClusterKey(path); key != nil || err != nil {
				return key, err
			}
		}
		key := make([]byte, keyLen)
		rand.Read(key)
		return key, nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("cluster key: %w", err)
	case len(key) != keyLen:
		return nil, fmt.Errorf("cluster key: the store has %d bytes, want %d: restore a backup with weir restore",
			len(key), keyLen)
	}
	if files {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cluster key that was taken over: %w", err)
		}
	}
	return key, nil
}

// oldClusterKey reads the key of an older version; nil if there is none.
func oldClusterKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(key) != keyLen:
		return nil, fmt.Errorf("%s has %d bytes, want %d: restore it, or delete it to have a new one made", path,
			len(key), keyLen)
	}
	return key, nil
}
