package journal

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
)

// One goroutine, Run's, owns the log and executes all transactions, one after another. It ends with
// its context, after one more try to commit the waiting records.

// closingLimit is the timeout of that try.
const closingLimit = 2 * time.Second

// clock is the real clock.
func clock() time.Time { return time.Now() }

// Part returns the journal as a part of an instance. It runs a loop of its own: it does not react to
// appends while a failed transaction is retried, and tries to commit once more when it ends.
func (j *Journal) Part(name string) *loop.Part {
	return &loop.Part{
		Name: name, Own: j.Run, Behind: j.Waiting,
		Turn: func() time.Time { return j.Turn(context.Background()) },
	}
}

// Run commits what is appended until the context ends.
func (j *Journal) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		runtime.Gosched() // let concurrent appends join the transaction
		again := j.Turn(ctx)
		j.turns.Add(1)
		wait := pause(j.Waiting(), again)
		if wait == 0 {
			continue
		}
		timer.Reset(wait)
		wake := j.bell.C()
		if j.inflight != nil {
			wake = nil // retry a failed transaction first, at its time
		}
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
	}
	j.drain()
}

// How soon a follower reads all again: after what the store said, and after what is not understood, which is mostly as it
// is for long.
const (
	followAgain = time.Second
	readAgain   = time.Minute
)

// Run follows the journal until the context ends.
func (f *Follower) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := f.step(ctx, true)
		if err == nil || ctx.Err() != nil {
			continue
		}
		pause := followAgain
		if errors.As(err, new(errSink)) || errors.Is(err, ErrDamaged) {
			pause = readAgain
		}
		f.cfg.Log.Warn("the journal is not followed: it is read again", "journal", f.cfg.Prefix, "in", pause, "error", err)
		beat.Sleep(ctx, pause)
	}
}

// pause returns how long to wait for new records; 0: not at all, as where some wait.
func pause(waiting bool, again time.Time) time.Duration {
	switch {
	case waiting:
		return 0
	case again.IsZero():
		return time.Hour
	}
	return max(time.Until(again), time.Millisecond)
}

// drain closes the journal, after committing the waiting records if the store answers in time.
func (j *Journal) drain() {
	j.intake.close(ErrClosed)
	ctx, cancel := context.WithTimeout(context.Background(), closingLimit)
	defer cancel()
	for ctx.Err() == nil && j.hasWaiting() {
		if again := j.Turn(ctx); !again.IsZero() {
			time.Sleep(max(time.Until(again), time.Millisecond))
		}
	}
	j.end(ErrClosed)
}

// hasWaiting reports whether a caller waits for its done.
func (j *Journal) hasWaiting() bool { return j.inflight != nil || j.intake.waiting() }
