package audit

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/api/client"
)

// ErrSlow: the disk has not answered in time. The record may be written later.
var ErrSlow = errors.New("the disk has not answered in time")

// Begin appends a record, and returns when it is in the file, where it survives this process.
// synced waits until it is on disk, and must be called: a single record is fsynced at once, and of
// several open ones none before synced of the first is called, so that they share an fsync. A zero
// Time becomes now. Errors of both mean that the record is not there, or (ErrSlow) not yet.
func (l *Log) Begin(r client.AuditRecord) (synced func() error, err error) {
	if r.Time.IsZero() {
		r.Time = l.cfg.Now().UTC()
	}
	l.queue.begun.Add(1)
	b, err := l.enqueue(&r)
	if err == nil {
		err = l.await(b.written)
	}
	if err == nil {
		err = b.notWritten
	}
	if err != nil {
		l.queue.begun.Add(-1)
		return nil, err
	}
	return func() error {
		l.queue.begun.Add(-1)
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
	if l.queue.want(b) {
		l.startSync()
	}
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
	b, start := l.queue.add(line, r != nil && r.What == probed)
	if b == nil {
		return nil, l.slow()
	}
	if start {
		l.startWriter()
	}
	return b, nil
}

func (l *Log) slow() error { return fmt.Errorf("audit log %s: %w", l.file.path, ErrSlow) }

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
		if b.notWritten = fmt.Errorf("audit log %s: %w", l.file.path, err); !b.probe || b.records > 1 {
			b.notWritten = l.reportFailure(err)
		}
		b.notSynced = b.notWritten
		close(b.written)
		close(b.synced)
		return
	}
	l.last, b.lines = b, nil
	close(b.written)
	if l.queue.written(b) {
		l.startSync()
	}
}

// append writes lines at the end of the file.
func (l *Log) append(lines []byte) error {
	f, broken := l.file.get()
	if broken {
		l.drop()
		f = nil
	}
	if f == nil {
		if err := l.file.open(); err != nil {
			return err
		}
	}
	if l.file.full(len(lines)) {
		if err := l.drop(); err != nil {
			return err
		}
		if err := l.file.rotate(); err != nil {
			return err
		}
	}
	return l.file.write(lines)
}

// drop closes the file, when all batches are fsynced.
func (l *Log) drop() error {
	if l.last != nil {
		l.requestSync(l.last)
		<-l.last.synced
	}
	return l.file.close()
}

// errBroken: an fsync of the file has failed before.
var errBroken = errors.New("a synchronisation has failed before: the file is opened anew")

// synchronise fsyncs the file and completes the batches.
func (l *Log) synchronise(list []*batch) {
	file, broken := l.file.get()
	var err error
	if broken {
		err = errBroken
	} else {
		l.count.syncs.Add(1)
		err = l.sync(file)
	}
	if err != nil {
		err = l.reportFailure(err)
		l.file.distrust()
	} else if l.failed.Swap(false) {
		l.cfg.Failed(nil)
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
	err = fmt.Errorf("audit log %s: %w", l.file.path, err)
	l.count.failed.Add(1)
	l.failed.Store(true)
	l.cfg.Failed(err)
	l.notes.notify() // Run retries
	return err
}

// probed is the What of a probe's record.
const probed = "audit log"

// probe tests whether a failing log can be written again, with a record that says so. A failed
// probe is neither counted nor reported. While writes are in flight, they serve as the probe.
func (l *Log) probe() {
	if l.queue.busy() {
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
	rested, start, err := l.queue.whenIdle(&l.file)
	if start {
		l.startSync()
	}
	return rested, err
}
