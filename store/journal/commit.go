package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/trace"
)

// inflightTxn is a transaction in flight. It is retried, unchanged, until its outcome is known.
type inflightTxn struct {
	txn          store.Txn
	row          writerRow
	block        []byte // sealed; nil: merges only
	bytes        int    // of records in it
	groups       []group
	merges       []merge
	maybeDone    bool      // a try may have succeeded
	firstFailure time.Time // time of the first failed try; zero: none
}

// Turn executes one step: at most one transaction. again is when to call it again, if nothing is
// appended before; zero: no need.
func (j *Journal) Turn(ctx context.Context) (again time.Time) {
	if j.ended() {
		return time.Time{}
	}
	if j.inflight == nil && !j.start(ctx) {
		return j.nextMerge()
	}
	result, err := j.try(ctx)
	switch {
	case err == nil:
		j.finish(result.Revision)
		return j.nextMerge()
	case errors.Is(err, ErrDeposed):
		j.end(ErrDeposed)
	case errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown):
		j.inflight.maybeDone = j.inflight.maybeDone || errors.Is(err, store.ErrUnknown)
		j.reportTrouble(err.Error())
		j.count(func(s *Stats) { s.Retried++ })
		return j.retryTime(err)
	case errors.Is(err, store.ErrFull) && j.inflight.maybeDone: // an earlier try may have succeeded all the same
		return j.resolve(ctx, err)
	default:
		j.failGroups(err)
	}
	return time.Time{}
}

// try sends the transaction to the store, within tryLimit.
func (j *Journal) try(ctx context.Context) (store.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, j.tryLimit())
	defer cancel()
	result, err := j.st.Txn(ctx, j.inflight.txn)
	if err == nil && !result.Succeeded {
		result.Revision, err = j.checkOutcome(ctx)
	}
	return result, err
}

// tryLimit returns the timeout of one call of the store: three of them fit into Config.Answer.
func (j *Journal) tryLimit() time.Duration { return j.cfg.Answer * 3 / 10 }

// giveUpAfter returns how long a transaction may fail, from its first failure on, before the waiting
// records are rejected.
func (j *Journal) giveUpAfter() time.Duration { return j.cfg.Answer * 2 / 5 }

// retryTime returns when to retry a transaction whose outcome is unknown. After giveUpAfter it
// rejects the waiting records: none of these were written.
func (j *Journal) retryTime(err error) (again time.Time) {
	f, now := j.inflight, j.cfg.Now()
	if f.firstFailure.IsZero() {
		f.firstFailure = now
	}
	switch {
	case now.Sub(f.firstFailure) < j.giveUpAfter():
	case errors.Is(err, store.ErrFull):
		j.rejectWaiting(err)
	default:
		j.rejectWaiting(fmt.Errorf("%w: %v", store.ErrUnavailable, err)) // none of these were sent
	}
	return now.Add(retryAfter)
}

// rejectWaiting rejects waiting records, and new ones until the outcome of the transaction in
// flight is known.
func (j *Journal) rejectWaiting(err error) {
	j.mu.Lock()
	j.stuck = err
	groups := j.queue.drain()
	j.stats.Failed += uint64(len(groups))
	j.mu.Unlock()
	for _, g := range groups {
		g.done(0, err)
	}
}

// Waiting reports whether there are records to commit, and no failed transaction before them.
func (j *Journal) Waiting() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.queue.first < len(j.queue.groups) && j.inflight == nil
}

// nextMerge returns when to merge blocks if no records arrive; zero: there is nothing to merge.
func (j *Journal) nextMerge() time.Time {
	if !j.log.worthMerging() {
		return time.Time{}
	}
	at := j.busy.Add(quietFor)
	if j.unread.After(at) {
		return j.unread
	}
	return at
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

// ended reports whether the journal has ended.
func (j *Journal) ended() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed != nil && j.inflight == nil && j.queue.first == len(j.queue.groups)
}

// merge adds merges to a transaction. If blocks cannot be read it pauses for a while, and the time
// spent counts against the transaction's.
func (j *Journal) merge(ctx context.Context, f *inflightTxn, budget int) {
	ctx, cancel := context.WithTimeout(ctx, j.tryLimit())
	defer cancel()
	var err error
	if f.merges, err = j.plan(ctx, budget); err == nil {
		j.unread = time.Time{}
		return
	}
	f.firstFailure = j.cfg.Now()
	j.unread = f.firstFailure.Add(unreadFor)
	j.cfg.Log.Warn("blocks of the journal are not merged", "journal", j.cfg.Prefix, "error", err)
}

