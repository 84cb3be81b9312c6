package attach

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
)

// tap is a TAP device: each read and write of the descriptor is a whole Ethernet frame, with its
// VLAN tag, with all checksums, and no longer than the MTU allows
// (Documentation/networking/tuntap.rst).
type tap struct{}

// openTAP makes the TAP device, or takes one that is there.
func (d *Device) openTAP(home *netdev.Place) (fd int, err error) {
	if l, err := home.Named(d.cfg.Name); err == nil {
		if t, ok := l.(*netlink.Tuntap); !ok || t.Mode != netlink.TUNTAP_MODE_TAP {
			return -1, ErrTaken
		}
	}
	if err = home.Inside(func() (err error) { fd, err = newTAP(d.cfg.Name); return err }); err != nil {
		return -1, err
	}
	if _, err = home.Named(d.cfg.Name); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	d.kind, d.at = tap{}, *home
	return fd, nil
}

func newTAP(name string) (fd int, err error) {
	if fd, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return -1, noTUN(err)
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// noTUN says of an error of opening /dev/net/tun that there is none, if so. Without the module
// there is the file, but no device.
func noTUN(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO) {
		return fmt.Errorf("%w (%w)", ErrNoTUN, err)
	}
	return err
}

func (tap) read(fd int, room []byte) (int, error) { return unix.Read(fd, room) }

func (tap) carrier(_ *netdev.Place, fd int, up bool) error {
	value := 0
	if up {
		value = 1
	}
	return unix.IoctlSetPointerInt(fd, unix.TUNSETCARRIER, value)
}

func (tap) present(flags uint32) bool { return flags&unix.IFF_UP != 0 }

// find asks the descriptor, which stays the device's wherever that goes.
func (tap) find(fd int) (netns.NsHandle, string, error) {
	space, err := unix.IoctlRetInt(fd, unix.TUNGETDEVNETNS)
	if err != nil {
		return netns.None(), "", err
	}
	request, err := unix.NewIfreq("")
	if err == nil {
		err = unix.IoctlIfreq(fd, unix.TUNGETIFF, request)
	}
	if err != nil {
		_ = unix.Close(space)
		return netns.None(), "", err
	}
	return netns.NsHandle(space), request.Name(), nil
}
