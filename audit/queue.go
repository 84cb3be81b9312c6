package audit

import (
	"slices"
	"sync"
	"sync/atomic"
)

// waitingBytes limits the records that wait for a disk that does not answer.
const waitingBytes = 4 << 20

// batch is records that are written together.
type batch struct {
	lines           []byte
	records         int
	probe           bool          // contains the record of probe
	wanted          bool          // a caller waits for its fsync; guarded by the queue's lock
	written, synced chan struct{} // closed when it is in the file, or failed; when it is fsynced, or failed
	notWritten      error         // read after written is closed
	notSynced       error         // read after synced is closed
}

// queue has the batches on their way to the disk: one that collects records, one with the writer, those that are
// written, those with who fsyncs. At most one writer and one fsync run at a time: its methods say when to
// start one, and who has none to do is none any more.
type queue struct {
	begun atomic.Int64 // records of Begin whose synced was not called yet

	mu       sync.Mutex
	next     *batch        // collects records; nil: none
	unsynced []*batch      // written since the last fsync began
	writing  bool          // a writer runs
	syncing  bool          // an fsync runs
	idle     chan struct{} // closed when either has ended; nil without waiters
}

// add adds a line (nil: none) to the next batch; b is nil where too much waits. A probe is a record that
// tests the log.
func (q *queue) add(line []byte, probe bool) (b *batch, startWriter bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b = q.next
	if b == nil {
		b = &batch{written: make(chan struct{}), synced: make(chan struct{})}
		q.next = b
	}
	if len(b.lines) > waitingBytes {
		return nil, false
	}
	if line != nil {
		b.lines = append(append(b.lines, line...), '\n')
		b.records++
		b.probe = b.probe || probe
	}
	startWriter = !q.writing
	q.writing = true
	return b, startWriter
}

// toWrite returns the batch to write next; nil without one: then the caller is no longer the
// writer.
func (q *queue) toWrite() *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.next
	q.next = nil
	if q.writing = b != nil; !q.writing {
		q.signalIdle()
	}
	return b
}

// written takes a batch that is in the file.
func (q *queue) written(b *batch) (startSync bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unsynced = append(q.unsynced, b)
	return q.syncIfDue()
}

// want requests the fsync of a batch as soon as it is written.
func (q *queue) want(b *batch) (startSync bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b.wanted = true
	return q.syncIfDue()
}

// syncIfDue has an fsync started, unless one runs. mu is held.
func (q *queue) syncIfDue() (start bool) {
	start = !q.syncing && q.due()
	q.syncing = q.syncing || start
	return start
}

// due reports whether written batches are to be fsynced: a caller waits for it, or nothing else is
// open. mu is held.
func (q *queue) due() bool {
	if len(q.unsynced) == 0 {
		return false
	}
	return q.begun.Load() <= 1 || slices.ContainsFunc(q.unsynced, func(b *batch) bool { return b.wanted })
}

// toSync returns the batches to fsync next; none: then the caller no longer fsyncs.
func (q *queue) toSync() (list []*batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.syncing = q.due(); q.syncing {
		list, q.unsynced = q.unsynced, nil
	} else {
		q.signalIdle()
	}
	return list
}

// signalIdle tells who waits in whenIdle that the writer, or the fsync, has ended. mu is held.
func (q *queue) signalIdle() {
	if q.idle != nil {
		close(q.idle)
		q.idle = nil
	}
}

// busy reports whether anything is on its way.
func (q *queue) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.inFlight()
}

// inFlight is busy. mu is held.
func (q *queue) inFlight() bool {
	return q.next != nil || q.writing || len(q.unsynced) > 0 || q.syncing
}

// whenIdle closes the file while nothing is on its way, and nothing can come meanwhile; otherwise it requests the
// fsync, and returns a channel that is closed when that has ended.
func (q *queue) whenIdle(f *logFile) (rested chan struct{}, startSync bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.inFlight() {
		return nil, false, f.close()
	}
	for _, b := range q.unsynced {
		b.wanted = true
	}
	startSync = q.syncIfDue()
	if q.idle == nil {
		q.idle = make(chan struct{})
	}
	return q.idle, startSync, nil
}
