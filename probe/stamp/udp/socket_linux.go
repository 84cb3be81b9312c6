package udp

import (
	"encoding/binary"
	"errors"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/probe/stamp"
)

// control is what the kernel says beside a datagram.
type control struct {
	at   time.Time // when it left or came; zero: not said
	ttl  uint8
	id   uint32 // of one that left: its number
	from []byte // the control message that has a reply leave from where the request came to
}

// onSocket calls set with the socket of a connection.
func onSocket(conn syscall.Conn, set func(fd int) error) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	return errors.Join(raw.Control(func(fd uintptr) { failed = set(int(fd)) }), failed)
}

// option is a socket option that is switched on.
type option struct{ level, name, value int }

// either sets those of IPv4 and those of IPv6, as far as the socket has them: one at least.
func either(fd int, of4, of6 []option) error {
	set := func(list []option) error {
		for _, o := range list {
			if err := unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
				return err
			}
		}
		return nil
	}
	four, six := set(of4), set(of6)
	if four != nil && six != nil {
		return six
	}
	return nil
}

// stampRequests has the kernel tell when datagrams left, by their numbers, and when they came.
func stampRequests(conn *net.UDPConn) error {
	const flags = unix.SOF_TIMESTAMPING_SOFTWARE | unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_TX_SOFTWARE |
		unix.SOF_TIMESTAMPING_OPT_ID | unix.SOF_TIMESTAMPING_OPT_TSONLY
	return onSocket(conn, func(fd int) error {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING_NEW, flags); err != nil {
			return err
		}
		return either(fd, []option{{unix.SOL_IP, unix.IP_TTL, maxTTL}}, []option{{unix.SOL_IPV6, unix.IPV6_UNICAST_HOPS, maxTTL}})
	})
}

// stampReplies has the kernel tell when datagrams came, with which TTL and to which address.
func stampReplies(conn *net.UDPConn) error {
	return onSocket(conn, func(fd int) error {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING_NEW,
			unix.SOF_TIMESTAMPING_SOFTWARE|unix.SOF_TIMESTAMPING_RX_SOFTWARE); err != nil {
			return err
		}
		return either(fd, []option{{unix.SOL_IP, unix.IP_RECVTTL, 1}, {unix.SOL_IP, unix.IP_PKTINFO, 1}},
			[]option{{unix.SOL_IPV6, unix.IPV6_RECVHOPLIMIT, 1}, {unix.SOL_IPV6, unix.IPV6_RECVPKTINFO, 1}})
	})
}

// readControl reads the messages beside a datagram.
func readControl(oob []byte) (c control) {
	for len(oob) > 0 {
		h, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			return c
		}
		c.read(h, data)
		oob = rest
	}
	return c
}

func (c *control) read(h unix.Cmsghdr, data []byte) {
	if software, _, ok := netdev.Times(h, data); ok && software > 0 {
		c.at = time.Unix(0, software)
	}
	is := func(level, kind int32, length int) bool {
		return h.Level == level && h.Type == kind && len(data) >= length
	}
	switch {
	case is(unix.SOL_IP, unix.IP_TTL, 4), is(unix.SOL_IPV6, unix.IPV6_HOPLIMIT, 4):
		c.ttl = uint8(binary.NativeEndian.Uint32(data))
	case is(unix.SOL_IP, unix.IP_RECVERR, 16), is(unix.SOL_IPV6, unix.IPV6_RECVERR, 16): // struct sock_extended_err
		if data[4] == unix.SO_EE_ORIGIN_TIMESTAMPING {
			c.id = binary.NativeEndian.Uint32(data[12:])
		}
	case is(unix.SOL_IP, unix.IP_PKTINFO, unix.SizeofInet4Pktinfo) && c.from == nil:
		c.from = unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: [4]byte(data[4:8])})
	case is(unix.SOL_IPV6, unix.IPV6_PKTINFO, unix.SizeofInet6Pktinfo):
		p := unix.Inet6Pktinfo{Addr: [16]byte(data[:16])}
		if data[0] == 0xfe && data[1]&0xc0 == 0x80 { // of the link: it needs the interface
			p.Ifindex = binary.NativeEndian.Uint32(data[16:])
		}
		c.from = unix.PktInfo6(&p)
	}
}

// watch calls left with each datagram that left, and came with each that came, until the connection
// is closed. Whatever the other end's kernel refuses is told to refused.
func watch(conn *net.UDPConn, left func(control), came func([]byte, control), refused func(error)) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	room, oob := make([]byte, longest), make([]byte, 512)
	for {
		err := raw.Read(func(fd uintptr) bool {
			for {
				_, o, _, _, err := unix.Recvmsg(int(fd), room, oob, unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
				sent := err == nil
				if sent {
					left(readControl(oob[:o]))
				}
				n, o, _, _, err := unix.Recvmsg(int(fd), room, oob, unix.MSG_DONTWAIT)
				if err == nil {
					came(room[:n], readControl(oob[:o]))
				} else if err != unix.EAGAIN && err != unix.EINTR {
					refused(err)
				} else if !sent {
					return false
				}
			}
		})
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		time.Sleep(notReadable)
	}
}

// notReadable is how long it takes to look again at a socket that Go's poller has given up for a
// moment: only its queue of sent datagrams was ready.
const notReadable = 100 * time.Microsecond

// ownClock is what the kernel knows of this machine's clock.
func ownClock() stamp.Accuracy {
	var t unix.Timex
	if _, err := unix.Adjtimex(&t); err != nil || t.Status&unix.STA_UNSYNC != 0 {
		return stamp.Accuracy{Error: unknownError}
	}
	return stamp.Accuracy{Synchronised: true, Error: time.Duration(t.Maxerror) * time.Microsecond}
}
