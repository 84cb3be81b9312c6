package bench

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuTimes are CPU times at a moment.
type cpuTimes struct {
	at       time.Time
	own, its time.Duration
}

// readCPUTimes reads the generator's and a process's.
func readCPUTimes(p *process) cpuTimes { return cpuTimes{at: time.Now(), own: ownCPU(), its: p.cpu()} }

// ownCPU is the CPU time of this process.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// errStat is of a process whose times cannot be read.
var errStat = errors.New("no CPU times in /proc")

// clockTick is the unit of CPU times in /proc: 1/100 s on Linux.
const clockTick = 10 * time.Millisecond

// cpu is the CPU time of the process; 0 if it is not ours or cannot be read.
func (p *process) cpu() time.Duration {
	if p == nil || p.cmd == nil {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	t, err := parseStat(string(b))
	if err != nil {
		return 0
	}
	return t
}

// parseStat reads utime and stime, fields 14 and 15 of /proc/PID/stat. The second, in brackets, may
// hold spaces.
func parseStat(s string) (time.Duration, error) {
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(fields) < 13 {
		return 0, errStat
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return 0, errStat
	}
	return time.Duration(user+system) * clockTick, nil
}

// memory is the resident set of the process in bytes; 0 if it is not ours or cannot be read.
func (p *process) memory() int64 {
	if p == nil || p.cmd == nil {
		return 0
	}
	return residentSet(p.cmd.Process.Pid)
}

// ownMemory is the resident set of this process in bytes.
func ownMemory() int64 { return residentSet(os.Getpid()) }

// residentSet is that of a process in bytes; 0 if it cannot be read.
func residentSet(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
