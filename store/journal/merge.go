package journal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/store"
)

// merge replaces a run of neighbouring blocks by one, in place of the first, or by none.
type merge struct {
	run   []uint32 // slots
	value []byte   // nil: nothing of them is live
	kept  []movedRecord
	stale []uint32 // numbers of records that are not their newest, and are removed
}

// movedRecord is a record that a merge moves.
type movedRecord struct {
	number   uint32
	at, size uint32
}

const (
	runMax    = 32        // blocks of a run
	tailMax   = 128       // of one at the end
	mergesMax = 8         // runs of a transaction
	creditMax = 512 << 10 // bytes
)

// merger finds and reads what is worth merging. Its credit is what it may write: as much as came in.
type merger struct {
	place  *place
	log    *log
	unread time.Time // when merging resumes after a failed read; zero: not paused
	credit int       // bytes that it may write in addition to new records
}

// next returns when to merge blocks if no records arrive, of which the last came at a time; zero: there is
// nothing to merge.
func (m *merger) next(busy time.Time) time.Time {
	if !m.log.worthMerging() {
		return time.Time{}
	}
	at := busy.Add(quietFor)
	if m.unread.After(at) {
		return m.unread
	}
	return at
}

// merges returns the merges to do beside so many bytes of new records, or, idle, without any. An error is
// one of reading blocks: pause says that nothing is read for a while.
func (m *merger) merges(ctx context.Context, idle bool, added int, now time.Time, within time.Duration) ([]merge, error) {
	budget := mergedSize * 2 // idle: there is time
	if !idle {
		m.credit = min(m.credit+added, creditMax)
		budget = m.credit
	}
	if !m.log.worthMerging() || !idle && !m.log.due() || !m.unread.IsZero() && now.Before(m.unread) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	list, err := m.plan(ctx, budget)
	if err == nil {
		m.unread = time.Time{}
	}
	return list, err
}

// pause stops merging for a while, and returns the time.
func (m *merger) pause(now time.Time) time.Time {
	m.unread = now.Add(unreadFor)
	return now
}

// plan finds and reads blocks worth merging. budget bounds the bytes to write.
func (m *merger) plan(ctx context.Context, budget int) (merges []merge, err error) {
	for len(merges) < mergesMax && budget >= 0 {
		run, live := m.log.candidate(budget)
		if run == nil {
			break
		}
		one, err := m.read(ctx, run)
		if err != nil {
			m.log.unplan(run)
			return merges, err
		}
		budget -= live
		merges = append(merges, one)
	}
	return merges, nil
}

// read reads a run, and separates its newest records from the others.
func (m *merger) read(ctx context.Context, run []uint32) (of merge, err error) {
	l := m.log
	first, last := &l.blocks[run[0]], &l.blocks[run[len(run)-1]]
	from, to := m.place.blockKey(first.seq), store.After(m.place.blockKey(last.seq))
	q := store.Query{Span: store.Span{From: from, To: to}, Local: true}
	page, err := m.place.st.Range(ctx, q)
	if err != nil {
		return of, err
	}
	if len(page.Pairs) != len(run) {
		return of, fmt.Errorf("%w: %d blocks from %s on, want %d", ErrDamaged, len(page.Pairs), q.Span.From, len(run))
	}
	of.run = run
	value := []byte{blockFormat}
	for i, slot := range run {
		p := &page.Pairs[i]
		if p.Mod != l.blocks[slot].mod {
			return of, fmt.Errorf("%w: %s was changed at %d, want %d", ErrDamaged, p.Key, p.Mod, l.blocks[slot].mod)
		}
		err := walk(p.Value, func(r Record, at, size int) {
			switch {
			case l.isNewest(slot, r.Number, at):
				of.kept = append(of.kept, movedRecord{r.Number, uint32(len(value)), uint32(size)})
				value = append(value, p.Value[at:at+size]...)
			case !r.Delete:
				of.stale = append(of.stale, r.Number)
			}
		})
		if err != nil {
			return of, fmt.Errorf("%s: %w", p.Key, err)
		}
	}
	if len(of.kept) > 0 {
		of.value = seal(value)
	}
	return of, nil
}

