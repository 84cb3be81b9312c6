package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/store"
)

// flight is a transaction that is under way. It is tried again, the same, until its outcome is known.
type flight struct {
	txn    store.Txn
	row    row
	block  []byte // sealed; nil: merges only
	bytes  int    // of records in it
	groups []group
	merges []merge
	unsure bool      // a try may have been done
	failed time.Time // of its first try; zero: none has
}

// Turn does one step: at most one transaction. Told is when to call it again, if nothing is appended before; zero: no need.
func (j *Journal) Turn(ctx context.Context) (again time.Time) {
	if j.ended() {
		return time.Time{}
	}
	if j.flight == nil && !j.start(ctx) {
		return j.later()
	}
	result, err := j.try(ctx)
	switch {
	case err == nil:
		j.land(result.Revision)
		return j.later()
	case errors.Is(err, ErrDeposed):
		j.end(ErrDeposed)
	case errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown):
		j.flight.unsure = j.flight.unsure || errors.Is(err, store.ErrUnknown)
		j.say(err.Error())
		j.count(func(s *Stats) { s.Retried++ })
		return j.failed(err)
	case errors.Is(err, store.ErrFull) && j.flight.unsure: // an earlier try may have been done all the same
		return j.resolve(ctx, err)
	default:
		j.refuse(err)
	}
	return time.Time{}
}

// try sends the transaction under way to the store, within tryLimit.
func (j *Journal) try(ctx context.Context) (store.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, j.tryLimit())
	defer cancel()
	result, err := j.st.Txn(ctx, j.flight.txn)
	if err == nil && !result.Held {
		result.Revision, err = j.lookBack(ctx)
	}
	return result, err
}

// tryLimit is how long one call of the store may take: three of them fit into the time of an answer.
func (j *Journal) tryLimit() time.Duration { return j.cfg.Answer * 3 / 10 }

// patience is how long a transaction may fail, from its first failure on, before nothing waits behind it any more.
func (j *Journal) patience() time.Duration { return j.cfg.Answer * 2 / 5 }

// failed is when to try again a transaction whose outcome is open. Where that has been so for too long, what waits behind it is refused: of
// that it is certain that nothing was kept.
func (j *Journal) failed(err error) (again time.Time) {
	f, now := j.flight, j.cfg.Now()
	if f.failed.IsZero() {
		f.failed = now
	}
	switch {
	case now.Sub(f.failed) < j.patience():
	case errors.Is(err, store.ErrFull):
		j.dismiss(err)
	default:
		j.dismiss(fmt.Errorf("%w: %v", store.ErrUnavailable, err)) // of these nothing is unknown
	}
	return now.Add(retryAfter)
}

// dismiss refuses what waits, and what comes until the outcome of the flight is known.
func (j *Journal) dismiss(err error) {
	j.mu.Lock()
	j.stuck = err
	groups := j.queue.drain()
	j.stats.Failed += uint64(len(groups))
	j.mu.Unlock()
	for _, g := range groups {
		g.done(0, err)
	}
}

// Waiting says whether there is something to commit, and no failed transaction before it.
func (j *Journal) Waiting() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.queue.first < len(j.queue.groups) && j.flight == nil
}

// later is when blocks are to be merged on their own; zero: there is nothing to merge.
func (j *Journal) later() time.Time {
	if !j.log.worth() {
		return time.Time{}
	}
	return j.busy.Add(quietFor)
}

// worth says whether something may be worth merging.
func (l *log) worth() bool { return len(l.sparse) > 0 || l.small >= smallRun }

// ended says whether the journal has ended.
func (j *Journal) ended() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed != nil && j.flight == nil && j.queue.first == len(j.queue.groups)
}

// start makes the next transaction; false if there is nothing to do.
func (j *Journal) start(ctx context.Context) bool {
	f := &flight{row: row{term: j.row.term, commits: j.row.commits + 1, seq: j.row.seq}}
	j.gather(f)
	budget := mergedSize * 2 // it is quiet: there is time
	if f.block == nil && j.cfg.Now().Before(j.busy.Add(quietFor)) {
		return false
	} else if f.block != nil {
		j.credit = min(j.credit+f.bytes, creditMax)
		budget = j.credit
	}
	var err error
	if j.log.worth() {
		ctx, cancel := context.WithTimeout(ctx, j.tryLimit())
		defer cancel()
		if f.merges, err = j.plan(ctx, budget); err != nil {
			j.cfg.Log.Warn("blocks of the journal are not merged", "journal", j.cfg.Prefix, "error", err)
		}
	}
	if f.block == nil && len(f.merges) == 0 {
		return false
	}
	ops := make([]store.Op, 0, 2+2*len(f.merges))
	if f.block != nil {
		f.row.seq++
		ops = append(ops, store.Put(j.blockKey(f.row.seq), f.block))
	}
	for i := range f.merges {
		ops = j.ops(&f.merges[i], ops)
		if f.block != nil {
			j.credit -= len(f.merges[i].value)
		}
	}
	f.txn.If = []store.Compare{store.Unchanged(j.writerKey(), j.row.mod)}
	f.txn.Then = append(ops, store.Put(j.writerKey(), f.row.append()))
	j.flight = f
	return true
}

