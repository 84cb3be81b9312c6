package journal

import (
	"context"
	"fmt"
	"slices"

	"github.com/weirnet/weir/store"
)

// merge is a run of neighbouring blocks that become one, at the place of the first, or none.
type merge struct {
	run    []uint32 // slots
	value  []byte   // nil: nothing of them is alive
	kept   []kept
	buried []uint32 // numbers of records that are not their newest, and go
}

// kept is a record that goes to another place.
type kept struct {
	number   uint32
	at, size uint32
}

const (
	runMax    = 32        // blocks of a run
	tailMax   = 128       // of one at the end
	mergesMax = 8         // runs of a transaction
	creditMax = 512 << 10 // bytes
)

// plan finds what is worth merging, and reads it, until it would write more than a number of bytes.
func (j *Journal) plan(ctx context.Context, budget int) (merges []merge, err error) {
	for len(merges) < mergesMax && budget >= 0 {
		run, live := j.log.candidate(budget)
		if run == nil {
			break
		}
		m, err := j.read(ctx, run)
		if err != nil {
			j.log.abandon(run)
			return merges, err
		}
		budget -= live
		merges = append(merges, m)
	}
	return merges, nil
}

// read reads a run and sorts its records.
func (j *Journal) read(ctx context.Context, run []uint32) (m merge, err error) {
	l := j.log
	first, last := &l.blocks[run[0]], &l.blocks[run[len(run)-1]]
	q := store.Query{Span: store.Span{From: j.blockKey(first.seq), To: store.After(j.blockKey(last.seq))}, Local: true}
	page, err := j.st.Range(ctx, q)
	if err != nil {
		return m, err
	}
	if len(page.Pairs) != len(run) {
		return m, fmt.Errorf("%w: %d blocks from %s on, want %d", ErrDamaged, len(page.Pairs), q.Span.From, len(run))
	}
	m.run = run
	value := []byte{blockFormat}
	for i, slot := range run {
		p := &page.Pairs[i]
		if p.Mod != l.blocks[slot].mod {
			return m, fmt.Errorf("%w: %s was changed at %d, want %d", ErrDamaged, p.Key, p.Mod, l.blocks[slot].mod)
		}
		err := walk(p.Value, func(r Record, at, size int) {
			switch {
			case l.alive(slot, r.Number, at):
				m.kept = append(m.kept, kept{r.Number, uint32(len(value)), uint32(size)})
				value = append(value, p.Value[at:at+size]...)
			case !r.Delete:
				m.buried = append(m.buried, r.Number)
			}
		})
		if err != nil {
			return m, fmt.Errorf("%s: %w", p.Key, err)
		}
	}
	if len(m.kept) > 0 {
		m.value = seal(value)
	}
	return m, nil
}

// ops are what a merge is in a transaction.
func (j *Journal) ops(m *merge, ops []store.Op) []store.Op {
	l := j.log
	from, last := m.run[0], m.run[len(m.run)-1]
	if m.value != nil {
		ops = append(ops, store.Put(j.blockKey(l.blocks[from].seq), m.value))
		if from == last {
			return ops
		}
		from = m.run[1]
	}
	to := store.After(j.blockKey(l.blocks[last].seq))
	return append(ops, store.Delete(store.Span{From: j.blockKey(l.blocks[from].seq), To: to}))
}

// move counts where the records of a merge went, when it has been done at a revision.
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
			l.grow(slot, int(k.size))
			e := l.numbers.get(k.number)
			e.slot, e.at = slot+1, k.at
		}
	}
	for _, s := range rest {
		if l.blocks[s].live > 0 && m.value != nil { // moved: they are counted where they went
			l.live -= int64(l.blocks[s].live)
			l.blocks[s].live = 0
		}
		l.remove(s)
	}
}

// abandon gives blocks back that were to be merged.
func (l *log) abandon(run []uint32) {
	for _, slot := range run {
		l.blocks[slot].planned = false
		l.consider(slot)
	}
}

// candidate is a run that is worth merging and has at most so many living bytes; its blocks are marked as planned.
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
	if l.small >= smallRun { // what it writes is bounded by itself: a block is small only a few times
		return l.tail()
	}
	return nil, 0
}

// around is a sparse block with those of its neighbours that are sparse or small too.
func (l *log) around(slot uint32) (run []uint32, live int) {
	live = l.blocks[slot].live
	run = []uint32{slot}
	l.blocks[slot].planned = true
	if live == 0 {
		return run, 0
	}
	joins := func(at uint32) bool { // a slot, plus one
		if at == 0 || len(run) == runMax {
			return false
		}
		b := &l.blocks[at-1]
		if b.planned || !b.isSparse() && b.size >= smallSize || live+b.live > mergedSize {
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

// tail are the small blocks at the end, of which there are many.
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

// countSmall counts the small blocks at the end, as far as it matters.
func (l *log) countSmall() (n int) {
	for at := l.last; at != 0 && n < smallRun && l.blocks[at-1].size < smallSize; at = l.blocks[at-1].prev {
		n++
	}
	return n
}
