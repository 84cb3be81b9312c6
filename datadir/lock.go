package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// storeNote is what the lock file holds once the directory has a store of its own: it is not begun
// anew where that is gone.
const storeNote = "store\n"

// Lock is the lock of a data directory. It ends with Close, or the process.
type Lock struct{ file *os.File }

// Close gives the directory to others.
func (l *Lock) Close() error { return l.file.Close() }

// hasStore reports whether the directory had a store when an instance ran in it last.
func (l *Lock) hasStore() bool {
	b := make([]byte, len(storeNote))
	_, err := l.file.ReadAt(b, 0)
	return err == nil && string(b) == storeNote
}

// noteStore notes that the directory has a store.
func (l *Lock) noteStore() error {
	if l.hasStore() {
		return nil
	}
	_, err := l.file.WriteAt([]byte(storeNote), 0)
	return errors.Join(err, l.file.Sync())
}

// HasStore reports whether a directory has the files of a store.
func HasStore(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, StoreDir))
	return err == nil
}

// Absent reports whether a directory is not there.
func Absent(dir string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// Unmake removes a data directory that a start has made and found no use for, unless there is
// something in it. The lock is held.
func Unmake(dir string) {
	if list, err := os.ReadDir(dir); err == nil && len(list) == 1 && list[0].Name() == lockName {
		_ = os.Remove(filepath.Join(dir, lockName))
		_ = os.Remove(dir)
	}
}

const lockName = "lock"

// MakeLock makes a data directory and takes its lock: one process a directory.
func MakeLock(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &Lock{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("data directory %s is in use by another process: stop it, or choose another with --data-dir", dir)
	}
	return nil, fmt.Errorf("data directory %s: %w", dir, err)
}
