package topology

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
)

// Source owns the map of a view. Whoever chooses paths follows the view through the one source of an
// instance, so that all have the same map, with the distances that any of them has computed. Its methods
// may be called from any goroutine.
type Source struct {
	view *netview.View
	mu   sync.Mutex // held while the next map is made
	now  atomic.Pointer[moment]
}

// moment is a map and the snapshot that it is of.
type moment struct {
	snap *netview.Snapshot
	m    *Map
}

// NewSource returns the source of the maps of a view. A view has one.
func NewSource(view *netview.View) *Source { return &Source{view: view} }

// Map returns the newest map that was made; nil before the first. It is that of the newest update that
// any follower has had: who asks for a path has the map by which others move theirs at this moment.
func (s *Source) Map() *Map {
	if at := s.now.Load(); at != nil {
		return at.m
	}
	return nil
}

// Latest returns the map of the view as it is now.
func (s *Source) Latest() *Map {
	if at := s.now.Load(); at != nil && at.snap.Revision() == s.view.Snapshot().Revision() {
		return at.m
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.advance(s.view.Snapshot(), nil, 0)
}

// advance makes the map of a snapshot that is not older than the last one; changes are all after a
// revision, if there are any. s.mu is held.
func (s *Source) advance(snap *netview.Snapshot, changes []netview.Change, after netview.Revision) *Map {
	last := s.now.Load()
	if last == nil {
		return s.publish(snap, Build(snap))
	}
	m, done := last.m, last.snap.Revision()
	if len(changes) > 0 && done == after {
		return s.publish(snap, m.Next(snap, changes))
	}
	for done < snap.Revision() {
		own, upto, ok := s.view.Changes(done, changesAtOnce)
		if !ok {
			return s.publish(snap, Build(snap))
		}
		// Next reads of each change which link or switch it is, and the rest from the snapshot: changes
		// after that do no harm.
		m, done = m.Next(snap, own), upto
	}
	return s.publish(snap, m)
}

// changesAtOnce is how many changes of a view are copied at a time.
const changesAtOnce = 4096

func (s *Source) publish(snap *netview.Snapshot, m *Map) *Map {
	s.now.Store(&moment{snap, m})
	return m
}

// Update is what has changed in a network, and how it is now.
type Update struct {
	Changes []netview.Change
	Reset   bool // the changes are not known: everything may have changed
	// Upto is the revision up to which the changes are complete. Snap may be newer, and have more.
	Upto netview.Revision
	Snap *netview.Snapshot
	Map  *Map // of Snap
}

// Whole reports whether the changes name all rows in which the snapshot differs from the one before.
func (u *Update) Whole() bool { return !u.Reset && u.Upto == u.Snap.Revision() }

// Follower takes the updates of a source, one after the other. One goroutine owns it.
type Follower struct {
	source *Source
	rev    netview.Revision
	begun  bool
}

// Follow returns a follower. Its first update is a reset.
func (s *Source) Follow() *Follower { return &Follower{source: s} }

// Behind reports whether there is an update.
func (f *Follower) Behind() bool { return !f.begun || f.source.view.Snapshot().Revision() != f.rev }

// Changed returns a channel that is closed as soon as there is an update.
func (f *Follower) Changed() <-chan struct{} { return f.source.view.Changed(f.rev) }

// Next returns the next update, with about as many changes as said, or fewer. Without any it returns the
// network as it is.
func (f *Follower) Next(most int) Update {
	s := f.source
	s.mu.Lock() // first, so that snapshots come in their order
	defer s.mu.Unlock()
	if !f.begun {
		most = 1
	}
	changes, upto, snap, ok := s.view.Follow(f.rev, most)
	u := Update{Changes: changes, Upto: upto, Snap: snap}
	if !ok || !f.begun {
		u.Changes, u.Upto, u.Reset = nil, snap.Revision(), true
	}
	if u.Whole() {
		u.Map = s.advance(snap, changes, f.rev)
	} else {
		u.Map = s.advance(snap, nil, 0)
	}
	f.rev, f.begun = u.Upto, true
	return u
}
