package node

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/weirnet/weir/config"
)

// keyLen is the length of the cluster's key, in bytes: it authenticates discovery frames.
const keyLen = 32

// lockDir makes a data directory and takes its lock: one process a directory. The lock ends with the file's closing, or
// the process.
func lockDir(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("data directory %s is in use by another process: stop it, or choose another with --data-dir", dir)
	}
	return nil, fmt.Errorf("data directory %s: %w", dir, err)
}

// clusterKey reads the cluster's key from a data directory, or makes one.
func clusterKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "cluster-key")
	key, err := os.ReadFile(path)
	switch {
	case err == nil && len(key) == keyLen:
		return key, nil
	case err == nil:
		return nil, fmt.Errorf("%s has %d bytes, want %d: restore it, or delete it to have a new one made", path, len(key), keyLen)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cluster key: %w", err)
	}
	key = make([]byte, keyLen)
	rand.Read(key)
	if err := config.WriteFile(path, key); err != nil {
		return nil, fmt.Errorf("cluster key: %w", err)
	}
	return key, nil
}
