package emu

import (
	"fmt"
	"syscall"
)

// spareFiles are for all else in the process.
const spareFiles = 512

// raiseFiles raises the limit of open files to what so many TCP connections need. Where the system
// allows less, the error says by which command it would allow more.
func raiseFiles(connections int) error {
	want := uint64(connections + spareFiles)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("limit of open files: %w", err)
	}
	if limit.Cur >= want {
		return nil
	}
	more := syscall.Rlimit{Cur: want, Max: max(limit.Max, want)}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more) == nil {
		return nil
	}
	more = syscall.Rlimit{Cur: want, Max: limit.Max} // without privilege up to Max only
	if want <= limit.Max && syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more) == nil {
		return nil
	}
	return fmt.Errorf("%d connections to controllers need %d open files, the limit is %d: run ulimit -n %d before, or take fewer switches",
		connections, want, limit.Max, want)
}
