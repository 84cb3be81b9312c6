package pace

import (
	"context"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Wait waits for a time, or until the context ends, whose cause it returns.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// Until waits until something is done: it looks each period, and returns the error of late when the
// limit is over.
func Until(ctx context.Context, period, limit time.Duration, done func() (bool, error), late func() error) error {
	for began := time.Now(); ; {
		if is, err := done(); is || err != nil {
			return err
		}
		if time.Since(began) > limit {
			return late()
		}
		if err := Wait(ctx, period); err != nil {
			return err
		}
	}
}

// Nap waits for a short time. The timers of Go's runtime have a resolution of a millisecond where
// nothing else happens.
func Nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil)
}

// Urgent has this goroutine run before everything else on the machine, as far as the process may
// ask for that, until the function that it returns is called: who sends at intended times sleeps
// most of the time, and is late when it waits for a core or for one of the runtime's places, of
// which there is one more meanwhile.
func Urgent() (restore func()) {
	runtime.LockOSThread()
	places := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(places + 1)
	before, err := unix.SchedGetAttr(0, 0)
	if err == nil {
		err = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
	}
	return func() {
		raised := err == nil
		runtime.GOMAXPROCS(places)
		if raised && unix.SchedSetAttr(0, before, 0) != nil {
			return // a thread that keeps its priority ends with its goroutine
		}
		runtime.UnlockOSThread()
	}
}
