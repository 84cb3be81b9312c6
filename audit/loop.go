package audit

import (
	"context"
	"runtime"
	"time"
)

// batchPause is how long records of Note gather before they are written together.
const batchPause = 200 * time.Millisecond

// Goroutines of this package: a writer while records wait to be written, and one who synchronises the file while something is written that is
// not on the disk. Each ends when it has nothing to do.

func (l *Log) startWriter() {
	go func() {
		runtime.Gosched() // who is about to write comes into the same batch
		for b := l.take(); b != nil; b = l.take() {
			l.write(b)
		}
	}()
}

func (l *Log) startSync() {
	go func() {
		runtime.Gosched()
		for list := l.toSync(); len(list) > 0; list = l.toSync() {
			l.synchronise(list)
		}
	}()
}

// await waits for the disk, within Limits.Answer.
func (l *Log) await(done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	late := time.NewTimer(l.cfg.Limits.Answer)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return l.fail(ErrSlow)
	}
}

// closeLimit is how long Close waits for the end of what is on its way.
const closeLimit = time.Second

// limit is a time that is not waited beyond.
type limit struct{ *time.Timer }

func newLimit(d time.Duration) limit { return limit{time.NewTimer(d)} }

// wait is false if the limit comes first.
func (l limit) wait(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-l.C:
		return false
	}
}

// Run writes what Note takes, in batches, until the context ends; then the log is closed.
func (l *Log) Run(ctx context.Context) error {
	pause := time.NewTimer(batchPause)
	defer pause.Stop()
	for {
		select {
		case <-l.notes.bell:
		case <-ctx.Done():
			return l.Close()
		}
		pause.Reset(batchPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return l.Close()
		}
		l.flush() // Failed was told
	}
}
