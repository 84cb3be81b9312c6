package changelog

import "sort"

// Log is a ring of the last changes. New makes one.
type Log[R ~uint64, T any] struct {
	Current R // revision of the state; the owner sets it, appends its changes, and calls Wake

	limit, room int
	revision    func(*T) R
	size        func(*T) int

	ring     []T // has count changes from oldest on, and grows up to limit
	oldest   int
	count    int
	bytes    int           // sum of the sizes
	complete R             // every change after this revision is in the ring
	watch    chan struct{} // closed by Wake; nil while nobody waits
}

// New returns a log of at most limit changes with sizes of at most room in sum. Revision returns
// the revision of a change, size its size.
func New[R ~uint64, T any](limit, room int, revision func(*T) R, size func(*T) int) Log[R, T] {
	return Log[R, T]{limit: limit, room: room, revision: revision, size: size}
}

// Append adds a change. The oldest are dropped where there is no room for all.
func (l *Log[R, T]) Append(change T) {
	if l.count == l.limit {
		l.drop()
	} else if l.count == len(l.ring) {
		l.grow()
	}
	l.count++
	at := l.At(l.count - 1) // &change would escape
	*at = change
	for l.bytes += l.size(at); l.count > 1 && l.bytes > l.room; {
		l.drop()
	}
}

// drop drops the oldest change.
func (l *Log[R, T]) drop() {
	c := l.At(0)
	l.complete = l.revision(c)
	l.bytes -= l.size(c)
	clear(l.ring[l.oldest : l.oldest+1])
	l.oldest = (l.oldest + 1) % len(l.ring)
	l.count--
}

// firstRoom is the length of the first ring.
const firstRoom = 64

func (l *Log[R, T]) grow() {
	ring := make([]T, min(max(2*len(l.ring), firstRoom), l.limit))
	for i := range l.count {
		ring[i] = *l.At(i)
	}
	l.ring, l.oldest = ring, 0
}

// Len is the number of changes.
func (l *Log[R, T]) Len() int { return l.count }

// At is the i-th oldest change.
func (l *Log[R, T]) At(i int) *T { return &l.ring[(l.oldest+i)%len(l.ring)] }

// First is the index of the first change after a revision.
func (l *Log[R, T]) First(after R) int {
	return sort.Search(l.count, func(i int) bool { return l.revision(l.At(i)) > after })
}

// Reaches reports whether the log has all changes after a revision.
func (l *Log[R, T]) Reaches(after R) bool { return after >= l.complete && after <= l.Current }

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Changed returns a channel that is closed as soon as Current is greater than after.
func (l *Log[R, T]) Changed(after R) <-chan struct{} {
	if l.Current > after {
		return closed
	}
	if l.watch == nil {
		l.watch = make(chan struct{})
	}
	return l.watch
}

// Wake wakes those who wait for a change.
func (l *Log[R, T]) Wake() {
	if l.watch != nil {
		close(l.watch)
		l.watch = nil
	}
}
