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

	"github.com/weirnet/weir/bench/report"
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

// Usage is what a process and the generator have taken of the machine in a time.
type Usage struct {
	Elapsed, Generator, Target    time.Duration // the last two of CPU time
	TargetMemory, GeneratorMemory int64         // at the end, in bytes
}

// UsageSince is what a process and the generator have taken since their times were read.
func UsageSince(before CPUTimes, p *Process) Usage {
	after := ReadCPUTimes(p)
	return Usage{after.At.Sub(before.At), after.Generator - before.Generator, after.Target - before.Target, p.Memory(),
		OwnMemory()}
}

// Take adds it to a result, as what two processes took for so many units of work.
func (u *Usage) Take(x *report.Result, process, generator string, work float64) {
	x.Use(process, u.Target, work, u.TargetMemory)
	x.Use(generator, u.Generator, work, u.GeneratorMemory)
}

// MeanUsage has the mean of CPU times, and the memory of the last.
func MeanUsage(list []Usage) Usage {
	var process, generator report.Spread
	for _, u := range list {
		process.Take(float64(u.Target))
		generator.Take(float64(u.Generator))
	}
	mean := list[len(list)-1]
	mean.Target, mean.Generator = time.Duration(process.Mean()), time.Duration(generator.Mean())
	return mean
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

// CPU is the CPU time of the process; 0 if it is not known or cannot be read.
func (p *Process) CPU() time.Duration {
	if !p.Known() {
		return 0
	}
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.id()))
	t, _ := parseStat(string(b))
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
	if err1 != nil || err2 != nil {
		return 0, errStat
	}
	return time.Duration(user+system) * clockTick, nil
}

// Memory is the resident set of the process in bytes; 0 if it is not known or cannot be read.
func (p *Process) Memory() int64 {
	return p.statusBytes("VmRSS")
}

// Peak is the most that the process's resident set has been, in bytes; 0 if it is not known or
// cannot be read.
func (p *Process) Peak() int64 { return p.statusBytes("VmHWM") }

// OwnMemory is the resident set of this process in bytes.
func OwnMemory() int64 { return readStatus(os.Getpid(), "VmRSS") }

// statusBytes is a line of the process's status; 0 if it is not known or cannot be read.
func (p *Process) statusBytes(name string) int64 {
	if !p.Known() {
		return 0
	}
	return readStatus(p.id(), name)
}

func readStatus(pid int, name string) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return parseStatus(string(b), name)
}

// parseStatus reads a line in kB of /proc/PID/status, in bytes; 0 if there is none.
func parseStatus(s, name string) int64 {
	_, rest, _ := strings.Cut(s, "\n"+name+":")
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kib, _ := strconv.ParseInt(value, 10, 64)
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
