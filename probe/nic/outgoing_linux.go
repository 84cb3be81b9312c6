package nic

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// outgoing are frames that are sent with as few calls as possible: nothing else has its turn between
// the fragments of a packet.
type outgoing struct {
	messages []message // not sent yet
	vectors  []unix.Iovec
}

func newOutgoing(frames [][]byte) *outgoing {
	o := &outgoing{messages: make([]message, len(frames)), vectors: make([]unix.Iovec, len(frames))}
	for i, f := range frames {
		if len(f) > 0 {
			o.vectors[i].Base = &f[0]
		}
		o.vectors[i].SetLen(len(f))
		o.messages[i].header.Iov = &o.vectors[i]
		o.messages[i].header.SetIovlen(1)
	}
	return o
}

// send sends what is left, and returns how many frames that was. After unix.EAGAIN it may be called
// again.
func (o *outgoing) send(fd uintptr) (sent int, err error) {
	for len(o.messages) > 0 {
		n, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&o.messages[0])), uintptr(len(o.messages)),
			unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			o.messages = o.messages[n:]
			sent += int(n)
		case unix.EINTR:
		default:
			return sent, errno
		}
	}
	return sent, nil
}
