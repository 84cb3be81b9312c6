package audit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weirnet/weir/api/client"
)

// ErrSlow: the disk has not answered in time. The record may be written later.
var ErrSlow = errors.New("the disk has not answered in time")

// waitingBytes limits the records that wait for a disk that does not answer.
const waitingBytes = 4 << 20

// batch is records that are written together.
type batch struct {
	lines           []byte
	records         int
	probe           bool          // contains the record of probe
	wanted          bool          // a caller waits for its fsync; guarded by the log's lock
	written, synced chan struct{} // closed when it is in the file, or failed; when it is fsynced, or failed
	notWritten      error         // read after written is closed
	notSynced       error         // read after synced is closed
}

// Begin appends a record, and returns when it is in the file, where it survives this process.
// synced waits until it is on disk, and must be called: a single record is fsynced at once, and of
// several open ones none before synced of the first is called, so that they share an fsync. A zero
// Time becomes now. Errors of both mean that the record is not there, or (ErrSlow) not yet.
func (l *Log) Begin(r client.AuditRecord) (synced func() error, err error) {
	if r.Time.IsZero() {
		r.Time = l.cfg.Now().UTC()
	}
	l.begun.Add(1)
	b, err := l.enqueue(&r)
	if err == nil {
		err = l.await(b.written)
	}
	if err == nil {
		err = b.notWritten
	}
	if err != nil {
		l.begun.Add(-1)
		return nil, err
	}
	return func() error {
		l.begun.Add(-1)
		return l.synced(b)
	}, nil
}

// Write appends a record, and returns when it and all earlier ones of Note are on disk.
func (l *Log) Write(r client.AuditRecord) error {
	synced, err := l.Begin(r)
	if err != nil {
		return err
	}
	return synced()
}

// synced waits until a batch is on disk.
func (l *Log) synced(b *batch) error {
	l.requestSync(b)
	if err := l.await(b.synced); err != nil {
		return err
	}
	return b.notSynced
}

// requestSync requests the fsync of a batch as soon as it is written.
func (l *Log) requestSync(b *batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.wanted = true
	l.syncIfDue()
}

// syncIfDue starts an fsync unless one runs. mu is held.
func (l *Log) syncIfDue() {
	if !l.syncing && l.due() {
		l.syncing = true
		l.startSync()
	}
}

// due reports whether written batches are to be fsynced: a caller waits for it, or nothing else is
// open. mu is held.
func (l *Log) due() bool {
	if len(l.unsynced) == 0 {
		return false
	}
	return l.begun.Load() <= 1 || slices.ContainsFunc(l.unsynced, func(b *batch) bool { return b.wanted })
}

// flush writes the records of Note.
func (l *Log) flush() error {
	if l.notes.empty() {
		return nil
	}
	b, err := l.enqueue(nil)
	if err != nil {
		return err
	}
	return l.synced(b)
}

// lineRoom is the usual length of a line, in bytes.
const lineRoom = 512

// enqueue adds a record (nil: none but those of Note) to the next batch.
func (l *Log) enqueue(r *client.AuditRecord) (*batch, error) {
	var line []byte
	if r != nil {
		var room [lineRoom]byte
		var err error
		if line, err = r.AppendJSON(room[:0]); err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.next
	if b == nil {
		b = &batch{written: make(chan struct{}), synced: make(chan struct{})}
		l.next = b
	}
	if len(b.lines) > waitingBytes {
		return nil, l.slow()
	}
	if r != nil {
		b.lines = append(append(b.lines, line...), '\n')
		b.records++
		b.probe = b.probe || r.What == probed
	}
	if !l.writing {
		l.writing = true
		l.startWriter()
	}
	return b, nil
}

func (l *Log) slow() error { return fmt.Errorf("audit log %s: %w", l.path, ErrSlow) }

// nextBatch returns the batch to write next; nil without one: then the caller is no longer the
// writer.
func (l *Log) nextBatch() *batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.next
	l.next = nil
	if l.writing = b != nil; !l.writing {
		l.signalIdle()
	}
	return b
}

