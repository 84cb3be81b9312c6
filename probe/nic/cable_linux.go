package nic

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
)

// noAddress is IN6_ADDR_GEN_MODE_NONE of linux/if_link.h.
const noAddress = 1

// Cable makes a pair of interfaces that are joined to each other, with an MTU, in a namespace of
// their own in which nobody else speaks. They end with the process, if not by unplug before.
func Cable(mtu int) (a, b Config, unplug func(), err error) {
	at, err := netdev.Hidden()
	if err != nil {
		return a, b, nil, reason(Config{Interface: "a cable"}, err)
	}
	if err := cable(&at, mtu); err != nil {
		at.Close()
		return a, b, nil, reason(Config{Interface: "a cable"}, err)
	}
	a = Config{Interface: "a", Namespace: fmt.Sprintf("/proc/self/fd/%d", int(at.Space)), AsIs: true}
	b = a
	b.Interface = "b"
	return a, b, at.Close, nil
}

func cable(at *netdev.Place, mtu int) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = "a", mtu
	if err := at.Links.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "b", PeerMTU: uint32(mtu)}); err != nil {
		return err
	}
	at.Own = true
	for _, name := range []string{"b", "a"} {
		l, err := at.Named(name)
		if err != nil {
			return err
		}
		if err := at.Links.LinkSetIP6AddrGenMode(l, noAddress); err != nil && !errors.Is(err, unix.EOPNOTSUPP) &&
			!errors.Is(err, unix.EAFNOSUPPORT) {
			return err
		}
		if err := at.Inside(func() error { return bare(name) }); err != nil {
			return err
		}
		if err := at.Links.LinkSetUp(l); err != nil {
			return err
		}
	}
	return nil
}

// bare switches an interface's offloads off.
func bare(name string) error {
	features, err := (netdev.Transmit | netdev.Receive).Active(name)
	if err == nil {
		_, err = netdev.Switch(name, features, false)
	}
	return err
}
