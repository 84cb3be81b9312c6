package journal

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/trace"
)

// intake is what Append and Stats share with the goroutine that commits: the waiting records, why new ones are
// refused, and the counters. It is safe for concurrent use, and calls no done: what it takes out of the queue
// is its caller's to answer.
type intake struct {
	most int // bytes that wait
	now  func() time.Time

	mu        sync.Mutex
	queue     queue
	closed    error // the journal has ended, or ends
	fullUntil time.Time
	stuck     error // why the outcome of the transaction in flight is unknown: the error of new Appends
	stats     Stats
}

// add queues records of that size, all or none.
func (i *intake) add(recs []Record, size int, done func(store.Revision, error)) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.admit(size); err != nil {
		return err
	}
	q := &i.queue
	q.compact()
	for n := range recs {
		q.bytes = recs[n].append(q.bytes)
	}
	q.groups = append(q.groups, group{len(q.bytes), done})
	trace.At(trace.Queued)
	return nil
}

// admit returns an error if the queue has no room for so many bytes. mu is held.
func (i *intake) admit(size int) error {
	switch {
	case i.closed != nil:
		return i.closed
	case !i.fullUntil.IsZero() && i.now().Before(i.fullUntil):
		return store.ErrFull
	case i.stuck != nil:
		return i.stuck
	case i.queue.waiting()+size > i.most && i.queue.waiting() > 0:
		i.stats.Refused++
		return fmt.Errorf("%w: %d bytes, and at most %d may", ErrOverload, i.queue.waiting(), i.most)
	}
	return nil
}

// take returns the waiting records, about so many bytes of them, as a block's content, and whose they are.
func (i *intake) take(most int) (content []byte, size int, groups []group) {
	i.mu.Lock()
	defer i.mu.Unlock()
	records, taken := i.queue.take(most)
	if len(taken) == 0 {
		return nil, 0, nil
	}
	content = append(make([]byte, 0, len(records)+blockHead+blockTail), blockFormat)
	content = seal(append(content, records...))
	groups = slices.Clone(taken)
	clear(taken)
	return content, len(records), groups
}

// waiting reports whether records wait.
func (i *intake) waiting() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.queue.first < len(i.queue.groups)
}

// ended reports whether it is closed, and nothing waits.
func (i *intake) ended() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.closed != nil && i.queue.first == len(i.queue.groups)
}

// reject returns the waiting groups, all of which fail, and refuses new ones until the outcome of
// the transaction in flight is known (committed, fail).
func (i *intake) reject(err error) []group {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stuck = err
	groups := i.queue.drain()
	i.stats.Failed += uint64(len(groups))
	return groups
}

// fail counts groups that failed with the outcome of their transaction. If the store is full the waiting ones
// fail too, and new ones for a while. It returns all that fail.
func (i *intake) fail(groups []group, err error) []group {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stuck = nil
	if errors.Is(err, store.ErrFull) {
		i.fullUntil = i.now().Add(fullFor)
		groups = append(groups, i.queue.drain()...)
	}
	i.stats.Failed += uint64(len(groups))
	return groups
}

// close refuses new records from now on, with the first error that it is closed with.
func (i *intake) close(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed == nil {
		i.closed = err
	}
}

// end closes it, and returns the groups of the transaction in flight and the waiting ones, all of which fail.
func (i *intake) end(err error, groups []group) []group {
	i.close(err)
	i.mu.Lock()
	defer i.mu.Unlock()
	groups = append(groups, i.queue.drain()...)
	i.stats.Failed += uint64(len(groups))
	return groups
}

// committed counts a transaction whose outcome is known: it is done.
func (i *intake) committed(f *inflightTxn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stuck = nil
	f.addTo(&i.stats)
}

// count changes counters.
func (i *intake) count(f func(*Stats)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f(&i.stats)
}

// statistics returns the counters.
func (i *intake) statistics() Stats {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.stats
	s.Waiting, s.WaitingMax = i.queue.waiting(), i.most
	return s
}
