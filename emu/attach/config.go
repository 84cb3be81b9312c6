package attach

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/packet"
)

// Kind is a kind of device.
type Kind string

// The kinds of devices.
const (
	// TAP is a device whose other end is this process.
	TAP Kind = "tap"
	// VETH is a pair of devices, of which one is the machine's and the other is read and written by
	// this process.
	VETH Kind = "veth"
)

// Config is a device to be made.
type Config struct {
	Name string
	Kind Kind // empty: TAP
	// Namespace is the network namespace that has the device: a name, as of ip netns, or a path,
	// such as /proc/1234/ns/net. Empty: that of the process.
	Namespace string
	MAC       packet.MAC     // zero: one that the kernel draws
	MTU       int            // bytes of an IP packet; 0: the kernel's, or what the device has
	Addresses []netip.Prefix // none is allowed
}

// Limits of an MTU. IPv6 wants 1280 of each link; the smallest is what the kernel takes for IPv4.
const (
	MinMTU = 68
	MaxMTU = 9216
)

// maxName is the longest name of a device, in bytes.
const maxName = 15

// Reasons why a device could not be made; Open's errors wrap them.
var (
	// ErrPrivilege: the process may not make devices.
	ErrPrivilege = errors.New("making network devices needs root or CAP_NET_ADMIN: run it with sudo, or without --attach")
	// ErrNoTUN: the kernel has no TAP devices, or a container does not let them through.
	ErrNoTUN = errors.New("there is no /dev/net/tun: load it with modprobe tun, in a container start that with --device /dev/net/tun, or say type=veth")
	// ErrTaken: there is such a device already.
	ErrTaken = errors.New("there is such a device already: want another name, or take that away with ip link del")
	// ErrNoNamespace: there is no such network namespace.
	ErrNoNamespace = netdev.ErrNoNamespace
)

// checkName reports whether a device may have a name, as the kernel wants it (dev_valid_name in
// net/core/dev.c, and no % that it would put a number for).
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("no device given, want SWITCH=DEVICE, such as s1=tap1")
	case len(name) > maxName:
		return fmt.Errorf("device %q given, which has %d bytes: want at most %d, such as tap1", name, len(name), maxName)
	case name == "." || name == ".." || strings.ContainsAny(name, "/:% \t\n\v\f\r"):
		return fmt.Errorf("device %q given, want a name of letters, digits, - and _, such as tap1", name)
	}
	return nil
}
