package attach

import (
	"io/fs"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/packet"
)

// configure gives the machine's end what was asked for. A device that was there and has it needs no
// privilege for it.
func (d *Device) configure(home *netdev.Place) error {
	if err := d.SetCarrier(false); err != nil {
		return err
	}
	l, err := home.Links.LinkByIndex(home.Index)
	if err != nil {
		return err
	}
	has := l.Attrs()
	if m := d.cfg.MAC; m != (packet.MAC{}) && packet.MAC(has.HardwareAddr) != m {
		if err := home.Links.LinkSetHardwareAddr(l, net.HardwareAddr(m[:])); err != nil {
			return err
		}
		has.HardwareAddr = m[:]
	}
	d.mac = packet.MAC(has.HardwareAddr)
	if d.cfg.MTU != 0 && has.MTU != d.cfg.MTU {
		if err := home.Links.LinkSetMTU(l, d.cfg.MTU); err != nil {
			return err
		}
	}
	for _, p := range d.cfg.Addresses {
		if err := address(home, l, p); err != nil {
			return err
		}
	}
	if has.RawFlags&unix.IFF_UP != 0 {
		return nil
	}
	return home.Links.LinkSetUp(l)
}

func address(p *netdev.Place, l netlink.Link, prefix netip.Prefix) error {
	a, err := netlink.ParseAddr(prefix.String())
	if err != nil {
		return err
	}
	if prefix.Addr().Is6() {
		a.Flags = unix.IFA_F_NODAD // it can be used at once, also while there is no carrier
	}
	return p.Links.AddrReplace(l, a)
}

// moved looks for a device that has left its place; false if it has gone.
func (d *Device) moved() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	var to netdev.Place
	failed := fs.ErrNotExist
	err := d.raw.Control(func(fd uintptr) {
		space, name, err := d.kind.find(int(fd))
		if err == nil {
			if to, err = netdev.In(space); err == nil {
				if _, err = to.Named(name); err != nil {
					to.Close()
				}
			}
		}
		failed = err
	})
	if err != nil || failed != nil {
		return false
	}
	d.at.Close()
	d.at = to
	return true
}
