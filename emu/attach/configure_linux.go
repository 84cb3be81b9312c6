package attach

import (
	"io/fs"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/packet"
)

// configure gives the machine's end what was asked for. A device that was there and has it needs no
// privilege for it.
func (d *Device) configure(home *place) error {
	if err := d.SetCarrier(false); err != nil {
		return err
	}
	l, err := home.link.LinkByIndex(home.index)
	if err != nil {
		return err
	}
	has := l.Attrs()
	if m := d.cfg.MAC; m != (packet.MAC{}) && packet.MAC(has.HardwareAddr) != m {
		if err := home.link.LinkSetHardwareAddr(l, net.HardwareAddr(m[:])); err != nil {
			return err
		}
		has.HardwareAddr = m[:]
	}
	d.mac = packet.MAC(has.HardwareAddr)
	if d.cfg.MTU != 0 && has.MTU != d.cfg.MTU {
		if err := home.link.LinkSetMTU(l, d.cfg.MTU); err != nil {
			return err
		}
	}
	for _, p := range d.cfg.Addresses {
		if err := home.address(l, p); err != nil {
			return err
		}
	}
	if has.RawFlags&unix.IFF_UP != 0 {
		return nil
	}
	return home.link.LinkSetUp(l)
}

func (p *place) address(l netlink.Link, prefix netip.Prefix) error {
	a, err := netlink.ParseAddr(prefix.String())
	if err != nil {
		return err
	}
	if prefix.Addr().Is6() {
		a.Flags = unix.IFA_F_NODAD // it can be used at once, also while there is no carrier
	}
	return p.link.AddrReplace(l, a)
}

// moved looks for a device that has left its place; false if it has gone.
func (d *Device) moved() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	var to place
	failed := fs.ErrNotExist
	err := d.raw.Control(func(fd uintptr) {
		space, name, err := d.kind.find(int(fd))
		if err == nil {
			if to, err = placeIn(space); err == nil {
				if _, err = to.named(name); err != nil {
					to.close()
				}
			}
		}
		failed = err
	})
	if err != nil || failed != nil {
		return false
	}
	d.at.close()
	d.at = to
	return true
}
