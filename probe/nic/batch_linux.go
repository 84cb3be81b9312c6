package nic

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
)

const (
	// batchSize is how many frames are read at a time.
	batchSize = 64
	// longest is the longest frame, in bytes: that of the highest MTU of loopback, with tags.
	longest = 65536 + 32
	// controlRoom is for the messages beside a frame: a stamp, auxiliary data, and the extended
	// error of a sent frame's stamp.
	controlRoom = 256
)

// message is a struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
}

// batch is room for the frames that are read at a time. Its memory is touched as far as frames are
// long.
type batch struct {
	messages []message
	vectors  []unix.Iovec
	names    []unix.RawSockaddrLinklayer
	control  []byte
	room     []byte
	kept     int // bytes of each frame
}

// each is the room for a frame. The kernel does not tell how long a sent one was of which it gives
// only the beginning, so there is room for all of it.
const each = netdev.TagRoom + longest

func newBatch(kept int) *batch {
	if kept == 0 {
		kept = longest
	}
	b := &batch{kept: kept, messages: make([]message, batchSize), vectors: make([]unix.Iovec, batchSize),
		names: make([]unix.RawSockaddrLinklayer, batchSize), control: make([]byte, batchSize*controlRoom),
		room: make([]byte, batchSize*each)}
	for i := range b.messages {
		b.vectors[i].Base = &b.room[i*each+netdev.TagRoom]
		h := &b.messages[i].header
		h.Iov, h.Control, h.Name = &b.vectors[i], &b.control[i*controlRoom], (*byte)(unsafe.Pointer(&b.names[i]))
		h.SetIovlen(1)
	}
	return b
}

// read reads as many frames as there are, at most batchSize; 0 if there is none. With
// MSG_ERRQUEUE it reads frames that were sent, with their stamps.
func (b *batch) read(fd uintptr, flags int) (int, error) {
	size := b.kept
	if flags&unix.MSG_ERRQUEUE != 0 {
		size = longest
	}
	for i := range b.messages {
		b.vectors[i].SetLen(size)
		h := &b.messages[i].header
		h.Namelen = unix.SizeofSockaddrLinklayer
		h.SetControllen(controlRoom)
	}
	for {
		n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&b.messages[0])), batchSize,
			uintptr(flags|unix.MSG_DONTWAIT|unix.MSG_TRUNC), 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR, unix.ENETDOWN: // which a socket says once
		case unix.EAGAIN:
			return 0, nil
		default:
			return 0, errno
		}
	}
}

// frame is the i-th that was read: its stamp is 0 if it has none.
func (b *batch) frame(i int, s Stamps) Frame {
	m := &b.messages[i]
	c := parseControl(b.control[i*controlRoom : i*controlRoom+int(m.header.Controllen)])
	room := b.room[i*each : (i+1)*each]
	kept := min(int(m.length), b.kept)
	n := netdev.RestoreTag(room, kept, c.auxiliary)
	return Frame{At: c.of(s), Out: b.names[i].Pkttype == unix.PACKET_OUTGOING, Length: int(m.length) + n - kept,
		Bytes: room[:n]}
}
