package api

import "sync"

import (
	"github.com/weirnet/weir/api/revision"
)

// maxCachedSnapshotBytes is the longest snapshot that is kept for others.
const maxCachedSnapshotBytes = 32 << 20

// snapshotCache are snapshots that streams were sent, kept while the feed goes on from them: a
// thousand streams that ask together are sent one.
type snapshotCache struct {
	making sync.Mutex // held by who makes one
	mu     sync.Mutex
	kept   map[kindSet]*cachedSnapshot
}

// cachedSnapshot is a snapshot, and the number of the block that comes after it.
type cachedSnapshot struct {
	blocks []*block
	at     revision.Position
	next   uint64
}

func (k *snapshotCache) drop() {
	k.mu.Lock()
	k.kept = nil
	k.mu.Unlock()
}

// snapshot sends a snapshot of the kinds block by block, and returns where to go on. more is asked
// between two parts of a new one, and false ends it.
func (f *feed) snapshot(kinds kindSet, send func(*block), more func() bool) (revision.Position, uint64) {
	f.snapshots.making.Lock()
	c := f.snapshots.get(kinds)
	if !f.goesOnFrom(c) {
		if f.from.snapshotRows(kinds)*eventBytes > f.maxCachedSnapshot {
			f.snapshots.making.Unlock()
			return f.buildSnapshot(kinds, send, more) // too long to be kept: encoded as it is sent
		}
		c = &cachedSnapshot{}
		c.at, c.next = f.buildSnapshot(kinds, func(b *block) { c.blocks = append(c.blocks, b) }, func() bool { return true })
		f.snapshots.put(kinds, c)
	}
	f.snapshots.making.Unlock()
	for _, b := range c.blocks {
		if !more() {
			break
		}
		send(b)
	}
	return c.at, c.next
}

// eventBytes is about how long the event of a row is.
const eventBytes = 400

// snapshotRows returns how many rows a snapshot has, about.
func (s *source) snapshotRows(kinds kindSet) (n int) {
	rows := s.view.Snapshot().Counts()
	if kinds&kindOf("host") != 0 {
		n += rows.Hosts
	}
	if kinds&kindOf("link") != 0 {
		n += rows.Links
	}
	if kinds&kindOf("switch") != 0 {
		n += rows.Switches
	}
	if s.intents != nil && kinds&kindOf("intent") != 0 {
		for _, count := range s.intents.Counts().ByState {
			n += count
		}
	}
	return n
}

// buildSnapshot makes a snapshot.
func (f *feed) buildSnapshot(kinds kindSet, send func(*block), more func() bool) (revision.Position, uint64) {
	at, next, members := f.latest()
	e := &encoder{from: f.from, kinds: kinds, at: at, out: send}
	e.snapshot(members, more)
	return at, next
}

func (k *snapshotCache) get(kinds kindSet) *cachedSnapshot {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[kinds]
}

func (k *snapshotCache) put(kinds kindSet, s *cachedSnapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= 4 {
		k.kept = make(map[kindSet]*cachedSnapshot)
	}
	k.kept[kinds] = s
}

// goesOnFrom reports whether the feed goes on from a snapshot, which may be nil.
func (f *feed) goesOnFrom(s *cachedSnapshot) bool {
	if s == nil {
		return false
	}
	_, there := f.next(s.next)
	return there
}
