package journal

import "github.com/weirnet/weir/store"

// block is one block of the log. Sizes are of its records, in bytes.
type block struct {
	seq        uint64
	mod        store.Revision
	size, live int
	prev, next uint32 // slots, plus one; in the order of seq
	queued     bool   // in log.sparse
	planned    bool   // in a merge that is under way
}

// log is what is known of the blocks and of the numbers in them: enough to say at any time what of a block is alive.
type log struct {
	blocks      []block
	free        []uint32 // slots of blocks
	first, last uint32   // slots, plus one
	count       int
	small       int      // blocks at the end, one after another, that are small
	sparse      []uint32 // slots of blocks that may be worth merging, or are empty; some are not any more
	numbers     table
	size, live  int64 // bytes of all blocks
}

func newLog() *log { return &log{numbers: newTable()} }

// Blocks are merged so that they are about mergedSize; those below smallSize are brought together when smallRun of them follow one
// another.
const (
	mergedSize = 64 << 10
	smallSize  = 4 << 10
	smallRun   = 16
)

// push adds a block behind all others, and returns its slot.
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

// remove forgets a block.
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

// grow counts a record's bytes in a block, alive.
func (l *log) grow(slot uint32, size int) {
	l.blocks[slot].size += size
	l.blocks[slot].live += size
	l.size += int64(size)
	l.live += int64(size)
}

// die counts bytes of a block as dead, and has it looked at when it has become worth it.
func (l *log) die(slot uint32, size uint32) {
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

// take counts a record that has come to be in the newest block.
func (l *log) take(slot uint32, r *Record, at, size int) {
	l.grow(slot, size)
	e := l.numbers.get(r.Number)
	if e == nil {
		if r.Delete { // of nothing
			l.die(slot, uint32(size))
			return
		}
		l.numbers.live++
		*l.numbers.set(r.Number) = place{slot: slot + 1, at: uint32(at), size: uint32(size)}
		return
	}
	ghosts := e.ghosts &^ 1
	if !e.gone() {
		ghosts += 2
		l.numbers.live--
	}
	was := *e
	if r.Delete {
		ghosts |= 1
	} else {
		l.numbers.live++
	}
	*e = place{slot: slot + 1, at: uint32(at), size: uint32(size), ghosts: ghosts}
	l.die(was.slot-1, was.size)
}

// alive says whether a record at a place in a block is its number's newest.
func (l *log) alive(slot uint32, number uint32, at int) bool {
	e := l.numbers.get(number)
	return e != nil && e.slot == slot+1 && e.at == uint32(at)
}

// bury counts a record that is not its number's newest and has left the log. A withdrawal that has nothing left to withdraw dies.
func (l *log) bury(number uint32) {
	e := l.numbers.get(number)
	if e.ghosts -= 2; e.ghosts == 1 {
		was := *e
		l.numbers.drop(number)
		l.die(was.slot-1, was.size)
	}
}
