package nic

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// urgently runs f on a thread that no other thread of an ordinary class interrupts (sched(7),
// SCHED_FIFO), and reports whether the process may have one; f runs in either case. f must not wait:
// nobody else has the processor meanwhile. What f starts is of an ordinary class.
//
// Without it, the readers of both interfaces, which the kernel wakes with each frame, take the
// processor from the sender between two frames: of 44 fragments up to 44 times, each time for about 10 µs.
func urgently(f func()) bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err == nil {
		err = unix.SchedSetAttr(0, &unix.SchedAttr{Policy: unix.SCHED_FIFO, Priority: 1, Flags: unix.SCHED_FLAG_RESET_ON_FORK}, 0)
	}
	if err == nil {
		before.Flags |= unix.SCHED_FLAG_RESET_ON_FORK // without CAP_SYS_NICE none may take it back
		defer unix.SchedSetAttr(0, before, 0)
	}
	f()
	return err == nil
}