// write writes a batch, after the records of Note, and requests its fsync.
func (l *Log) write(b *batch) {
	noted := l.notes.drain()
	var lines []byte
	for i := range noted {
		if line, err := noted[i].AppendJSON(lines); err == nil { // fails for an invalid time only
			lines = append(line, '\n')
			b.records++
		}
	}
	if lines != nil {
		b.lines = append(lines, b.lines...)
	}
	if err := l.append(b.lines); err != nil {
		l.drop()
		if b.notWritten = fmt.Errorf("audit log %s: %w", l.path, err); !b.probe || b.records > 1 {
			b.notWritten = l.reportFailure(err)
		}
		b.notSynced = b.notWritten
		close(b.written)
		close(b.synced)
		return
	}
	l.last, b.lines = b, nil
	close(b.written)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsynced = append(l.unsynced, b)
	l.syncIfDue()
}

// append writes lines at the end of the file.
func (l *Log) append(lines []byte) error {
	l.mu.Lock()
	broken := l.broken
	l.mu.Unlock()
	if broken {
		l.drop()
		l.mu.Lock()
		l.broken = false
		l.mu.Unlock()
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size > 0 && l.size+int64(len(lines)) > l.cfg.Limits.FileBytes {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(lines)
	l.size += int64(n)
	return err
}

// toSync returns the batches to fsync next; none: then the caller no longer fsyncs.
func (l *Log) toSync() (list []*batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.syncing = l.due(); l.syncing {
		list, l.unsynced = l.unsynced, nil
	} else {
		l.signalIdle()
	}
	return list
}

// signalIdle tells Close that the writer, or the fsync, has ended. mu is held.
func (l *Log) signalIdle() {
	if l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
}

// errBroken: an fsync of the file has failed before.
var errBroken = errors.New("a synchronisation has failed before: the file is opened anew")

// synchronise fsyncs the file and completes the batches.
func (l *Log) synchronise(list []*batch) {
	l.mu.Lock()
	file, err := l.file, error(nil)
	if l.broken {
		err = errBroken
	}
	l.mu.Unlock()
	if err == nil {
		l.count.syncs.Add(1)
		err = l.sync(file)
	}
	if err != nil {
		err = l.reportFailure(err)
		l.mu.Lock()
		l.broken = true
		l.mu.Unlock()
	} else {
		l.reportRecovered()
	}
	for _, b := range list {
		if b.notSynced = err; err == nil {
			l.count.written.Add(uint64(b.records))
		}
		close(b.synced)
	}
}

// reportFailure counts and reports a failed write.
func (l *Log) reportFailure(err error) error {
	err = fmt.Errorf("audit log %s: %w", l.path, err)
	l.count.failed.Add(1)
	l.mu.Lock()
	l.failed = true
	l.mu.Unlock()
	l.cfg.Failed(err)
	l.notes.notify() // Run retries
	return err
}

// failing reports whether the last report was a failure.
func (l *Log) failing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// probed is the What of a probe's record.
const probed = "audit log"

// probe tests whether a failing log can be written again, with a record that says so. A failed
// probe is neither counted nor reported. While writes are in flight, they serve as the probe.
func (l *Log) probe() {
	l.mu.Lock()
	busy := l.next != nil || l.writing || l.syncing || len(l.unsynced) > 0
	l.mu.Unlock()
	if busy {
		return
	}
	b, err := l.enqueue(&client.AuditRecord{Time: l.cfg.Now().UTC(), Who: "-", What: probed, Result: "done",
		Detail: "it could not be written, and can be again"})
	if err != nil {
		return
	}
	l.requestSync(b)
	l.settled(b)
}

// reportRecovered reports the first success after a failure.
func (l *Log) reportRecovered() {
	l.mu.Lock()
	was := l.failed
	l.failed = false
	l.mu.Unlock()
	if was {
		l.cfg.Failed(nil)
	}
}

// Close writes the records of Note, and closes the file when nothing is in flight, waiting for
// closeLimit at most. Later writes open it again.
func (l *Log) Close() error {
	late := newDeadline(closeLimit)
	defer late.Stop()
	for {
		if err := l.flush(); err != nil {
			return err
		}
		rested, err := l.closeIfIdle()
		if rested == nil || !late.wait(rested) {
			return err
		}
	}
}

// closeIfIdle closes the file if nothing is in flight; otherwise it requests the fsync, and returns
// a channel that is closed when that has ended.
func (l *Log) closeIfIdle() (rested chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil && !l.writing && len(l.unsynced) == 0 && !l.syncing {
		if l.file != nil {
			err = l.file.Close()
			l.file = nil
		}
		return nil, err
	}
	for _, b := range l.unsynced {
		b.wanted = true
	}
	l.syncIfDue()
	if l.idle == nil {
		l.idle = make(chan struct{})
	}
	return l.idle, nil
}
