package netlab

import (
	"encoding/binary"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// observer shows the beginnings of the frames that go by an interface, either way, with the
// kernel's own time stamps. It waits in Go's poller: in a system call it would keep others from
// running.
type observer struct {
	t    testing.TB
	file *os.File
	done sync.WaitGroup
	see  func(at time.Time, frame []byte) // by its own goroutine, until done
}

// drain is how long an observer waits for one more frame at the end.
const drain = 20 * time.Millisecond

// seenBytes is how much of a frame is shown.
const seenBytes = 192

func (h *Host) watch(see func(at time.Time, frame []byte)) *observer {
	h.lab.t.Helper()
	s, err := h.raw()
	for _, option := range []struct{ name, value int }{{unix.SO_TIMESTAMPNS, 1}, {unix.SO_RCVBUFFORCE, 8 << 20}} {
		if err == nil {
			err = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, option.name, option.value)
		}
	}
	if err == nil {
		err = unix.SetNonblock(s.fd, true)
	}
	if err != nil {
		h.lab.t.Fatal(err)
	}
	o := &observer{t: h.lab.t, file: os.NewFile(uintptr(s.fd), h.Name), see: see}
	o.done.Go(o.run)
	return o
}

// run reads until the end, of which the file's deadline tells.
func (o *observer) run() {
	defer o.file.Close()
	raw, err := o.file.SyscallConn()
	if err != nil {
		o.t.Error(err)
		return
	}
	frame, oob := make([]byte, seenBytes), make([]byte, 64)
	for err == nil {
		err = raw.Read(func(fd uintptr) bool {
			n, oobn, _, _, err := unix.Recvmsg(int(fd), frame, oob, 0)
			if err == unix.EAGAIN {
				return false
			}
			if err == nil {
				o.see(stamp(oob[:oobn]), frame[:n])
			}
			return true
		})
	}
}

// stamp is the time that the kernel gives a frame: a struct timespec.
func stamp(oob []byte) time.Time {
	list, _ := unix.ParseSocketControlMessage(oob)
	for _, m := range list {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return time.Time{}
}

// end waits until all has been shown.
func (o *observer) end() {
	if err := o.file.SetReadDeadline(time.Now().Add(drain)); err != nil {
		o.t.Error(err)
	}
	o.done.Wait()
}
