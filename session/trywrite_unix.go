//go:build unix

package session

import (
	"net"
	"syscall"
)

// socketOf is how a TCP connection is written without waiting; nil if conn is none.
func socketOf(conn net.Conn) tryWriter {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	w := &rawWriter{raw: raw}
	w.do = w.write
	return w
}

// rawWriter writes to a socket once, whether it takes the bytes or not. One goroutine at a time
// uses it.
type rawWriter struct {
	raw syscall.RawConn
	do  func(fd uintptr) bool
	p   []byte
	n   int
	err error
}

// TryWrite is one write(2) to a socket that does not block.
func (w *rawWriter) TryWrite(p []byte) (int, error) {
	w.p, w.n, w.err = p, 0, nil
	if err := w.raw.Write(w.do); err != nil {
		return 0, err
	}
	w.p = nil
	return w.n, w.err
}

// write is called with the socket; true ends the calls.
func (w *rawWriter) write(fd uintptr) bool {
	for {
		n, err := syscall.Write(int(fd), w.p)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			return true
		case err != nil:
			w.err = err
		default:
			w.n = n
		}
		return true
	}
}
