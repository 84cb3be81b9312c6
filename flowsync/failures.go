package flowsync

import "time"

// failures are the rows of a switch that were refused or lost, and when they are tried again.
type failures struct {
	*session
	of      map[uint32]*failure
	retries []uint32  // rows with failure.retryAt, and some that have none any more
	retryAt time.Time // the earliest; zero if there is none
}

// failure is what is known of a row that was refused or lost.
type failure struct {
	fails     int // consecutive refusals
	losses    int // how often the switch lost the rule since lostSince
	lostSince time.Time
	retryAt   time.Time // zero if it does not wait
}

// at returns a row's record, made if it had none.
func (f *failures) at(i uint32) *failure {
	failed := f.of[i]
	if failed == nil {
		if f.of == nil {
			f.of = make(map[uint32]*failure)
		}
		failed = &failure{}
		f.of[i] = failed
	}
	return failed
}

// losses returns how often the switch lost a row.
func (f *failures) losses(i uint32) int {
	if failed := f.of[i]; failed != nil {
		return failed.losses
	}
	return 0
}

// refused counts a refusal, and schedules a retry if it may pass.
func (f *failures) refused(i uint32, mayPass bool, now time.Time) {
	failed := f.at(i)
	if failed.fails++; mayPass {
		f.retry(i, now.Add(f.config.backoff(failed.fails)))
	}
}

// lost counts a loss, and returns the record.
func (f *failures) lost(i uint32, now time.Time, lying bool) *failure {
	failed := f.at(i)
	if failed.losses == 0 || !lying && now.Sub(failed.lostSince) > f.config.LieWindow {
		failed.losses, failed.lostSince = 0, now
	}
	failed.losses++
	return failed
}

// kept forgets the losses of a row that is held, after a time without one.
func (f *failures) kept(i uint32, now time.Time, lying bool) {
	if failed := f.of[i]; failed != nil && !lying && now.Sub(failed.lostSince) > f.config.LieWindow {
		failed.losses = 0
	}
}

// retry schedules a retry of a row.
func (f *failures) retry(i uint32, at time.Time) {
	failed := f.at(i)
	if failed.retryAt.IsZero() {
		f.retries = append(f.retries, i)
	}
	if failed.retryAt = at; f.retryAt.IsZero() || at.Before(f.retryAt) {
		f.retryAt = at
	}
}

// waits reports whether a row waits for a retry.
func (f *failures) waits(i uint32) bool {
	failed := f.of[i]
	return failed != nil && !failed.retryAt.IsZero()
}

// due returns the rows whose pause has ended, valid until the next call.
func (f *failures) due(now time.Time) (due []uint32) {
	if !reached(f.retryAt, now) {
		return nil
	}
	kept := f.retries[:0]
	f.retryAt = time.Time{}
	for _, i := range f.retries {
		failed := f.of[i]
		switch {
		case failed == nil || failed.retryAt.IsZero(): // changed or settled since
		case failed.retryAt.After(now):
			kept = append(kept, i)
			if f.retryAt.IsZero() || failed.retryAt.Before(f.retryAt) {
				f.retryAt = failed.retryAt
			}
		default:
			failed.retryAt = time.Time{}
			due = append(due, i)
		}
	}
	f.retries = kept
	return due
}

// clear cancels a row's retry, and forgets its refusals.
func (f *failures) clear(i uint32) {
	if failed := f.of[i]; failed != nil {
		failed.fails, failed.retryAt = 0, time.Time{}
	}
}

// forget forgets all of a row.
func (f *failures) forget(i uint32) { delete(f.of, i) }

// reset ends a session: nothing is tried again. Losses are remembered.
func (f *failures) reset() {
	f.retries, f.retryAt = nil, time.Time{}
	for i := range f.of {
		f.clear(i)
	}
}
