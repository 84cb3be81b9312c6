package netdev

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// Option is a socket option with a whole number.
type Option struct{ Level, Name, Value int }

// Socket opens a packet socket on the device of an index, in the namespace of the thread, for frames
// of all kinds. It does not block, and VLAN tags come as auxiliary data (RestoreTag). Nothing is
// received before all options are set.
func Socket(index int, options ...Option) (fd int, err error) {
	all := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0); err != nil {
		return -1, err
	}
	for _, o := range append(options, Option{unix.SOL_PACKET, unix.PACKET_AUXDATA, 1}) {
		if err = unix.SetsockoptInt(fd, o.Level, o.Name, o.Value); err != nil {
			return -1, errors.Join(err, unix.Close(fd))
		}
	}
	if err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// Sizes in bytes.
const (
	// TagRoom is what RestoreTag needs before a frame.
	TagRoom = 4
	// auxiliary is that of a tpacket_auxdata of linux/if_packet.h.
	auxiliary = 20
)

// AuxiliaryRoom is how many bytes of control messages the auxiliary data of a frame take.
func AuxiliaryRoom() int { return unix.CmsgSpace(auxiliary) }

// RestoreTag makes a frame, of which n bytes were received at room[TagRoom:] with auxiliary data
// (nil for none), begin at room[0], with the VLAN tag that the kernel has taken out. It returns the
// frame's length.
func RestoreTag(room []byte, n int, auxiliaryData []byte) int {
	if n < 12 {
		return copy(room, room[TagRoom:TagRoom+n])
	}
	copy(room, room[TagRoom:TagRoom+12])
	tpid, tci, tagged := tag(auxiliaryData)
	if !tagged {
		copy(room[12:], room[TagRoom+12:TagRoom+n])
		return n
	}
	binary.BigEndian.PutUint16(room[12:], tpid)
	binary.BigEndian.PutUint16(room[14:], tci)
	return n + TagRoom
}

// AuxiliaryData finds the auxiliary data among the control messages of a frame; nil if there is
// none.
func AuxiliaryData(oob []byte) []byte {
	list, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for _, m := range list {
		if m.Header.Level == unix.SOL_PACKET && m.Header.Type == unix.PACKET_AUXDATA {
			return m.Data
		}
	}
	return nil
}

// tag is the one that a frame had.
func tag(data []byte) (tpid, tci uint16, tagged bool) {
	if len(data) < auxiliary {
		return 0, 0, false
	}
	status := binary.NativeEndian.Uint32(data)
	if status&unix.TP_STATUS_VLAN_VALID == 0 {
		return 0, 0, false
	}
	tpid = unix.ETH_P_8021Q
	if status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
		tpid = binary.NativeEndian.Uint16(data[18:])
	}
	return tpid, binary.NativeEndian.Uint16(data[16:]), true
}
