package attach

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// veth is a pair of devices: one end is the machine's, the other is in a network namespace that
// only this process holds, and is read and written by a packet socket there. When the process ends,
// the namespace ends, and the pair with it.
type veth struct {
	oob []byte // room for what a socket says beside a frame
}

// nearName is that of the end that nobody sees.
const nearName = "near"

// socketBuffer is how many bytes of frames wait to be read, at most.
const socketBuffer = 8 << 20

// openVETH makes the pair. The carrier is seen at the near end: it has one when the machine's end
// is up, wherever that goes.
func (d *Device) openVETH(home *place) (fd int, err error) {
	if _, err := home.named(d.cfg.Name); err == nil {
		return -1, ErrTaken
	}
	near, err := hidden()
	if err != nil {
		return -1, err
	}
	near.own = true
	if err = near.pair(d.cfg.Name, home); err == nil {
		_, err = home.named(d.cfg.Name)
	}
	if err == nil {
		err = home.inside(func() error { return plain(d.cfg.Name) })
	}
	if err == nil {
		err = near.inside(func() (err error) { fd, err = socket(near.index); return err })
	}
	if err != nil {
		near.close()
		return -1, err
	}
	d.kind, d.at = &veth{oob: make([]byte, unix.CmsgSpace(auxiliary))}, near
	return fd, nil
}

// pair makes the near end, and with it the far one.
func (p *place) pair(name string, home *place) error {
	far := home.space
	if !far.IsOpen() {
		own, err := netns.Get()
		if err != nil {
			return err
		}
		defer own.Close()
		far = own
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name = nearName
	if err := p.link.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: name, PeerNamespace: netlink.NsFd(far)}); err != nil {
		return err
	}
	l, err := p.named(nearName)
	if err != nil {
		return err
	}
	// Nothing is ever sent by the kernel itself at this end: no address, so no neighbour discovery.
	if err = p.link.LinkSetIP6AddrGenMode(l, noAddress); err != nil && !errors.Is(err, unix.EOPNOTSUPP) &&
		!errors.Is(err, unix.EAFNOSUPPORT) {
		return err
	}
	return p.link.LinkSetMTU(l, longest)
}

const (
	noAddress = 1      // IN6_ADDR_GEN_MODE_NONE of linux/if_link.h
	longest   = 0xffff // MTU: the near end takes whatever the far one sends
	auxiliary = 20     // bytes of a tpacket_auxdata of linux/if_packet.h
)

// plain has a device send frames as they would be on a wire: with their checksums, and no longer
// than its MTU.
func plain(name string) error {
	tool, err := ethtool.NewEthtool()
	if err != nil {
		return err
	}
	defer tool.Close()
	has, err := tool.Features(name)
	if err != nil {
		return fmt.Errorf("offloads: %w", err)
	}
	off := map[string]bool{}
	for feature, on := range has {
		switch feature {
		case "tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6", "tx-checksum-sctp", "tx-generic-segmentation",
			"tx-tcp-segmentation", "tx-tcp6-segmentation", "tx-tcp-ecn-segmentation",
			"tx-tcp-mangleid-segmentation", "tx-udp-segmentation",
			"tx-sctp-segmentation", "tx-gso-list", "tx-scatter-gather-fraglist":
			if on {
				off[feature] = false
			}
		}
	}
	return tool.Change(name, off)
}

// socket is a packet socket on a device.
func socket(index int) (fd int, err error) {
	all := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0); err != nil {
		return -1, err
	}
	for _, o := range []struct{ level, name, value int }{
		{unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, socketBuffer},
		{unix.SOL_PACKET, unix.PACKET_AUXDATA, 1},
		{unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1},
	} {
		if err = unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
			return -1, errors.Join(err, unix.Close(fd))
		}
	}
	if err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// read reads a frame, and puts the VLAN tag back into it, which the kernel has taken out.
func (v *veth) read(fd int, room []byte) (int, error) {
	const tag = 4
	n, oobn, _, _, err := unix.Recvmsg(fd, room[tag:], v.oob, 0)
	if err != nil || n < 12 {
		return n, err
	}
	copy(room, room[tag:tag+12])
	tpid, tci, tagged := vlanOf(v.oob[:oobn])
	if !tagged {
		copy(room[12:], room[tag+12:tag+n])
		return n, nil
	}
	binary.BigEndian.PutUint16(room[12:], tpid)
	binary.BigEndian.PutUint16(room[14:], tci)
	return n + tag, nil
}

// vlanOf is the tag that a frame had.
func vlanOf(oob []byte) (tpid, tci uint16, tagged bool) {
	list, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return 0, 0, false
	}
	for _, m := range list {
		if m.Header.Level != unix.SOL_PACKET || m.Header.Type != unix.PACKET_AUXDATA || len(m.Data) < auxiliary {
			continue
		}
		status := binary.NativeEndian.Uint32(m.Data)
		if status&unix.TP_STATUS_VLAN_VALID == 0 {
			continue
		}
		tpid = unix.ETH_P_8021Q
		if status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
			tpid = binary.NativeEndian.Uint16(m.Data[18:])
		}
		return tpid, binary.NativeEndian.Uint16(m.Data[16:]), true
	}
	return 0, 0, false
}

// carrier has the near end up or down, of which the far one has its carrier.
func (*veth) carrier(at *place, _ int, up bool) error {
	l, err := at.link.LinkByIndex(at.index)
	if err != nil {
		return err
	}
	if up {
		return at.link.LinkSetUp(l)
	}
	return at.link.LinkSetDown(l)
}

// present is known while the near end is up; as long as it is not, it does not matter.
func (*veth) present(flags uint32) bool {
	return flags&unix.IFF_UP == 0 || flags&unix.IFF_LOWER_UP != 0
}

// find finds nothing: the near end stays where it is, or has gone with the far one.
func (*veth) find(int) (netns.NsHandle, string, error) { return netns.None(), "", unix.ENODEV }
