package journal

import "github.com/weirnet/weir/store"

// block is one block of the log. Sizes are of its records, in bytes.
type block struct {
	seq        uint64
	mod        store.Revision
	size, live int
	prev, next uint32 // slots, plus one; in the order of seq
	queued     bool   // in log.sparse
	planned    bool   // in a merge in progress
}

// log indexes the blocks and the numbers in them: enough to know at any time which bytes of a block
// are live.
type log struct {
	blocks      []block
	free        []uint32 // slots of blocks
	first, last uint32   // slots, plus one
	count       int
	small       int      // number of consecutive small blocks at the end
	sparse      []uint32 // slots of blocks that may be worth merging, or empty; may be stale
	numbers     table
	size, live  int64 // bytes of all blocks
}

func newLog() *log { return &log{numbers: newTable()} }

// Blocks are merged to about mergedSize; those below smallSize are merged when smallRun of them are
// consecutive.
const (
	mergedSize = 64 << 10
	smallSize  = 4 << 10
	smallRun   = 16
)

// push adds a block at the end, and returns its slot.
func (l *log) push(seq uint64, mod store.Revision) uint32 {
	var slot uint32
	if n := len(l.free); n > 0 {
		slot, l.free = l.free[n-1], l.free[:n-1]
	} else {
		slot = uint32(len(l.blocks))
		l.blocks = append(l.blocks, block{})
	}
	l.blocks[slot] = block{seq: seq, mod: mod, prev: l.last}
	if l.last == 0 {
		l.first = slot + 1
	} else {
		l.blocks[l.last-1].next = slot + 1
	}
	l.last = slot + 1
	l.count++
	return slot
}

// remove drops a block.
func (l *log) remove(slot uint32) {
	b := &l.blocks[slot]
	if b.prev == 0 {
		l.first = b.next
	} else {
		l.blocks[b.prev-1].next = b.next
	}
	if b.next == 0 {
		l.last = b.prev
	} else {
		l.blocks[b.next-1].prev = b.prev
	}
	l.size -= int64(b.size)
	l.live -= int64(b.live)
	l.count--
	*b = block{}
	l.free = append(l.free, slot)
}

// addLive counts a record's bytes in a block as live.
func (l *log) addLive(slot uint32, size int) {
	l.blocks[slot].size += size
	l.blocks[slot].live += size
	l.size += int64(size)
	l.live += int64(size)
}

// markDead counts bytes of a block as dead, and queues it when it has become worth merging.
func (l *log) markDead(slot uint32, size uint32) {
	b := &l.blocks[slot]
	b.live -= int(size)
	l.live -= int64(size)
	l.consider(slot)
}

func (b *block) isSparse() bool { return 2*b.live < b.size || b.live == 0 }

func (l *log) consider(slot uint32) {
	if b := &l.blocks[slot]; !b.queued && b.isSparse() {
		b.queued = true
		l.sparse = append(l.sparse, slot)
	}
}

// pruneSparse drops what is stale of sparse, where that has come to be much: nobody takes from it while a journal is only
// followed.
func (l *log) pruneSparse() {
	if len(l.sparse) <= 64+2*l.count {
		return
	}
	kept := l.sparse[:0]
	for _, slot := range l.sparse {
		if b := &l.blocks[slot]; b.queued {
			if b.queued = false; b.isSparse() {
				kept = append(kept, slot)
			}
		}
	}
	for _, slot := range kept {
		l.blocks[slot].queued = true
	}
	l.sparse = kept
}

// addRecord indexes a record in the newest block.
func (l *log) addRecord(slot uint32, r *Record, at, size int) {
	l.addLive(slot, size)
	e := l.numbers.get(r.Number)
	if e == nil {
		if r.Delete { // nothing to withdraw
			l.markDead(slot, uint32(size))
			return
		}
		l.numbers.live++
		*l.numbers.set(r.Number) = location{slot: slot + 1, at: uint32(at), size: uint32(size)}
		return
	}
	ghosts := e.older &^ 1
	if !e.withdrawn() {
		ghosts += 2
		l.numbers.live--
	}
	was := *e
	if r.Delete {
		ghosts |= 1
	} else {
		l.numbers.live++
	}
	*e = location{slot: slot + 1, at: uint32(at), size: uint32(size), older: ghosts}
	l.markDead(was.slot-1, was.size)
}

// isNewest reports whether the record at an offset in a block is its number's newest.
func (l *log) isNewest(slot uint32, number uint32, at int) bool {
	e := l.numbers.get(number)
	return e != nil && e.slot == slot+1 && e.at == uint32(at)
}

// dropStale counts the removal of a record that is not its number's newest. A withdrawal without a
// record left to withdraw becomes dead.
func (l *log) dropStale(number uint32) {
	e := l.numbers.get(number)
	if e.older -= 2; e.older == 1 {
		was := *e
		l.numbers.drop(number)
		l.markDead(was.slot-1, was.size)
	}
}

// worthMerging reports whether blocks may be worth merging.
func (l *log) worthMerging() bool { return len(l.sparse) > 0 || l.small >= smallRun }

// sparseTogether is how many small sparse blocks accumulate while records arrive: neighbours are
// read and deleted together.
const sparseTogether = 16

// due reports whether merging must not wait until no records arrive.
func (l *log) due() bool {
	if l.small >= smallRun || len(l.sparse) >= sparseTogether {
		return true
	}
	size := 0
	for _, slot := range l.sparse {
		size += l.blocks[slot].size
	}
	return size >= mergedSize
}

// add indexes a written block.
func (l *log) add(seq uint64, mod store.Revision, value []byte) {
	slot := l.push(seq, mod)
	records(value, func(r Record, at, size int) { l.addRecord(slot, &r, at, size) })
	l.consider(slot) // nothing may be live in it
	if l.blocks[slot].size < smallSize {
		l.small++
	} else {
		l.small = 0
	}
}
