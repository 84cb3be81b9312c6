package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// File is the name of the log in a data directory.
const File = "audit.log"

// Limits bound a log. Zero fields mean their defaults.
type Limits struct {
	FileBytes int64 // of one file, about; default 8 MiB
	Files     int   // kept in all; default 8
	Waiting   int   // records of Note that wait to be written; default 1024
	// Answer is how long a record may take to the disk before its writer is told that it did not come there; default 5 s.
	Answer time.Duration
}

func (l Limits) withDefaults() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = 8 << 20
	}
	if l.Files <= 0 {
		l.Files = 8
	}
	if l.Waiting <= 0 {
		l.Waiting = 1024
	}
	if l.Answer <= 0 {
		l.Answer = 5 * time.Second
	}
	return l
}

// Config is what a log needs of others.
type Config struct {
	Dir    string
	Limits Limits
	// Failed is told of every write that failed, and with nil when one succeeds after that. nil: nobody.
	Failed func(error)
	Now    func() time.Time // nil: time.Now
}

// Counts are what a log did since it was opened.
type Counts struct {
	Written uint64 // records on the disk
	Failed  uint64 // writes that failed
	Dropped uint64 // records of Note that did not fit
	Syncs   uint64 // synchronisations of the file: many records may share one
}

// Log is an audit log. Records that come while others are on their way to the disk gather in a batch; what is written while the file is being
// synchronised shares the next synchronisation.
type Log struct {
	cfg  Config
	path string

	begun atomic.Int64 // records of Begin that are not waited for yet

	mu       sync.Mutex
	next     *batch        // gathers; nil: nothing waits
	unsynced []*batch      // written since the last synchronisation began
	writing  bool          // there is a writer
	syncing  bool          // there is one who synchronises
	rested   chan struct{} // closed when either has ended; nil: nobody waits for that
	failed   bool          // and Failed has been told
	broken   bool          // a synchronisation failed: what it left in memory is not trusted, the file is opened anew
	file     *os.File      // nil after a failure, and before the first write. Of the writer; it changes while nothing is unsynced

	size int64  // of the file; the writer's
	last *batch // the last that was written; the writer's

	notes notes
	count counters
	sync  func(*os.File) error // (*os.File).Sync
}

// Open is the log of a directory. The file is opened so that a log that cannot be written is known at once.
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
	if err := l.open(); err != nil { // nobody else uses it yet
		return nil, fmt.Errorf("audit log: %w", err)
	}
	return l, nil
}

// open opens the file, and ends a line that a crash cut off.
func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.size = info.Size()
	if l.size == 0 { // it may be new, and is not there after a crash before its directory has it
		if err := l.syncDir(); err != nil {
			return errors.Join(err, f.Close())
		}
		l.setFile(f)
		return nil
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, l.size-1); err == nil && last[0] != '\n' {
		if _, err := f.Write([]byte("\n")); err != nil {
			return errors.Join(err, f.Close())
		}
		l.size++
	}
	l.setFile(f)
	return nil
}

func (l *Log) setFile(f *os.File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = f
}

// rotate makes room: audit.log becomes audit.log.1, that audit.log.2, and the last goes.
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

func (l *Log) syncDir() error {
	d, err := os.Open(l.cfg.Dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// drop closes the file, when what was written to it is synchronised.
func (l *Log) drop() error {
	if l.last != nil {
		l.want(l.last)
		<-l.last.synced
	}
	f := l.file
	if f == nil {
		return nil
	}
	l.setFile(nil)
	return f.Close()
}

// name is that of the n-th newest file.
func (l *Log) name(n int) string {
	if n == 0 {
		return l.path
	}
	return l.path + "." + strconv.Itoa(n)
}
