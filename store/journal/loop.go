package journal

import (
	"context"
	"runtime"
	"time"
)

// One goroutine, Run's, owns the log and does all transactions, one after another. It ends with its context, after one more try
// to commit what waits.

// closingLimit is how long that may take.
const closingLimit = 2 * time.Second

// clock is the real one.
func clock() time.Time { return time.Now() }

// Run commits what is appended until the context ends.
func (j *Journal) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		runtime.Gosched() // who is about to append comes into the same transaction
		again := j.Turn(ctx)
		j.turns.Add(1)
		wait := j.pause(again)
		if wait == 0 {
			continue
		}
		timer.Reset(wait)
		wake := j.wake
		if j.flight != nil {
			wake = nil // a failed transaction comes first, in its time
		}
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
	}
	j.shut()
}

// pause is how long to wait for something to be appended; 0: not.
func (j *Journal) pause(again time.Time) time.Duration {
	switch {
	case j.Waiting():
		return 0
	case again.IsZero():
		return time.Hour
	}
	return max(time.Until(again), time.Millisecond)
}

// shut takes nothing more, and commits what was taken if that is possible soon.
func (j *Journal) shut() {
	j.mu.Lock()
	if j.closed == nil {
		j.closed = ErrClosed
	}
	j.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closingLimit)
	defer cancel()
	for ctx.Err() == nil && j.owes() {
		if again := j.Turn(ctx); !again.IsZero() {
			time.Sleep(max(time.Until(again), time.Millisecond))
		}
	}
	j.end(ErrClosed)
}

// owes says whether somebody waits.
func (j *Journal) owes() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.queue.first < len(j.queue.groups) || j.flight != nil
}
