package traffic

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// Host is one of Linux's own at an interface: a network namespace without a name, so that packets
// between two of them go over the wire, with a device of its own (macvlan) at the interface. It ends
// with the process, if not before.
type Host struct {
	at      netdev.Place
	address netip.Addr
}

// HostConfig says who a host is.
type HostConfig struct {
	Interface nic.Config
	MAC       packet.MAC
	Address   packet.Addr // of IPv4
}

// width is how long the prefix of hosts' addresses is: that of the network for benchmarks (RFC 2544,
// appendix C.2.2).
const width = 15

// NewHost makes a host. The error is a probe.Refusal, or the kernel's.
func NewHost(c HostConfig) (*Host, error) {
	h := &Host{address: c.Address.Netip()}
	below, err := netdev.At(c.Interface.Namespace)
	if err != nil {
		return nil, hostless(&c, err)
	}
	defer below.Close()
	if h.at, err = netdev.Hidden(); err != nil {
		return nil, hostless(&c, err)
	}
	if err := h.plug(&below, &c); err != nil {
		h.Close()
		return nil, hostless(&c, err)
	}
	return h, nil
}

// deviceName is that of a host's device in its namespace.
const deviceName = "eth0"

// busy is how long a host before, of a process that was killed, may have the same MAC.
const busy = 2 * time.Second

// plug makes the host's device and gives it the address.
func (h *Host) plug(below *netdev.Place, c *HostConfig) error {
	parent, err := below.Named(c.Interface.Interface)
	if err != nil {
		return err
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.ParentIndex, attrs.MTU = deviceName, parent.Attrs().Index, parent.Attrs().MTU
	attrs.HardwareAddr, attrs.Namespace = net.HardwareAddr(c.MAC[:]), netlink.NsFd(h.at.Space)
	if err := below.Links.LinkAdd(&netlink.Macvlan{LinkAttrs: attrs, Mode: netlink.MACVLAN_MODE_PRIVATE}); err != nil {
		return err
	}
	device, err := h.at.Named(deviceName)
	if err != nil {
		return err
	}
	h.at.Own = true
	if err := h.at.Links.LinkSetIP6AddrGenMode(device, noAddress); err != nil && !errors.Is(err, unix.EOPNOTSUPP) &&
		!errors.Is(err, unix.EAFNOSUPPORT) {
		return err
	}
	address := &netlink.Addr{IPNet: &net.IPNet{IP: h.address.AsSlice(), Mask: net.CIDRMask(width, 32)}}
	for _, step := range []func() error{
		func() error { return h.at.Inside(bare) },
		func() error { return h.at.Links.AddrAdd(device, address) },
		func() error { return h.start(device) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// bare switches off what the device would do to frames.
func bare() error {
	features, err := (netdev.Transmit | netdev.Receive).Active(deviceName)
	if err == nil {
		_, err = netdev.Switch(deviceName, features, false)
	}
	return err
}

// noAddress is IN6_ADDR_GEN_MODE_NONE of linux/if_link.h.
const noAddress = 1

// Address is the host's.
func (h *Host) Address() packet.Addr { return packet.AddrFrom(h.address) }

// Close ends the host.
func (h *Host) Close() { h.at.Close() }

// hostless says of a kernel's error what a user can do about it.
func hostless(c *HostConfig, err error) error {
	name, missing := c.Interface.String(), netlink.LinkNotFoundError{}
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return &probe.Refusal{Why: probe.ErrPrivilege, Seen: fmt.Sprintf("a host at %s: %v", name, err),
			Want: "root, or CAP_NET_RAW, CAP_NET_ADMIN and CAP_SYS_ADMIN", Do: "run it with sudo"}
	case errors.Is(err, netdev.ErrNoNamespace), errors.As(err, &missing), errors.Is(err, unix.ENODEV):
		return &probe.Refusal{Why: probe.ErrNoInterface, Seen: name, Want: "one of ip link", Do: "name another one"}
	case errors.Is(err, unix.EBUSY):
		return &probe.Refusal{Why: probe.ErrHost, Seen: name + " is a port of a bridge, a bond or the like",
			Want: "one that is free", Do: "take it out, or name another one"}
	case errors.Is(err, unix.EADDRINUSE):
		return &probe.Refusal{Why: probe.ErrHost, Seen: fmt.Sprintf("%s has a host with the address %v", name, c.MAC),
			Want: "none", Do: "wait for the end of the other probe"}
	case errors.Is(err, unix.EOPNOTSUPP):
		return &probe.Refusal{Why: probe.ErrHost, Seen: "this kernel has no macvlan devices", Want: "them",
			Do: "modprobe macvlan, or measure with --proto udp, which needs none"}
	}
	return fmt.Errorf("a host at %s: %w", name, err)
}
