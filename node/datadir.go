package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
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
