package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// keyLen is the length of the cluster's key, in bytes: it authenticates discovery frames.
const keyLen = 32

// storeNote is what the lock file holds once the directory has a store of its own: it is not begun
// anew where that is gone.
const storeNote = "store\n"

// hasStore reports whether a data directory had a store when an instance ran in it last.
func hasStore(lock *os.File) bool {
	b := make([]byte, len(storeNote))
	_, err := lock.ReadAt(b, 0)
	return err == nil && string(b) == storeNote
}

// noteStore notes that a data directory has a store.
func noteStore(lock *os.File) error {
	if hasStore(lock) {
		return nil
	}
	_, err := lock.WriteAt([]byte(storeNote), 0)
	return errors.Join(err, lock.Sync())
}

// absent is the error for a directory that is not there.
func absent(dir string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// unmakeDir removes a data directory that a start has made and found no use for, unless there is
// something in it. The lock is held.
func unmakeDir(dir string) {
	if list, err := os.ReadDir(dir); err == nil && len(list) == 1 && list[0].Name() == lockName {
		_ = os.Remove(filepath.Join(dir, lockName))
		_ = os.Remove(dir)
	}
}

const lockName = "lock"

// lockDir makes a data directory and takes its lock: one process a directory. The lock ends with
// the file's closing, or the process.
func lockDir(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
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
