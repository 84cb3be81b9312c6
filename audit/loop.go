package audit

import (
	"context"
	"runtime"
	"time"
)

// batchPause is how long records of Note accumulate before they are written together.
const batchPause = 200 * time.Millisecond

// Goroutines of this package: a writer while records are queued, and one that fsyncs while batches
// are unsynced. Each ends when it has nothing to do.

func (l *Log) startWriter() {
	go func() {
		runtime.Gosched() // let concurrent writers join the batch
		for b := l.queue.toWrite(); b != nil; b = l.queue.toWrite() {
			l.write(b)
		}
	}()
}

func (l *Log) startSync() {
	go func() {
		runtime.Gosched()
		for list := l.queue.toSync(); len(list) > 0; list = l.queue.toSync() {
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
	late, _ := l.timers.Get().(*time.Timer)
	if late == nil {
		late = time.NewTimer(l.cfg.Limits.Answer)
	} else {
		late.Reset(l.cfg.Limits.Answer)
	}
	defer l.timers.Put(late)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return l.reportFailure(ErrSlow)
	}
}

// closeLimit is how long Close waits for writes in flight.
const closeLimit = time.Second

// deadline is a timer shared by several waits.
type deadline struct{ *time.Timer }

func newDeadline(d time.Duration) deadline { return deadline{time.NewTimer(d)} }

// wait returns false if the deadline passes first.
func (l deadline) wait(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-l.C:
		return false
	}
}

// probeEvery is the interval of probes of a failing log.
const probeEvery = time.Second

// Run writes the records of Note, in batches, until the context ends; then the log is closed. After
// a failed write it probes the log, so that the recovery is reported even without new records.
func (l *Log) Run(ctx context.Context) error {
	pause, again := time.NewTimer(batchPause), time.NewTimer(probeEvery)
	defer pause.Stop()
	defer again.Stop()
	for {
		if !l.failed.Load() {
			again.Stop()
		}
		select {
		case <-again.C:
			l.probe()
			again.Reset(probeEvery)
			continue
		case <-l.notes.wake:
		case <-ctx.Done():
			return l.Close()
		}
		again.Reset(probeEvery)
		pause.Reset(batchPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return l.Close()
		}
		l.flush() // Failed was called
	}
}

// settled waits for a probe, as long as for any record, and does not report a late one.
func (l *Log) settled(b *batch) {
	late := newDeadline(l.cfg.Limits.Answer)
	defer late.Stop()
	late.wait(b.synced)
}
