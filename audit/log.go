package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/atomicfile"
)

// File is the name of the log in a data directory.
const File = "audit.log"

// Limits bound a log. Zero fields mean their defaults.
type Limits struct {
	FileBytes int64 // of one file, approximately; default 8 MiB
	Files     int   // kept in all; default 8
	Waiting   int   // queued records of Note; default 1024
	// Answer is the timeout of writing a record to disk; default 5 s.
	Answer time.Duration
}

func (l Limits) withDefaults() Limits {
	return Limits{FileBytes: cmp.Or(l.FileBytes, 8<<20), Files: cmp.Or(l.Files, 8), Waiting: cmp.Or(l.Waiting, 1024),
		Answer: cmp.Or(l.Answer, 5*time.Second)}
}

// Config configures a log.
type Config struct {
	Dir    string
	Limits Limits
	// Failed is called with the error of every failed write, and with nil at the first success
	// after that. It may be nil.
	Failed func(error)
	Now    func() time.Time // nil: time.Now
}

// Counts are counters since the log was opened.
type Counts struct {
	Written uint64 // records on the disk
	Failed  uint64 // writes that failed
	Dropped uint64 // records of Note dropped
	Syncs   uint64 // fsyncs of the file: many records may share one
}

// Log is an audit log. Records that arrive during a write form the next batch; batches written
// during an fsync share the next one.
type Log struct {
	cfg  Config
	path string

	begun atomic.Int64 // records of Begin whose synced was not called yet

	mu       sync.Mutex
	next     *batch        // collects records; nil: none
	unsynced []*batch      // written since the last fsync began
	writing  bool          // a writer runs
	syncing  bool          // an fsync runs
	idle     chan struct{} // closed when either has ended; nil without waiters
	failed   bool          // and Failed has been told
	broken   bool          // an fsync failed: the page cache is not trusted, and the file is reopened
	// nil after a failure, and before the first write. Owned by the writer; replaced only while
	// nothing is unsynced
	file *os.File

	size int64  // of the file; owned by the writer
	last *batch // the last one written; owned by the writer

	timers sync.Pool // *time.Timer that have stopped: each record is waited for twice

	notes notes
	count counters
	sync  func(*os.File) error // (*os.File).Sync
}

// Open opens the log of a directory, and its file, so that errors are found at once.
func Open(cfg Config) (*Log, error) {
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Failed == nil {
		cfg.Failed = func(error) {}
	}
	l := &Log{cfg: cfg, path: filepath.Join(cfg.Dir, File), sync: (*os.File).Sync}
	l.notes.init(cfg.Limits.Waiting)
	if err := l.open(); err != nil { // not shared yet
		return nil, fmt.Errorf("audit log: %w", err)
	}
	return l, nil
}

// open opens the file, and ends a line that a crash truncated.
func (l *Log) open() error {
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
		err = atomicfile.SyncDir(l.cfg.Dir)
	} else if _, unread := f.ReadAt(last, l.size-1); unread == nil && last[0] != '\n' {
		l.size++
		_, err = f.Write([]byte("\n"))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.setFile(f)
	return nil
}

func (l *Log) setFile(f *os.File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = f
}

// rotate renames audit.log to audit.log.1, that to audit.log.2, and deletes the last.
func (l *Log) rotate() error {
	if err := l.drop(); err != nil {
		return err
	}
	for n := l.cfg.Limits.Files - 1; n > 0; n-- {
		if err := os.Rename(l.name(n-1), l.name(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if l.cfg.Limits.Files == 1 {
		if err := os.Remove(l.path); err != nil {
			return err
		}
	}
	return l.open()
}

// drop closes the file, when all batches are fsynced.
func (l *Log) drop() error {
	if l.last != nil {
		l.requestSync(l.last)
		<-l.last.synced
	}
	f := l.file
	if f == nil {
		return nil
	}
	l.setFile(nil)
	return f.Close()
}

// name returns the name of the n-th newest file.
func (l *Log) name(n int) string {
	if n == 0 {
		return l.path
	}
	return l.path + "." + strconv.Itoa(n)
}