// ops appends the operations of a merge.
func (m *merger) ops(of *merge, ops []store.Op) []store.Op {
	l := m.log
	from, last := of.run[0], of.run[len(of.run)-1]
	if of.value != nil {
		ops = append(ops, store.Put(m.place.blockKey(l.blocks[from].seq), of.value))
		if from == last {
			return ops
		}
		from = of.run[1]
	}
	to := store.After(m.place.blockKey(l.blocks[last].seq))
	return append(ops, store.Delete(store.Span{From: m.place.blockKey(l.blocks[from].seq), To: to}))
}

// move updates the index after a merge that was executed at a revision.
func (l *log) move(m *merge, rev store.Revision) {
	slot := m.run[0]
	rest := m.run
	if m.value != nil {
		rest = m.run[1:]
		b := &l.blocks[slot]
		l.size -= int64(b.size)
		l.live -= int64(b.live)
		b.size, b.live, b.mod, b.planned = 0, 0, rev, false
		for _, k := range m.kept {
			l.addLive(slot, int(k.size))
			e := l.numbers.get(k.number)
			e.slot, e.at = slot+1, k.at
		}
	}
	for _, s := range rest {
		if l.blocks[s].live > 0 && m.value != nil { // moved: counted at the new place
			l.live -= int64(l.blocks[s].live)
			l.blocks[s].live = 0
		}
		l.remove(s)
	}
}

// unplan cancels a merge.
func (l *log) unplan(run []uint32) {
	for _, slot := range run {
		l.blocks[slot].planned = false
		l.consider(slot)
	}
}

// candidate returns a run worth merging with at most budget live bytes, and marks its blocks as
// planned.
func (l *log) candidate(budget int) (run []uint32, live int) {
	for len(l.sparse) > 0 {
		slot := l.sparse[0]
		b := &l.blocks[slot]
		if b.seq == 0 || b.planned || !b.isSparse() {
			b.queued = false
			l.sparse = l.sparse[1:]
			continue
		}
		if b.live > budget {
			break
		}
		b.queued = false
		l.sparse = l.sparse[1:]
		return l.around(slot)
	}
	if l.small >= smallRun { // not limited by the credit: a block is small only a few times
		return l.tail()
	}
	return nil, 0
}

// around returns a sparse block with its sparse or small neighbours; an empty one with its empty
// neighbours.
func (l *log) around(slot uint32) (run []uint32, live int) {
	live = l.blocks[slot].live
	run = []uint32{slot}
	l.blocks[slot].planned = true
	dead := live == 0
	joins := func(at uint32) bool { // at is a slot, plus one
		if at == 0 || len(run) == runMax {
			return false
		}
		b := &l.blocks[at-1]
		if b.planned || dead && b.live > 0 || !b.isSparse() && b.size >= smallSize || live+b.live > mergedSize {
			return false
		}
		b.planned = true
		live += b.live
		return true
	}
	for at := l.blocks[slot].prev; joins(at); at = l.blocks[at-1].prev {
		run = append([]uint32{at - 1}, run...)
	}
	for at := l.blocks[slot].next; joins(at); at = l.blocks[at-1].next {
		run = append(run, at-1)
	}
	return run, live
}

// tail returns the small blocks at the end, if they are many.
func (l *log) tail() (run []uint32, live int) {
	for at := l.last; at != 0 && len(run) < tailMax; at = l.blocks[at-1].prev {
		b := &l.blocks[at-1]
		if b.planned || b.size >= smallSize || live+b.live > mergedSize {
			break
		}
		run = append(run, at-1)
		live += b.live
	}
	if len(run) < 2 {
		return nil, 0
	}
	slices.Reverse(run)
	for _, slot := range run {
		l.blocks[slot].planned = true
	}
	return run, live
}

// countSmall counts the small blocks at the end, up to a limit.
func (l *log) countSmall() (n int) {
	for at := l.last; at != 0 && n < smallRun && l.blocks[at-1].size < smallSize; at = l.blocks[at-1].prev {
		n++
	}
	return n
}
