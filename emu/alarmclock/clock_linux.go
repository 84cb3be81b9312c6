package alarmclock

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Clock wakes at a time that a timer of the runtime would miss: on Linux those end up to a
// millisecond late when the program sleeps, since it then waits in epoll, which counts
// milliseconds. A timerfd is one more file that epoll waits for, exact to some microseconds.
type Clock struct {
	fd   int
	file *os.File // of fd, in the runtime's poller
}

// New is nil where there can be none: then the runtime's timers have to do.
func New() *Clock {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	return &Clock{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}
}

// Set has Await return after a time, whatever was set before. It is not called after Close.
func (a *Clock) Set(after time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(after, 1)))}
	_ = unix.TimerfdSettime(a.fd, 0, &spec, nil) // which fails for no valid time
}

// Await waits until the time has come; false after Close.
func (a *Clock) Await() bool {
	var count [8]byte
	_, err := a.file.Read(count[:])
	return err == nil
}

// Close ends Await.
func (a *Clock) Close() { a.file.Close() }
