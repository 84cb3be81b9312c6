package audit

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/api/client"
)

// notes is the queue of Note. Its lock is held for copying only.
type notes struct {
	mu      sync.Mutex
	waiting []client.AuditRecord
	most    int
	dropped int           // since the last drain
	wake    chan struct{} // capacity 1: wakes Run
}

func (n *notes) init(most int) { n.most, n.wake = most, make(chan struct{}, 1) }

func (n *notes) put(r client.AuditRecord) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) >= n.most {
		n.dropped++
		return false
	}
	n.waiting = append(n.waiting, r)
	n.notify()
	return true
}

// notify wakes Run.
func (n *notes) notify() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// drain returns the queued records; if records were dropped, the last one has their number.
func (n *notes) drain() []client.AuditRecord {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.waiting
	if n.dropped > 0 {
		list = append(list, client.AuditRecord{Time: list[len(list)-1].Time, Who: "-", What: "lost", Result: "lost",
			Detail: fmt.Sprintf("%d records like those before did not fit", n.dropped)})
	}
	n.waiting, n.dropped = nil, 0
	return list
}

// empty reports whether the queue is empty.
func (n *notes) empty() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.waiting) == 0
}

type counters struct{ written, failed, dropped, syncs atomic.Uint64 }

// Note queues a record. It does not block; if the queue is full the record is dropped and counted.
func (l *Log) Note(r client.AuditRecord) {
	if r.Time.IsZero() {
		r.Time = l.cfg.Now().UTC()
	}
	if !l.notes.put(r) {
		l.count.dropped.Add(1)
	}
}

// Counts returns the counters.
func (l *Log) Counts() Counts {
	return Counts{Written: l.count.written.Load(), Failed: l.count.failed.Load(), Dropped: l.count.dropped.Load(),
		Syncs: l.count.syncs.Load()}
}
