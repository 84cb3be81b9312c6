package controller

import (
	"encoding/binary"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stampedReader reads a TCP socket with the kernel's time stamps.
type stampedReader struct {
	raw syscall.RawConn
	do  func(fd uintptr) bool

	p, control []byte
	n, stamped int
	err        error
}

// newStampedReader asks the kernel for time stamps; nil where it gives none.
func newStampedReader(c net.Conn) *stampedReader {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	failed := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) })
	if failed != nil || err != nil {
		return nil
	}
	r := &stampedReader{raw: raw, control: make([]byte, 128)}
	r.do = r.receive
	return r
}

// read reads, and says how long before its return what it has read had come.
func (r *stampedReader) read(p []byte) (n int, age time.Duration, err error) {
	r.p, r.n, r.stamped, r.err = p, 0, 0, nil
	if err := r.raw.Read(r.do); err != nil {
		return 0, 0, err
	}
	r.p = nil
	if r.err == nil && r.n == 0 && len(p) > 0 {
		return 0, 0, io.EOF
	}
	if stamp, ok := stampOf(r.control[:r.stamped]); ok {
		age = ageOf(stamp, time.Now())
	}
	return r.n, age, r.err
}

// receive is called with the socket; false waits until there is something to read.
func (r *stampedReader) receive(fd uintptr) bool {
	for {
		n, stamped, _, _, err := unix.Recvmsg(int(fd), r.p, r.control, 0)
		switch err {
		case unix.EINTR:
		case unix.EAGAIN:
			return false
		case nil:
			r.n, r.stamped = n, stamped
			return true
		default:
			r.err = err
			return true
		}
	}
}

// stampOf finds the time stamp in control messages of the kernel.
func stampOf(control []byte) (time.Time, bool) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return time.Time{}, false
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:]))), true
		}
	}
	return time.Time{}, false
}

// longestAge is what no bytes wait in a socket that is read: above it, and below 0, the wall clock
// was set in between.
const longestAge = time.Second

// ageOf is how long ago a stamp is; 0 if that cannot be told.
func ageOf(stamp, now time.Time) time.Duration {
	age := now.Round(0).Sub(stamp)
	if age < 0 || age > longestAge {
		return 0
	}
	return age
}
