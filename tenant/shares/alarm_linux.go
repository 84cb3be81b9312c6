package shares

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// clockFile is a timer of the system: a read returns when its time has come. Its file descriptor is the second one: to ask the
// file for it would take it from Go's poller.
type clockFile struct {
	file *os.File
	fd   int
}

// openClock returns one; nil if the system has none for us.
func openClock() *clockFile {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	return &clockFile{os.NewFile(uintptr(fd), "timerfd"), fd}
}

// set has the next read return after d.
func (c *clockFile) set(d time.Duration) error {
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))}
	return unix.TimerfdSettime(c.fd, 0, &at, nil)
}

// wait waits until the time has come; an error: the file has been closed.
func (c *clockFile) wait(b *[8]byte) error {
	_, err := c.file.Read(b[:])
	return err
}

func (c *clockFile) close() { c.file.Close() }
