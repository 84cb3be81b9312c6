package attach

import (
	"errors"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
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
func (d *Device) openVETH(home *netdev.Place) (fd int, err error) {
	if _, err := home.Named(d.cfg.Name); err == nil {
		return -1, ErrTaken
	}
	near, err := netdev.Hidden()
	if err != nil {
		return -1, err
	}
	near.Own = true
	if err = pair(&near, d.cfg.Name, home); err == nil {
		_, err = home.Named(d.cfg.Name)
	}
	if err == nil {
		err = home.Inside(func() error { return plain(d.cfg.Name) })
	}
	if err == nil {
		err = near.Inside(func() (err error) { fd, err = socket(near.Index); return err })
	}
	if err != nil {
		near.Close()
		return -1, err
	}
	d.kind, d.at = &veth{oob: make([]byte, netdev.AuxiliaryRoom())}, near
	return fd, nil
}

// pair makes the near end, and with it the far one.
func pair(p *netdev.Place, name string, home *netdev.Place) error {
	far := home.Space
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
	if err := p.Links.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: name, PeerNamespace: netlink.NsFd(far)}); err != nil {
		return err
	}
	l, err := p.Named(nearName)
	if err != nil {
		return err
	}
	// Nothing is ever sent by the kernel itself at this end: no address, so no neighbour discovery.
	if err = p.Links.LinkSetIP6AddrGenMode(l, noAddress); err != nil && !errors.Is(err, unix.EOPNOTSUPP) &&
		!errors.Is(err, unix.EAFNOSUPPORT) {
		return err
	}
	return p.Links.LinkSetMTU(l, longest)
}

const (
	noAddress = 1      // IN6_ADDR_GEN_MODE_NONE of linux/if_link.h
	longest   = 0xffff // MTU: the near end takes whatever the far one sends
)

// plain has a device send frames as they would be on a wire: with their checksums, and no longer
// than its MTU.
func plain(name string) error {
	active, err := netdev.Transmit.Active(name)
	if err != nil {
		return err
	}
	_, err = netdev.Switch(name, active, false)
	return err
}

// socket is a packet socket on a device.
func socket(index int) (fd int, err error) {
	return netdev.Socket(index, netdev.Option{Level: unix.SOL_SOCKET, Name: unix.SO_RCVBUFFORCE, Value: socketBuffer},
		netdev.Option{Level: unix.SOL_PACKET, Name: unix.PACKET_IGNORE_OUTGOING, Value: 1})
}

// read reads a frame, and puts the VLAN tag back into it, which the kernel has taken out.
func (v *veth) read(fd int, room []byte) (int, error) {
	n, oobn, _, _, err := unix.Recvmsg(fd, room[netdev.TagRoom:], v.oob, 0)
	if err != nil {
		return n, err
	}
	return netdev.RestoreTag(room, n, netdev.AuxiliaryData(v.oob[:oobn])), nil
}

// carrier has the near end up or down, of which the far one has its carrier.
func (*veth) carrier(at *netdev.Place, _ int, up bool) error {
	l, err := at.Links.LinkByIndex(at.Index)
	if err != nil {
		return err
	}
	if up {
		return at.Links.LinkSetUp(l)
	}
	return at.Links.LinkSetDown(l)
}

// present is known while the near end is up; as long as it is not, it does not matter.
func (*veth) present(flags uint32) bool {
	return flags&unix.IFF_UP == 0 || flags&unix.IFF_LOWER_UP != 0
}

// find finds nothing: the near end stays where it is, or has gone with the far one.
func (*veth) find(int) (netns.NsHandle, string, error) { return netns.None(), "", unix.ENODEV }
