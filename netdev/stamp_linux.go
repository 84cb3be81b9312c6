package netdev

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Times reads the control message of SO_TIMESTAMPING_NEW (struct scm_timestamping64: three times of
// seconds and nanoseconds, of which the second is not used any more): the kernel's time and the
// interface's, in nanoseconds, 0 of one that was not taken. ok is false for any other message.
func Times(h unix.Cmsghdr, data []byte) (software, hardware int64, ok bool) {
	if h.Level != unix.SOL_SOCKET || h.Type != unix.SO_TIMESTAMPING_NEW || len(data) < 48 {
		return 0, 0, false
	}
	return nanoseconds(data), nanoseconds(data[32:]), true
}

func nanoseconds(b []byte) int64 {
	return int64(binary.NativeEndian.Uint64(b))*1e9 + int64(binary.NativeEndian.Uint64(b[8:]))
}
