package api

import "sync"

// shotBytes is the longest snapshot that is kept for others.
const shotBytes = 32 << 20

// shots are snapshots that streams were sent, kept while the feed goes on from them: a thousand streams that ask together are sent one.
type shots struct {
	making sync.Mutex // held by who makes one
	mu     sync.Mutex
	kept   map[kindSet]*shot
}

// shot is a snapshot, and the number of the block that comes after it.
type shot struct {
	blocks []*block
	at     position
	next   uint64
}

func (k *shots) drop() {
	k.mu.Lock()
	k.kept = nil
	k.mu.Unlock()
}

// snapshot sends a snapshot of the kinds block by block, and returns where to go on. more is asked between two parts of a new one, and false ends it.
func (f *feed) snapshot(kinds kindSet, send func(*block), more func() bool) (position, uint64) {
	f.shots.making.Lock()
	old := f.shots.get(kinds)
	if _, there := f.nextOf(old); there {
		f.shots.making.Unlock()
		for _, b := range old.blocks {
			if !more() {
				break
			}
			send(b)
		}
		return old.at, old.next
	}
	if n := f.s.intentCount(); kinds&kindOf("intent") != 0 && n*intentBytes > shotBytes {
		f.shots.making.Unlock()
		return f.take(kinds, send, more) // too long to be kept: encoded as it is sent
	}
	var blocks []*block
	at, next := f.take(kinds, func(b *block) { blocks = append(blocks, b) }, func() bool { return true })
	f.shots.put(kinds, &shot{blocks, at, next})
	f.shots.making.Unlock()
	for _, b := range blocks {
		if !more() {
			break
		}
		send(b)
	}
	return at, next
}

// intentBytes is about how long the event of an intent is.
const intentBytes = 400

func (s *Server) intentCount() (n int) {
	if s.cfg.Intents == nil {
		return 0
	}
	for _, count := range s.cfg.Intents.Counts().ByState {
		n += count
	}
	return n
}

// take makes a snapshot.
func (f *feed) take(kinds kindSet, send func(*block), more func() bool) (position, uint64) {
	f.encode.Lock()
	f.advanceLocked()
	at, next := f.end()
	members := f.members
	f.encode.Unlock()
	e := &encoder{s: f.s, kinds: kinds, at: at, out: send}
	e.snapshot(members, more)
	return at, next
}

func (k *shots) get(kinds kindSet) *shot {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[kinds]
}

func (k *shots) put(kinds kindSet, s *shot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= 4 {
		k.kept = make(map[kindSet]*shot)
	}
	k.kept[kinds] = s
}

// nextOf reports whether the feed goes on from a shot.
func (f *feed) nextOf(s *shot) ([]*block, bool) {
	if s == nil {
		return nil, false
	}
	return f.next(s.next)
}