// start builds the next transaction. It returns false if there is nothing to do.
func (j *Journal) start(ctx context.Context) bool {
	f := &inflightTxn{row: writerRow{term: j.row.term, commits: j.row.commits + 1, seq: j.row.seq}}
	j.fillBlock(f)
	budget := mergedSize * 2 // idle: there is time
	if f.block == nil && j.cfg.Now().Before(j.busy.Add(quietFor)) {
		return false
	} else if f.block != nil {
		j.credit = min(j.credit+f.bytes, creditMax)
		budget = j.credit
	}
	if j.log.worthMerging() && (f.block == nil || j.log.due()) && (j.unread.IsZero() || !j.cfg.Now().Before(j.unread)) {
		j.merge(ctx, f, budget)
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
	j.inflight = f
	return true
}

// fillBlock puts the waiting records into one block.
func (j *Journal) fillBlock(f *inflightTxn) {
	j.mu.Lock()
	defer j.mu.Unlock()
	records, groups := j.queue.take(j.cfg.BlockMax)
	if len(groups) == 0 {
		return
	}
	f.bytes = len(records)
	f.block = append(make([]byte, 0, len(records)+blockHead+blockTail), blockFormat)
	f.block = seal(append(f.block, records...))
	f.groups = slices.Clone(groups)
	clear(groups)
}

// checkOutcome finds out why the condition failed: an earlier try succeeded, or there is another
// writer.
func (j *Journal) checkOutcome(ctx context.Context) (store.Revision, error) {
	now, err := j.readRow(ctx)
	switch {
	case err != nil && (errors.Is(err, ErrDamaged) || errors.Is(err, store.ErrInvalid)):
		return 0, fmt.Errorf("%w: %w", ErrDeposed, err)
	case err != nil:
		return 0, fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	made, err := j.isOwnRow(ctx, now)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", store.ErrUnknown, err)
	case made:
		return now.mod, nil
	}
	return 0, fmt.Errorf("%w: term %d", ErrDeposed, now.term)
}

// resolve finds out whether an earlier try succeeded, after one that certainly did not.
func (j *Journal) resolve(ctx context.Context, cause error) (again time.Time) {
	read, cancel := context.WithTimeout(ctx, j.tryLimit())
	defer cancel()
	now, err := j.readRow(read)
	made := false
	if err == nil {
		made, err = j.isOwnRow(read, now)
	}
	switch {
	case err != nil:
		return j.retryTime(err)
	case made:
		j.finish(now.mod)
		return time.Time{}
	}
	// It may still be executed, late: only a transaction that changes the row rules that out, and a
	// full store accepts none.
	j.reportTrouble(cause.Error())
	return j.retryTime(cause)
}

// finish applies the effects of a completed transaction, and calls its done functions.
func (j *Journal) finish(rev store.Revision) {
	f := j.inflight
	j.inflight = nil
	f.row.mod = rev
	j.row, j.notTakenOver = f.row, false
	for i := range f.merges {
		j.log.move(&f.merges[i], rev)
	}
	for i := range f.merges { // after all moves: a withdrawal that becomes dead may be one that moved
		for _, number := range f.merges[i].stale {
			j.log.dropStale(number)
		}
	}
	j.log.small = j.log.countSmall()
	if f.block != nil {
		j.log.add(f.row.seq, rev, f.block)
		j.busy = j.cfg.Now()
	}
	j.reportTrouble("")
	j.count(func(s *Stats) {
		f.addTo(s)
		j.stuck = nil
	})
	j.publish()
	trace.At(trace.Durable)
	for _, g := range f.groups {
		g.done(rev, nil)
	}
}

// addTo adds a completed transaction to the statistics.
func (f *inflightTxn) addTo(s *Stats) {
	s.Commits++
	s.Appended += uint64(f.bytes)
	for i := range f.merges {
		m := &f.merges[i]
		s.Merged += uint64(len(m.value))
		if m.value == nil {
			s.Deleted += uint64(len(m.run))
		} else {
			s.MergedBlocks += uint64(len(m.run))
		}
	}
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

// failGroups calls done with an error for records that were not committed, and for those that wait
// behind them.
func (j *Journal) failGroups(err error) {
	f := j.inflight
	j.inflight = nil
	for i := range f.merges {
		j.log.unplan(f.merges[i].run)
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
	j.reportTrouble(err.Error())
	for _, g := range groups {
		g.done(0, err)
	}
}

// end closes the journal: it rejects new and waiting records.
func (j *Journal) end(err error) {
	j.mu.Lock()
	if j.closed == nil {
		j.closed = err
	}
	var groups []group
	unsure := 0
	if f := j.inflight; f != nil {
		groups = f.groups
		if f.maybeDone {
			unsure = len(groups)
		}
		j.inflight = nil
	}
	groups = append(groups, j.queue.drain()...)
	j.stats.Failed += uint64(len(groups))
	j.mu.Unlock()
	if !errors.Is(err, ErrClosed) {
		j.reportTrouble(err.Error())
	}
	for i, g := range groups {
		if i < unsure {
			g.done(0, fmt.Errorf("%w: %w", store.ErrUnknown, err))
		} else {
			g.done(0, err)
		}
	}
}

// reportTrouble calls Config.Trouble if the reason has changed.
func (j *Journal) reportTrouble(reason string) {
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
