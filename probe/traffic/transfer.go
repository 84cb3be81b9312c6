package traffic

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// TCP is a transfer from one host to another, by the stacks of Linux.
type TCP struct {
	From, To *Host
	// Window is how many bytes may be under way, and how many are given to the stack at a time: from
	// MinWindow to MaxWindow.
	Window int
	Long   time.Duration // for how long bytes are sent
	// Begun, if it is set, is called when the window is what it is to be, and what is measured begins.
	Begun func(time.Time)
}

// Bounds of a window, in bytes: Linux has none that is smaller.
const (
	MinWindow = 1152
	MaxWindow = 4 << 20
)

// Sent is what a transfer was, as the stacks have it.
type Sent struct {
	Bytes         int64         // that were received until the time was over
	Took          time.Duration // that time: what is under way then does not count
	Retransmitted int           // segments that the sender sent again
	Segments      int           // all that the sender sent, until all was acknowledged
}

// Throughput is in bits a second, of what TCP carries.
func (s *Sent) Throughput() float64 {
	if s.Took <= 0 {
		return 0
	}
	return float64(s.Bytes) * 8 / s.Took.Seconds()
}

// check finds what is wrong.
func (t *TCP) check() error {
	if t.Window < MinWindow || t.Window > MaxWindow {
		return fmt.Errorf("a window of %d bytes given, want %d to %d", t.Window, MinWindow, MaxWindow)
	}
	return nil
}

// received are the options of the end that receives: the window that it offers never exceeds what is
// asked for, and there is room for it.
func (t *TCP) received(_, _ string, c syscall.RawConn) error {
	return options(c, [][3]int{
		{unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, max(4*t.Window, leastBuffer)},
		{unix.IPPROTO_TCP, unix.TCP_WINDOW_CLAMP, t.Window},
	})
}

// leastBuffer is the least room for what is received, in bytes.
const leastBuffer = 256 << 10

// sent are the options of the end that sends: not much more waits in the stack than may be under way,
// so that the transfer ends when its time is over; nothing outlives the process.
func (t *TCP) sent(_, _ string, c syscall.RawConn) error {
	return options(c, [][3]int{
		{unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},
		{unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, t.Window},
	})
}

// clamp sets the window again: Linux (6.9 and later) forgets it when longer segments come than before,
// and opens it the wider.
func (t *TCP) clamp(c syscall.RawConn) error {
	return options(c, [][3]int{{unix.IPPROTO_TCP, unix.TCP_WINDOW_CLAMP, t.Window}})
}

func options(c syscall.RawConn, list [][3]int) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		for _, o := range list {
			if failed = unix.SetsockoptInt(int(fd), o[0], o[1], o[2]); failed != nil {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return failed
}
