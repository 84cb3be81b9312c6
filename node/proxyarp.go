package node

import (
	"github.com/weirnet/weir/openflow"
)

// answer shows app/proxyarp, if it runs, a packet that discovery has seen; end is the offset after
// the headers of d.key.
func (n *switches) answer(d *device, pin *openflow.PacketIn, end int) {
	if n.proxyarp != nil {
		n.proxyarp.Frame(&d.asked, d.out, d.dpid, pin, &d.key, end)
	}
}
