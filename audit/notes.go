package audit

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/api/client"
)

// notes are the records that wait to be written. Its lock is held for copying only.
type notes struct {
	mu      sync.Mutex
	waiting []client.AuditRecord
	most    int
	lost    int           // since the last take
	bell    chan struct{} // has room for one: somebody is to write
}

func (n *notes) init(most int) { n.most, n.bell = most, make(chan struct{}, 1) }

func (n *notes) put(r client.AuditRecord) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) >= n.most {
		n.lost++
		return false
	}
	n.waiting = append(n.waiting, r)
	select {
	case n.bell <- struct{}{}:
	default:
	}
	return true
}

// take is what waits; where records were lost, the last one says how many.
func (n *notes) take() []client.AuditRecord {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.waiting
	if n.lost > 0 {
		list = append(list, client.AuditRecord{Time: list[len(list)-1].Time, Who: "-", What: "lost", Result: "lost",
			Detail: fmt.Sprintf("%d records like those before did not fit", n.lost)})
	}
	n.waiting, n.lost = nil, 0
	return list
}

// empty reports whether nothing waits.
func (n *notes) empty() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.waiting) == 0
}

type counters struct{ written, failed, dropped, syncs atomic.Uint64 }

// Note takes a record that is written soon. It does not block; where too many wait the record is dropped and counted.
func (l *Log) Note(r client.AuditRecord) {
	if r.Time.IsZero() {
		r.Time = l.cfg.Now().UTC()
	}
	if !l.notes.put(r) {
		l.count.dropped.Add(1)
	}
}

// Counts are what the log did.
func (l *Log) Counts() Counts {
	return Counts{Written: l.count.written.Load(), Failed: l.count.failed.Load(), Dropped: l.count.dropped.Load(), Syncs: l.count.syncs.Load()}
}
