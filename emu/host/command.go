package host

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// stage is the state of a command.
type stage uint8

const (
	sending   stage = iota
	waiting         // for the last answers
	done            // and lingering
	forgotten       // by the host
)

// linger is how long a finished ping or flow keeps its identifier or port, to count late answers.
const linger = 30 * time.Second

// destination checks that this host can send to an address, which may be a broadcast or multicast
// address if groups is set.
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

// maxPayload is the number of bytes behind the IP header in the largest packet to dst.
func (h *Host) maxPayload(dst packet.Addr) int {
	if dst.Is4() {
		return h.cfg.MTU - packet.IPv4Len
	}
	return min(h.cfg.MTU, maxMTU-packet.IPv6Len) - packet.IPv6Len
}
