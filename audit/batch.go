package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/weirnet/weir/api/client"
)

// ErrSlow: the disk has not answered in time. The record may come there later.
var ErrSlow = errors.New("the disk has not answered in time")

// waitingBytes is how many bytes of records may wait for a disk that does not answer.
const waitingBytes = 4 << 20

// batch is records that are written together.
type batch struct {
	lines           []byte
	records         int
	wanted          bool          // somebody waits for it to be on the disk; guarded by the log's lock
	written, synced chan struct{} // closed when it is in the file, or could not be written; when it is on the disk, or is not
	notWritten      error         // read after written is closed
	notSynced       error         // read after synced is closed
}

// Begin appends a record, and returns when it is in the file: there it outlives this process. synced waits until it is on the disk, and is to be
// called: a record begun alone goes there at once, and of several that are open together none before the first of them is waited for, so that they share
// a synchronisation. A zero Time becomes now. Errors of both say that it is not there, or (ErrSlow) not yet.
func (l *Log) Begin(r client.AuditRecord) (synced func() error, err error) {
	if r.Time.IsZero() {
		r.Time = l.cfg.Now().UTC()
	}
	l.begun.Add(1)
	b, err := l.put(&r)
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

// Write appends a record, and returns when it and all that Note took before are on the disk.
func (l *Log) Write(r client.AuditRecord) error {
	synced, err := l.Begin(r)
	if err != nil {
		return err
	}
	return synced()
}

// synced waits until a batch is on the disk.
func (l *Log) synced(b *batch) error {
	l.want(b)
	if err := l.await(b.synced); err != nil {
		return err
	}
	return b.notSynced
}

// want has a batch synchronised as soon as it is written.
func (l *Log) want(b *batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.wanted = true
	if !l.syncing && l.due() {
		l.syncing = true
		l.startSync()
	}
}

// due reports whether what is written and not synchronised is to be: somebody waits for it, or nobody has anything to do but to wait for it. mu is held.
func (l *Log) due() bool {
	if len(l.unsynced) == 0 {
		return false
	}
	return l.begun.Load() <= 1 || slices.ContainsFunc(l.unsynced, func(b *batch) bool { return b.wanted })
}

// flush writes what Note took.
func (l *Log) flush() error {
	if l.notes.empty() {
		return nil
	}
	b, err := l.put(nil)
	if err != nil {
		return err
	}
	return l.synced(b)
}

// put puts a record (nil: none but those of Note) into the batch that gathers.
func (l *Log) put(r *client.AuditRecord) (*batch, error) {
	var line []byte
	if r != nil {
		var err error
		if line, err = json.Marshal(r); err != nil {
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
	}
	if !l.writing {
		l.writing = true
		l.startWriter()
	}
	return b, nil
}

func (l *Log) slow() error { return fmt.Errorf("audit log %s: %w", l.path, ErrSlow) }

// take is the batch to write next; nil if there is none: then the caller is no longer the writer.
func (l *Log) take() *batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.next
	l.next = nil
	if l.writing = b != nil; !l.writing {
		l.rest()
	}
	return b
}

// write puts a batch, behind what Note took, into the file, and has it synchronised.
func (l *Log) write(b *batch) {
	noted := l.notes.take()
	var lines []byte
	for i := range noted {
		if line, err := json.Marshal(&noted[i]); err == nil { // it has strings and numbers only
			lines = append(append(lines, line...), '\n')
			b.records++
		}
	}
	if lines != nil {
		b.lines = append(lines, b.lines...)
	}
	if err := l.append(b.lines); err != nil {
		l.drop()
		b.notWritten = l.fail(err)
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
	if !l.syncing && l.due() {
		l.syncing = true
		l.startSync()
	}
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

// toSync is what is to be synchronised next; nothing if there is none: then the caller synchronises no longer.
func (l *Log) toSync() (list []*batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.syncing = l.due(); l.syncing {
		list, l.unsynced = l.unsynced, nil
	} else {
		l.rest()
	}
	return list
}

// rest tells Close that the writer, or who synchronises, has ended. mu is held.
func (l *Log) rest() {
	if l.rested != nil {
		close(l.rested)
		l.rested = nil
	}
}

// errBroken: a synchronisation of the file has failed before.
var errBroken = errors.New("a synchronisation has failed before: the file is opened anew")

// synchronise ends batches that are in the file.
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
		err = l.fail(err)
		l.mu.Lock()
		l.broken = true
		l.mu.Unlock()
	} else {
		l.succeed()
	}
	for _, b := range list {
		if b.notSynced = err; err == nil {
			l.count.written.Add(uint64(b.records))
		}
		close(b.synced)
	}
}

// fail tells of a write that failed.
func (l *Log) fail(err error) error {
	err = fmt.Errorf("audit log %s: %w", l.path, err)
	l.count.failed.Add(1)
	l.mu.Lock()
	l.failed = true
	l.mu.Unlock()
	l.cfg.Failed(err)
	return err
}

// succeed tells of one that did not, after one that did.
func (l *Log) succeed() {
	l.mu.Lock()
	was := l.failed
	l.failed = false
	l.mu.Unlock()
	if was {
		l.cfg.Failed(nil)
	}
}

// Close writes what Note took, and closes the file when nothing more is on its way, which it waits for as long as closeLimit. What is written
// afterwards opens it again.
func (l *Log) Close() error {
	late := newLimit(closeLimit)
	defer late.Stop()
	for {
		if err := l.flush(); err != nil {
			return err
		}
		rested, err := l.closeQuiet()
		if rested == nil || !late.wait(rested) {
			return err
		}
	}
}

// closeQuiet closes the file if nothing is on its way; if something is, it has it synchronised, and what it returns is closed when that has ended.
func (l *Log) closeQuiet() (rested chan struct{}, err error) {
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
	if !l.syncing && l.due() {
		l.syncing = true
		l.startSync()
	}
	if l.rested == nil {
		l.rested = make(chan struct{})
	}
	return l.rested, nil
}
