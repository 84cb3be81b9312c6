package netview

import "sync"

// Kind says which table a change is in.
type Kind uint8

// The kinds of rows.
const (
	KindSwitch Kind = iota
	KindLink
	KindHost
	KindRule
	KindMeter
	KindAlarm
	KindSettings
)

// String is "switch", "link", "host", "rule", "meter", "alarm" or "settings".
func (k Kind) String() string {
	return [...]string{"switch", "link", "host", "rule", "meter", "alarm", "settings"}[k]
}

// Change is one row that a transaction put or deleted. Exactly one of the pointers is set: the row as it is now, or, if
// Deleted, as it was last.
type Change struct {
	Revision Revision
	Kind     Kind
	Deleted  bool
	Switch   *Switch
	Link     *Link
	Host     *Host
	Rule     *Rule
	Meter    *Meter
	Alarm    *Alarm
	Settings *Settings
}

// changeLog is the bounded log of changes and the bell for those who wait. Its lock is held for copying only.
type changeLog struct {
	mu       sync.Mutex
	limits   Limits
	ring     []Change // has count changes from oldest on, and grows up to limits.Changes
	oldest   int      // where the oldest is
	count    int
	bytes    int           // that its rows take, about
	complete Revision      // every change after this revision is in the ring
	current  Revision      // of the view
	bell     chan struct{} // closed with the next revision; nil while nobody waits
}

// publish appends a transaction's changes; show makes its snapshot visible, before anybody is woken.
func (l *changeLog) publish(r Revision, changes []Change, show func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range changes {
		changes[i].Revision = r
		l.append(changes[i])
	}
	l.current = r
	show()
	if l.bell != nil {
		close(l.bell)
		l.bell = nil
	}
}

// append puts a change at the end. The oldest go where there is no room for all.
func (l *changeLog) append(c Change) {
	size := c.size()
	for l.count > 0 && (l.count == l.limits.Changes || l.bytes+size > l.limits.Bytes) {
		l.drop()
	}
	if l.count == len(l.ring) {
		l.grow()
	}
	l.ring[(l.oldest+l.count)%len(l.ring)] = c
	l.count++
	l.bytes += size
}

// drop takes the oldest change out.
func (l *changeLog) drop() {
	c := l.at(0)
	l.complete = c.Revision
	l.bytes -= c.size()
	*c = Change{}
	l.oldest = (l.oldest + 1) % len(l.ring)
	l.count--
}

// grow makes room in the ring.
func (l *changeLog) grow() {
	ring := make([]Change, min(max(2*len(l.ring), 64), l.limits.Changes))
	for i := range l.count {
		ring[i] = *l.at(i)
	}
	l.ring, l.oldest = ring, 0
}

// What a row takes, in bytes, about.
const (
	rowBytes  = 256
	portBytes = 128
)

// size is what the row of a change takes. What rows share is counted with each.
func (c *Change) size() int {
	switch {
	case c.Switch != nil:
		return rowBytes + portBytes*len(c.Switch.Ports)
	case c.Alarm != nil:
		return rowBytes + len(c.Alarm.Text)
	}
	return rowBytes
}

// at is the i-th oldest change.
func (l *changeLog) at(i int) *Change { return &l.ring[(l.oldest+i)%len(l.ring)] }

// first is the index, among the oldest, of the first change after the revision.
func (l *changeLog) first(after Revision) int {
	low, high := 0, l.count
	for low < high {
		if mid := (low + high) / 2; l.at(mid).Revision <= after {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Changed returns a channel that is closed as soon as the view's revision is greater than after.
func (v *View) Changed(after Revision) <-chan struct{} {
	l := &v.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current > after {
		return closed
	}
	if l.bell == nil {
		l.bell = make(chan struct{})
	}
	return l.bell
}

// Changes returns the changes after a revision in their order, and the revision up to which they are complete: ask again
// from there. Transactions are returned whole; after the first one no more are begun once limit changes are exceeded.
// If ok is false the log does not reach back that far (or the revision is of the future): take a Snapshot and continue
// from its revision.
func (v *View) Changes(after Revision, limit int) (cs []Change, upto Revision, ok bool) {
	cs, upto, _, ok = v.Follow(after, limit)
	return cs, upto, ok
}

// Follow is Changes together with the view as it is at that moment: where upto is the snapshot's revision, the changes name all rows
// in which it differs from the one before.
func (v *View) Follow(after Revision, limit int) (cs []Change, upto Revision, snap *Snapshot, ok bool) {
	l := &v.log
	l.mu.Lock()
	defer l.mu.Unlock()
	snap = v.current.Load()
	if after < l.complete || after > l.current {
		return nil, after, snap, false
	}
	begin := l.first(after)
	end := min(begin+max(limit, 1), l.count)
	if end == l.count {
		return l.copy(begin, end), l.current, snap, true
	}
	upto = l.at(end - 1).Revision
	if l.at(end).Revision == upto { // cut inside a transaction: leave it out, or take it whole if it is the first
		if l.at(begin).Revision != upto {
			upto--
		}
		end = l.first(upto)
	}
	return l.copy(begin, end), upto, snap, true
}

func (l *changeLog) copy(begin, end int) []Change {
	if begin == end {
		return nil
	}
	cs := make([]Change, 0, end-begin)
	for i := begin; i < end; i++ {
		cs = append(cs, *l.at(i))
	}
	return cs
}
