package api

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

const (
	// A change waits for others, so that many streams do not slow its writers: coalesceEach for
	// each stream, at most maxCoalesce.
	coalesceEach = 250 * time.Microsecond
	maxCoalesce  = 250 * time.Millisecond
)

// source is what events are made of.
type source struct {
	instance  string // whose alarms they are
	view      *netview.View
	intents   intents.Engine // nil: there are none
	members   func() []client.Member
	revisions *revision.Clock
	encoded   prometheus.Counter // events that were encoded
}

// feed is what streams are sent: each event encoded once, in blocks that all share. It has no
// goroutine: one of the streams that wait leads, that is, looks for changes and encodes them. The
// last blocks are kept, as many bytes of them as it has room for; a stream further behind gets reset and a snapshot.
// Without streams it is empty.
type feed struct {
	from              *source
	most              int           // bytes of blocks that are kept
	leader            chan struct{} // has room for who leads
	snapshots         snapshotCache
	maxCachedSnapshot int // maxCachedSnapshotBytes, but in tests

	encode sync.Mutex // held by who moves the feed on

	mu         sync.Mutex        // guards what follows; held for moments
	at         revision.Position // everything up to here is in blocks
	members    []client.Member
	blocks     []*block
	first      uint64 // number of blocks[0]
	bytes      int
	blockAdded chan struct{} // closed when a block comes; nil: nobody waits
	streams    int
}

func newFeed(from *source, most int) *feed {
	return &feed{from: from, most: most, leader: make(chan struct{}, 1), maxCachedSnapshot: maxCachedSnapshotBytes}
}

// join is called before the first use by a stream, and leave after the last.
func (f *feed) join() {
	members := f.from.members()
	f.encode.Lock()
	defer f.encode.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams++; f.streams == 1 {
		f.at, f.members = f.from.revisions.Now(), members
	}
}

func (f *feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams--; f.streams == 0 {
		f.drop()
		f.snapshots.drop()
	}
}

// drop forgets all blocks: a stream that has not had them is behind. mu is held.
func (f *feed) drop() {
	f.first += uint64(len(f.blocks)) + 1
	f.blocks, f.bytes = nil, 0
}

// advance encodes what has changed; encode is held.
func (f *feed) advance() {
	before, now := f.members, f.from.members()
	e := &encoder{from: f.from, kinds: allKinds, last: true, at: f.at, out: f.add}
	to := f.from.revisions.Now()
	ok := e.changes(to)
	e.members(before, now)
	e.seal()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at, f.members = to, now; !ok {
		f.drop()
		f.wakeWaiters()
	}
}

// add puts a block at the end, and the oldest out.
func (f *feed) add(b *block) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocks = append(f.blocks, b)
	for f.bytes += len(b.bytes); f.bytes > f.most && len(f.blocks) > 1; f.first++ {
		f.bytes -= len(f.blocks[0].bytes)
		f.blocks[0] = nil
		f.blocks = f.blocks[1:]
	}
	f.wakeWaiters()
}

func (f *feed) wakeWaiters() {
	if f.blockAdded != nil {
		close(f.blockAdded)
		f.blockAdded = nil
	}
}

// next returns some blocks from a number on; false where they are no longer there.
func (f *feed) next(number uint64) ([]*block, bool) {
	const together = 4
	f.mu.Lock()
	defer f.mu.Unlock()
	if number < f.first {
		return nil, false
	}
	from := number - f.first
	return f.blocks[from:min(int(from)+together, len(f.blocks))], true
}

// blockAvailable returns a channel that is closed as soon as there is a block of that number, or
// none before it any more.
func (f *feed) blockAvailable(number uint64) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if number < f.first+uint64(len(f.blocks)) {
		return closedChannel
	}
	if f.blockAdded == nil {
		f.blockAdded = make(chan struct{})
	}
	return f.blockAdded
}

var closedChannel = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// end returns the feed's position, and the number of the next block. It does not move while encode
// is held.
func (f *feed) end() (revision.Position, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at, f.first + uint64(len(f.blocks))
}

// latest encodes what has changed, and returns the feed's position then, the number of the next
// block, and the members.
func (f *feed) latest() (revision.Position, uint64, []client.Member) {
	f.encode.Lock()
	defer f.encode.Unlock()
	f.advance()
	at, next := f.end()
	return at, next, f.members
}

// coalesceTime returns how long a change waits for others.
func (f *feed) coalesceTime() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return min(time.Duration(f.streams)*coalesceEach, maxCoalesce)
}
