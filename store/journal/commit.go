package journal

import (
	"context"
	"errors"
	"fmt"
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
	if j.inflight == nil && j.intake.ended() {
		return time.Time{}
	}
	if j.inflight == nil && !j.start(ctx) {
		return j.merger.next(j.busy)
	}
	result, err := j.try(ctx)
	switch {
	case err == nil:
		j.finish(result.Revision)
		return j.merger.next(j.busy)
	case errors.Is(err, ErrDeposed):
		j.end(ErrDeposed)
	case errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown):
		j.inflight.maybeDone = j.inflight.maybeDone || errors.Is(err, store.ErrUnknown)
		j.trouble.set(err.Error())
		j.intake.count(func(s *Stats) { s.Retried++ })
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
	ctx, cancel := context.WithTimeout(ctx, j.cfg.tryLimit())
	defer cancel()
	result, err := j.place.st.Txn(ctx, j.inflight.txn)
	if err == nil && !result.Succeeded {
		result.Revision, err = j.checkOutcome(ctx)
	}
	return result, err
}

// retryTime returns when to retry a transaction whose outcome is unknown. After giveUpAfter it
// rejects the waiting records: none of these were written.
func (j *Journal) retryTime(err error) (again time.Time) {
	f, now := j.inflight, j.cfg.Now()
	if f.firstFailure.IsZero() {
		f.firstFailure = now
	}
	switch {
	case now.Sub(f.firstFailure) < j.cfg.giveUpAfter():
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
	for _, g := range j.intake.reject(err) {
		g.done(0, err)
	}
}

// Waiting reports whether there are records to commit, and no failed transaction before them.
func (j *Journal) Waiting() bool { return j.inflight == nil && j.intake.waiting() }

// start builds the next transaction. It returns false if there is nothing to do.
func (j *Journal) start(ctx context.Context) bool {
	f := &inflightTxn{row: writerRow{term: j.row.term, commits: j.row.commits + 1, seq: j.row.seq}}
	f.block, f.bytes, f.groups = j.intake.take(j.cfg.BlockMax)
	now := j.cfg.Now()
	if f.block == nil && now.Before(j.busy.Add(quietFor)) {
		return false
	}
	var err error
	if f.merges, err = j.merger.merges(ctx, f.block == nil, f.bytes, now, j.cfg.tryLimit()); err != nil {
		f.firstFailure = j.merger.pause(j.cfg.Now()) // the time spent counts against the transaction's
		j.cfg.Log.Warn("blocks of the journal are not merged", "journal", j.cfg.Prefix, "error", err)
	}
	if f.block == nil && len(f.merges) == 0 {
		return false
	}
	ops := make([]store.Op, 0, 2+2*len(f.merges))
	if f.block != nil {
		f.row.seq++
		ops = append(ops, store.Put(j.place.blockKey(f.row.seq), f.block))
	}
	for i := range f.merges {
		ops = j.merger.ops(&f.merges[i], ops)
		if f.block != nil {
			j.merger.credit -= len(f.merges[i].value)
		}
	}
	f.txn.If = []store.Compare{store.Unchanged(j.place.writerKey(), j.row.mod)}
	if j.notTakenOver {
		f.txn.If = j.place.conditions(j.row.mod)
	}
	f.txn.Then = append(ops, store.Put(j.place.writerKey(), f.row.append()))
	j.inflight = f
	return true
}

// checkOutcome finds out why the condition failed: an earlier try succeeded, or there is another
// writer.
func (j *Journal) checkOutcome(ctx context.Context) (store.Revision, error) {
	now, err := j.place.readRow(ctx)
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
	read, cancel := context.WithTimeout(ctx, j.cfg.tryLimit())
	defer cancel()
	now, err := j.place.readRow(read)
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
	j.trouble.set(cause.Error())
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
	j.trouble.set("")
	j.intake.committed(f)
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

// failGroups calls done with an error for records that were not committed, and for those that wait
// behind them.
func (j *Journal) failGroups(err error) {
	f := j.inflight
	j.inflight = nil
	for i := range f.merges {
		j.log.unplan(f.merges[i].run)
	}
	groups := j.intake.fail(f.groups, err)
	j.trouble.set(err.Error())
	for _, g := range groups {
		g.done(0, err)
	}
}

// end closes the journal: it rejects new and waiting records.
func (j *Journal) end(err error) {
	var groups []group
	unsure := 0
	if f := j.inflight; f != nil {
		groups = f.groups
		if f.maybeDone {
			unsure = len(groups)
		}
		j.inflight = nil
	}
	groups = j.intake.end(err, groups)
	if !errors.Is(err, ErrClosed) {
		j.trouble.set(err.Error())
	}
	for i, g := range groups {
		if i < unsure {
			g.done(0, fmt.Errorf("%w: %w", store.ErrUnknown, err))
		} else {
			g.done(0, err)
		}
	}
}

// isOwnRow reports whether a row was written by the transaction in flight.
func (j *Journal) isOwnRow(ctx context.Context, now writerRow) (bool, error) {
	f := j.inflight
	switch {
	case now.term != f.row.term || now.commits != f.row.commits:
		return false, nil
	case !j.notTakenOver:
		return true, nil
	case f.block == nil:
		return false, nil
	}
	// Another writer, or this one's own takeover, may have written the same row: only the block
	// tells.
	return j.place.isBlock(ctx, f.row.seq, now.mod, f.block)
}
