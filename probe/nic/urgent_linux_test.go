package nic

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUrgently has a thread be before all others while it sends, and no longer, where the process may
// have one; what is to be done is done in either case.
func TestUrgently(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	policy := func() uint32 {
		a, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return a.Policy
	}
	before := policy()
	during := []uint32{}
	allowed := urgently(func() { during = append(during, policy()) })
	if want := map[bool]uint32{true: unix.SCHED_FIFO, false: before}[allowed]; len(during) != 1 || during[0] != want {
		t.Errorf("done by %d, want once by %d: allowed %v", during, want, allowed)
	}
	if after := policy(); after != before {
		t.Errorf("the thread is of class %d afterwards, want %d", after, before)
	}
}
