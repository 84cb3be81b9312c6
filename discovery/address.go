package discovery

import (
	"net/netip"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Address reports an address of a host from a source as reliable as the host itself: a DHCP server
// assigned it. The host must be known already; its location does not change. It does not block.
func (d *Discovery) Address(id netview.HostID, ip netip.Addr) {
	if !d.put(input{kind: inputAddress, sighting: hosts.Sighting{ID: id, IP: packet.AddrFrom(ip), Certain: true}}) {
		d.core.Counts.DroppedFrames.Add(1)
	}
}
