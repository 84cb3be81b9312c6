package host

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// stage is how far a command has come.
type stage uint8

const (
	sending stage = iota
	waiting       // for the last answers
	done          // and lingering
	gone          // forgotten by the host
)

// linger is how long a finished ping or flow still has its identifier or port, so that what comes
// late is counted where it belongs.
const linger = 30 * time.Second

// destination checks that this host can send to an address; groups reports whether it may be a
// broadcast or multicast address.
func (h *Host) destination(a netip.Addr, groups bool) (packet.Addr, error) {
	dst := packet.AddrFrom(a)
	_, group := h.groupMAC(dst)
	switch _, ok := h.source(dst); {
	case !a.IsValid() || a.Zone() != "" || group && !groups, !group && !unicast(dst):
		return dst, fmt.Errorf("destination %q: want the address of a host such as 10.0.0.2 or fd00::2", a)
	case h.own(dst):
		return dst, fmt.Errorf("destination %s is this host's own", a)
	case !ok:
		return dst, fmt.Errorf("destination %s: this host has no address of that version of IP", a)
	}
	return dst, nil
}

// room is how many bytes follow the IP header in the largest packet to dst.
func (h *Host) room(dst packet.Addr) int {
	if dst.Is4() {
		return h.cfg.MTU - packet.IPv4Len
	}
	return min(h.cfg.MTU, maxMTU-packet.IPv6Len) - packet.IPv6Len
}
