package netlab

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
)

// socket is a raw Ethernet socket on a host's interface. It stays in the host's namespace, whoever
// uses it.
type socket struct {
	fd    int
	index int
}

// raw opens a raw socket on the host's interface that receives every frame of any type.
func (h *Host) raw() (s socket, err error) {
	at, err := netdev.At(h.Netns)
	if err != nil {
		return socket{}, err
	}
	defer at.Close()
	err = at.Inside(func() error {
		device, err := net.InterfaceByName(h.Dev)
		if err != nil {
			return err
		}
		all := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(all))
		if err != nil {
			return err
		}
		s = socket{fd: fd, index: device.Index}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: device.Index})
	})
	if err != nil {
		return socket{}, fmt.Errorf("raw socket of host %s: %w", h.Name, err)
	}
	return s, nil
}

func (s socket) send(frame []byte) error {
	return unix.Sendto(s.fd, frame, 0, &unix.SockaddrLinklayer{Ifindex: s.index, Halen: 6})
}

// stormy is how many frames receive reads at most: a storm must not keep it for ever.
const stormy = 100_000

// receive calls f with each frame that came in from the wire since the last call, until none comes
// for the time given.
func (s socket) receive(quiet time.Duration, f func(frame []byte)) error {
	limit := unix.NsecToTimeval(quiet.Nanoseconds())
	if err := unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return err
	}
	buffer := make([]byte, 65536)
	for range stormy {
		n, from, err := unix.Recvfrom(s.fd, buffer, 0)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return nil
		case err != nil:
			return err
		case from.(*unix.SockaddrLinklayer).Pkttype != unix.PACKET_OUTGOING:
			f(buffer[:n])
		}
	}
	return nil
}

func (s socket) close() { unix.Close(s.fd) }
