package audit

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
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
	cfg    Config
	file   logFile
	queue  queue
	notes  notes
	count  counters
	failed atomic.Bool          // and Failed has been told
	last   *batch               // the last one written; owned by the writer
	timers sync.Pool            // *time.Timer that have stopped: each record is waited for twice
	sync   func(*os.File) error // (*os.File).Sync
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
	l := &Log{cfg: cfg, file: newLogFile(cfg.Dir, cfg.Limits), sync: (*os.File).Sync}
	l.notes.init(cfg.Limits.Waiting)
	if err := l.file.open(); err != nil { // not shared yet
		return nil, fmt.Errorf("audit log: %w", err)
	}
	return l, nil
}