// gather takes what waits into one block.
func (j *Journal) gather(f *flight) {
	j.mu.Lock()
	defer j.mu.Unlock()
	records, groups := j.queue.take(j.cfg.BlockMax)
	if len(groups) == 0 {
		return
	}
	f.bytes = len(records)
	f.block = append(make([]byte, 0, len(records)+blockHead+blockTail), blockFormat)
	f.block = seal(append(f.block, records...))
	f.groups = append([]group(nil), groups...)
	clear(groups)
}

// lookBack finds out why the condition did not hold: the transaction was done by an earlier try, or another writer is there.
func (j *Journal) lookBack(ctx context.Context) (store.Revision, error) {
	now, err := j.readRow(ctx)
	switch {
	case err != nil && (errors.Is(err, ErrDamaged) || errors.Is(err, store.ErrInvalid)):
		return 0, fmt.Errorf("%w: %w", ErrDeposed, err)
	case err != nil:
		return 0, fmt.Errorf("%w: %w", store.ErrUnknown, err)
	case now.term == j.flight.row.term && now.commits == j.flight.row.commits:
		return now.mod, nil
	}
	return 0, fmt.Errorf("%w: term %d", ErrDeposed, now.term)
}

// resolve finds out whether an earlier try was done, after one that surely was not.
func (j *Journal) resolve(ctx context.Context, cause error) (again time.Time) {
	read, cancel := context.WithTimeout(ctx, j.tryLimit())
	defer cancel()
	now, err := j.readRow(read)
	switch {
	case err != nil:
		return j.failed(err)
	case now.term == j.flight.row.term && now.commits == j.flight.row.commits:
		j.land(now.mod)
		return time.Time{}
	}
	// It may still be done, late: only a transaction that changes the row rules that out, and a full store takes none.
	j.say(cause.Error())
	return j.failed(cause)
}

// land counts what a transaction did, and tells it.
func (j *Journal) land(rev store.Revision) {
	f := j.flight
	j.flight = nil
	f.row.mod = rev
	j.row = f.row
	for i := range f.merges {
		j.log.move(&f.merges[i], rev)
	}
	for i := range f.merges { // when all have moved: a withdrawal that dies by this may be one that moved
		for _, number := range f.merges[i].buried {
			j.log.bury(number)
		}
	}
	j.log.small = j.log.countSmall()
	if f.block != nil {
		j.log.add(f.row.seq, rev, f.block)
		j.busy = j.cfg.Now()
	}
	j.say("")
	j.count(func(s *Stats) {
		f.tell(s)
		j.stuck = nil
	})
	j.publish()
	for _, g := range f.groups {
		g.done(rev, nil)
	}
}

// tell adds a transaction that was done.
func (f *flight) tell(s *Stats) {
	s.Commits++
	s.Appended += uint64(f.bytes)
	for i := range f.merges {
		m := &f.merges[i]
		s.Merged += uint64(len(m.value))
		if m.value == nil {
			s.Tossed += uint64(len(m.run))
		} else {
			s.MergedBlocks += uint64(len(m.run))
		}
	}
}

// add takes a block in that has been written.
func (l *log) add(seq uint64, mod store.Revision, value []byte) {
	slot := l.push(seq, mod)
	for at := blockHead; at < len(value)-blockTail; {
		r, n := next(value[at : len(value)-blockTail])
		l.take(slot, &r, at, n)
		at += n
	}
	l.consider(slot) // nothing may be alive in it
	if l.blocks[slot].size < smallSize {
		l.small++
	} else {
		l.small = 0
	}
}

// refuse tells those whose records were not committed, and will not be. What waits behind them meets the same: it is told too.
func (j *Journal) refuse(err error) {
	f := j.flight
	j.flight = nil
	for i := range f.merges {
		j.log.abandon(f.merges[i].run)
	}
	j.mu.Lock()
	j.stuck = nil
	groups := f.groups
	if errors.Is(err, store.ErrFull) {
		j.fullUntil = j.cfg.Now().Add(fullFor)
		groups = append(groups, j.queue.drain()...)
	}
	j.stats.Failed += uint64(len(groups))
	j.mu.Unlock()
	j.say(err.Error())
	for _, g := range groups {
		g.done(0, err)
	}
}

// end ends the journal: nothing is taken any more, and what waits is told so.
func (j *Journal) end(err error) {
	j.mu.Lock()
	if j.closed == nil {
		j.closed = err
	}
	var groups []group
	unsure := 0
	if f := j.flight; f != nil {
		groups = f.groups
		if f.unsure {
			unsure = len(groups)
		}
		j.flight = nil
	}
	groups = append(groups, j.queue.drain()...)
	j.stats.Failed += uint64(len(groups))
	j.mu.Unlock()
	if !errors.Is(err, ErrClosed) {
		j.say(err.Error())
	}
	for i, g := range groups {
		if i < unsure {
			g.done(0, fmt.Errorf("%w: %w", store.ErrUnknown, err))
		} else {
			g.done(0, err)
		}
	}
}

// say tells of trouble, when it is another than before.
func (j *Journal) say(reason string) {
	if reason == j.trouble {
		return
	}
	j.trouble = reason
	if j.cfg.Trouble != nil {
		j.cfg.Trouble(reason)
	}
	if reason != "" {
		j.cfg.Log.Error("the journal cannot commit", "journal", j.cfg.Prefix, "reason", reason)
		return
	}
	j.cfg.Log.Info("the journal commits again", "journal", j.cfg.Prefix)
}

func (j *Journal) count(f func(*Stats)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&j.stats)
}
