package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
)

// File is the name of the log in a data directory.
const File = "audit.log"

// Limits bound a log. Zero fields mean their defaults.
type Limits struct {
	FileBytes int64 // of one file, about; default 8 MiB
	Files     int   // kept in all; default 8
	Waiting   int   // records of Note that wait to be written; default 1024
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
}

// Log is an audit log. Its lock is its owner: whoever writes holds it until the disk has answered.
type Log struct {
	cfg  Config
	path string

	mu     sync.Mutex
	file   *os.File // nil after a failure, and before the first write
	size   int64
	failed bool

	notes notes
	count counters
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
	l := &Log{cfg: cfg, path: filepath.Join(cfg.Dir, File)}
	l.notes.init(cfg.Limits.Waiting)
	if err := l.open(); err != nil {
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
	l.file, l.size = f, info.Size()
	if l.size == 0 { // it may be new, and is not there after a crash before its directory has it
		if err := l.syncDir(); err != nil {
			l.file = nil
			return errors.Join(err, f.Close())
		}
		return nil
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, l.size-1); err == nil && last[0] != '\n' {
		if _, err := f.Write([]byte("\n")); err != nil {
			l.file = nil
			return errors.Join(err, f.Close())
		}
		l.size++
	}
	return nil
}

// Write appends a record, and returns when it and all that Note took before are on the disk. A zero Time becomes now.
func (l *Log) Write(r client.AuditRecord) error {
	if r.Time.IsZero() {
		r.Time = l.cfg.Now().UTC()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(append(l.notes.take(), r))
}

// flush writes what Note took.
func (l *Log) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.notes.take()
	if len(batch) == 0 {
		return nil
	}
	return l.append(batch)
}

// append writes records and synchronises. After a failure the file is opened anew by the next call: what a failed fsync
// left in memory is not trusted.
func (l *Log) append(records []client.AuditRecord) error {
	err := l.put(records)
	if err != nil {
		if l.file != nil {
			l.file.Close()
			l.file = nil
		}
		l.count.failed.Add(1)
		l.failed = true
		err = fmt.Errorf("audit log %s: %w", l.path, err)
		l.cfg.Failed(err)
		return err
	}
	l.count.written.Add(uint64(len(records)))
	if l.failed {
		l.failed = false
		l.cfg.Failed(nil)
	}
	return nil
}

func (l *Log) put(records []client.AuditRecord) error {
	var b []byte
	for i := range records {
		line, err := json.Marshal(&records[i])
		if err != nil {
			return err
		}
		b = append(append(b, line...), '\n')
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size > 0 && l.size+int64(len(b)) > l.cfg.Limits.FileBytes {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(b)
	l.size += int64(n)
	if err != nil {
		return err
	}
	return l.file.Sync()
}

// rotate makes room: audit.log becomes audit.log.1, that audit.log.2, and the last goes.
func (l *Log) rotate() error {
	if err := l.file.Close(); err != nil {
		return err
	}
	l.file = nil
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

// name is that of the n-th newest file.
func (l *Log) name(n int) string {
	if n == 0 {
		return l.path
	}
	return l.path + "." + strconv.Itoa(n)
}

// Close writes what Note took, and closes the file.
func (l *Log) Close() error {
	err := l.flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return err
	}
	err = errors.Join(err, l.file.Close())
	l.file = nil
	return err
}
