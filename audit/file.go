package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/weirnet/weir/atomicfile"
)

// logFile is the newest file of a log, which records are appended to, and the older ones beside it. It
// belongs to the writer; what mu guards is read by who fsyncs too.
type logFile struct {
	dir, path string
	limits    Limits
	size      int64

	mu sync.Mutex
	// nil after a failure, and before the first write. Replaced only while nothing is unsynced.
	file   *os.File
	broken bool // an fsync failed: the page cache is not trusted, and the file is reopened
}

func newLogFile(dir string, limits Limits) logFile {
	return logFile{dir: dir, path: filepath.Join(dir, File), limits: limits}
}

// open opens the file, and ends a line that a crash truncated.
func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	last := make([]byte, 1)
	if l.size = info.Size(); l.size == 0 { // it may be new, and is not there after a crash before its directory has it
		err = atomicfile.SyncDir(l.dir)
	} else if _, unread := f.ReadAt(last, l.size-1); unread == nil && last[0] != '\n' {
		l.size++
		_, err = f.Write([]byte("\n"))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.set(f)
	return nil
}

func (l *logFile) set(f *os.File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file, l.broken = f, false
}

// get returns the file, and whether an fsync of it has failed.
func (l *logFile) get() (f *os.File, broken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file, l.broken
}

// distrust notes that an fsync has failed.
func (l *logFile) distrust() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = true
}

// close closes the file, if it is open. Nothing is unsynced.
func (l *logFile) close() error {
	f, _ := l.get()
	l.set(nil)
	if f == nil {
		return nil
	}
	return f.Close()
}

// full reports whether so many bytes more are to go to another file.
func (l *logFile) full(more int) bool { return l.size > 0 && l.size+int64(more) > l.limits.FileBytes }

// rotate renames audit.log to audit.log.1, that to audit.log.2, and deletes the last. It is closed, and
// opens a new one.
func (l *logFile) rotate() error {
	for n := l.limits.Files - 1; n > 0; n-- {
		if err := os.Rename(l.name(n-1), l.name(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if l.limits.Files == 1 {
		if err := os.Remove(l.path); err != nil {
			return err
		}
	}
	return l.open()
}

// write writes at the end.
func (l *logFile) write(lines []byte) error {
	f, _ := l.get()
	n, err := f.Write(lines)
	l.size += int64(n)
	return err
}

// name returns the name of the n-th newest file.
func (l *logFile) name(n int) string {
	if n == 0 {
		return l.path
	}
	return l.path + "." + strconv.Itoa(n)
}
