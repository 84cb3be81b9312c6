package discovery

import (
	"net/netip"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Address tells that a host has an address, from a source as certain as the host itself: a DHCP server gave it to it. The
// host must be known already; its place is not touched. It does not wait.
func (d *Discovery) Address(id netview.HostID, ip netip.Addr) {
	if !d.put(input{kind: inputAddress, sighting: sighting{id: id, ip: packet.AddrFrom(ip), certain: true}}) {
		d.core.Counts.DroppedFrames.Add(1)
	}
}

// addressed adds an address to a host that is confirmed.
func (c *Core) addressed(s *sighting) {
	h, ok := c.tx.Host(s.id)
	if !ok || h.State != netview.HostConfirmed || !usable(s.ip) {
		return
	}
	next := *h
	if next.IPs = c.withIP(&next, s); len(next.IPs) != len(h.IPs) || !sameIPs(next.IPs, h.IPs) {
		c.tx.PutHost(&next)
	}
}

func sameIPs(a, b []netip.Addr) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
