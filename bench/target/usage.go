package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// CPUTimes are CPU times at a moment.
type CPUTimes struct {
	At                time.Time
	Generator, Target time.Duration
}

// ReadCPUTimes reads the generator's and a process's.
func ReadCPUTimes(p *Process) CPUTimes {
	return CPUTimes{At: time.Now(), Generator: ownCPU(), Target: p.CPU()}
}

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

// CPU is the CPU time of the process; 0 if it is not ours or cannot be read.
func (p *Process) CPU() time.Duration {
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

// Memory is the resident set of the process in bytes; 0 if it is not ours or cannot be read.
func (p *Process) Memory() int64 {
	if p == nil || p.cmd == nil {
		return 0
	}
	return residentSet(p.cmd.Process.Pid)
}

// OwnMemory is the resident set of this process in bytes.
func OwnMemory() int64 { return residentSet(os.Getpid()) }

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

// Peak is the most that the process's resident set has been, in bytes (VmHWM); 0 if it is not ours
// or cannot be read.
func (p *Process) Peak() int64 {
	if !p.Owned() {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return parsePeak(string(b))
}

// parsePeak reads VmHWM, in kB, from /proc/PID/status.
func parsePeak(s string) int64 {
	_, rest, ok := strings.Cut(s, "\nVmHWM:")
	if !ok {
		return 0
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10
}

// Stored is how many bytes the files of the instance's store take; 0 if the instance is not ours.
func (p *Process) Stored() (n int64) {
	if !p.Owned() {
		return 0
	}
	_ = filepath.Walk(p.dir, func(_ string, f os.FileInfo, err error) error {
		if err == nil && f.Mode().IsRegular() {
			n += f.Size()
		}
		return nil // a file may have gone meanwhile
	})
	return n
}
