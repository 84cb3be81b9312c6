package journal

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/weirnet/weir/store"
)

// takeRevision takes one transaction of the writer: its row, perhaps a new block, and blocks that were merged. What a merge
// has dropped follows from the numbers of the blocks that it replaced.
func (f *Follower) takeRevision(at store.Revision, events []store.Event) error {
	var row *store.Pair
	var changes []blockChange
	for i := range events {
		e := &events[i]
		if bytes.Equal(e.Pair.Key, f.place.writerKey()) {
			if row = &e.Pair; e.Deleted {
				return fmt.Errorf("%w: the row of its writer is gone", errGap)
			}
		} else if seq, is := f.place.seqOf(e.Pair.Key); is {
			c := blockChange{seq: seq, value: e.Pair.Value}
			if c.slot, c.known = f.slots[seq]; e.Deleted {
				c.value = nil
			} else if c.value == nil {
				c.value = []byte{}
			}
			changes = append(changes, c)
		}
	}
	if row == nil && len(changes) == 0 {
		return nil // of another's
	} else if row == nil {
		return fmt.Errorf("%w: without the row of its writer", errGap)
	}
	next, err := parseRow(row)
	if err != nil {
		return err
	}
	slices.SortFunc(changes, func(a, b blockChange) int { return compare(a.seq, b.seq) })
	var added []byte
	if n := len(changes); n > 0 && !changes[n-1].known && changes[n-1].seq == f.row.seq+1 {
		if added, changes = changes[n-1].value, changes[:n-1]; added == nil {
			return errGap
		}
	}
	want := f.row.seq
	if added != nil {
		want++
	}
	if next.commits != f.row.commits+1 || next.term < f.row.term || next.seq != want {
		return fmt.Errorf("%w: transaction %d of term %d, block %d, after %d of term %d, block %d", errGap,
			next.commits, next.term, next.seq, f.row.commits, f.row.term, f.row.seq)
	}
	merges, err := f.mergesOf(changes)
	if err != nil {
		return err
	}
	if added != nil {
		if err := walk(added, func(Record, int, int) {}); err != nil {
			return err
		}
	}
	f.applyMerges(merges, at)
	f.row = next
	if added == nil {
		return nil
	}
	f.log.add(next.seq, at, added)
	slot := f.log.last - 1
	f.slots[next.seq] = slot
	f.setPuts(slot, added)
	records(added, func(r Record, _, _ int) {
		if err == nil {
			err = f.sink.Take(r)
		}
	})
	if err != nil {
		return errSink{err}
	}
	return nil
}

// blockChange is a block that was written, or deleted.
type blockChange struct {
	seq   uint64
	known bool   // it was there before
	slot  uint32 // if it was
	value []byte // nil: deleted
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// mergesOf finds the merges that have changed blocks, in the order of their numbers. A block that was deleted was merged
// into the one before it that was written: or had nothing live, which is the same.
func (f *Follower) mergesOf(changes []blockChange) (merges []merge, err error) {
	for i, c := range changes {
		if !c.known || i > 0 && changes[i-1].seq == c.seq {
			return nil, fmt.Errorf("%w: block %d", errGap, c.seq)
		}
		if c.value != nil || len(merges) == 0 {
			merges = append(merges, merge{value: c.value})
		}
		m := &merges[len(merges)-1]
		m.run = append(m.run, c.slot)
	}
	for i := range merges {
		if err := f.readMerge(&merges[i]); err != nil {
			return nil, err
		}
	}
	return merges, nil
}

// readMerge finds what a merge has kept, and what it has dropped. It has kept what was the newest of a number, all of it. That
// it has not changed the bytes that it moved, whose number and size are right, is not looked at.
func (f *Follower) readMerge(m *merge) error {
	l := f.log
	live := 0
	in, puts, seen := make(map[uint32]bool, len(m.run)), make(map[uint32]int), make(map[uint32]bool)
	for _, slot := range m.run {
		in[slot] = true
		live += l.blocks[slot].live
		for _, number := range f.puts[slot] {
			puts[number]++
		}
	}
	whole := true
	if m.value != nil {
		err := walk(m.value, func(r Record, at, size int) {
			e := l.numbers.get(r.Number)
			if e == nil || !in[e.slot-1] || e.withdrawn() != r.Delete || int(e.size) != size || seen[r.Number] {
				whole = false
				return
			}
			seen[r.Number] = true
			live -= size
			m.kept = append(m.kept, movedRecord{r.Number, uint32(at), uint32(size)})
			if !r.Delete {
				puts[r.Number]--
			}
		})
		if err != nil {
			return err
		}
	}
	if !whole || live != 0 {
		return fmt.Errorf("%w: a merge of %d blocks has not what was newest in them", errGap, len(m.run))
	}
	for number, n := range puts {
		for ; n > 0; n-- {
			m.stale = append(m.stale, number)
		}
	}
	slices.Sort(m.stale)
	return nil
}

// applyMerges does what the writer has done with its log.
func (f *Follower) applyMerges(merges []merge, at store.Revision) {
	if len(merges) == 0 {
		return
	}
	for i := range merges {
		m := &merges[i]
		for k, slot := range m.run {
			f.puts[slot] = nil
			if k > 0 || m.value == nil {
				delete(f.slots, f.log.blocks[slot].seq)
			}
		}
		f.log.move(m, at)
		if m.value != nil {
			f.setPuts(m.run[0], m.value)
		}
	}
	for i := range merges {
		for _, number := range merges[i].stale {
			f.log.dropStale(number)
		}
	}
	f.log.small = f.log.countSmall()
	f.log.pruneSparse()
}
