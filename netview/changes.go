package netview

import (
	"sync"

	"github.com/weirnet/weir/changelog"
)

// Kind is the table that a change is in.
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

// Change is one row that a transaction put or deleted. Exactly one of the pointers is set: the row
// as it is now, or, if Deleted, as it was last.
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

// changeLog is the bounded log of changes. Its lock is held for copying only.
type changeLog struct {
	mu sync.Mutex
	changelog.Log[Revision, Change]
}

func newChangeLog(limits Limits) changelog.Log[Revision, Change] {
	return changelog.New(limits.Changes, limits.Bytes, func(c *Change) Revision { return c.Revision }, (*Change).size)
}

// publish appends a transaction's changes; show makes its snapshot visible, before anybody is
// woken.
func (l *changeLog) publish(r Revision, changes []Change, show func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range changes {
		changes[i].Revision = r
		l.Append(changes[i])
	}
	l.Current = r
	show()
	l.Wake()
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

// Changed returns a channel that is closed as soon as the view's revision is greater than after.
func (v *View) Changed(after Revision) <-chan struct{} {
	l := &v.log
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Log.Changed(after)
}

// Changes returns the changes after a revision in their order, and the revision up to which they
// are complete: ask again from there. Transactions are returned whole; after the first one no more
// are begun once limit changes are exceeded. If ok is false the log does not reach back that far
// (or the revision is of the future): take a Snapshot and continue from its revision.
func (v *View) Changes(after Revision, limit int) (cs []Change, upto Revision, ok bool) {
	cs, upto, _, ok = v.Follow(after, limit)
	return cs, upto, ok
}

// Follow is Changes together with the view as it is at that moment: where upto is the snapshot's
// revision, the changes name all rows in which it differs from the one before.
func (v *View) Follow(after Revision, limit int) (cs []Change, upto Revision, snap *Snapshot, ok bool) {
	l := &v.log
	l.mu.Lock()
	defer l.mu.Unlock()
	snap = v.current.Load()
	if !l.Reaches(after) {
		return nil, after, snap, false
	}
	begin := l.First(after)
	end := min(begin+max(limit, 1), l.Len())
	if end == l.Len() {
		return l.copy(begin, end), l.Current, snap, true
	}
	upto = l.At(end - 1).Revision
	if l.At(end).Revision == upto { // cut inside a transaction: leave it out, or take it whole if it is the first
		if l.At(begin).Revision != upto {
			upto--
		}
		end = l.First(upto)
	}
	return l.copy(begin, end), upto, snap, true
}

func (l *changeLog) copy(begin, end int) []Change {
	if begin == end {
		return nil
	}
	cs := make([]Change, 0, end-begin)
	for i := begin; i < end; i++ {
		cs = append(cs, *l.At(i))
	}
	return cs
}
