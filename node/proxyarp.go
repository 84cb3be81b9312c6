package node

import (
	"github.com/weirnet/weir/app/proxyarp"
	"github.com/weirnet/weir/openflow"
)

var descProxyARP = desc("proxyarp_total", "What app/proxyarp did, by kind.", "kind")

// answer shows app/proxyarp, if it runs, a packet that discovery has seen; end is the offset after
// the headers of d.key.
func (n *switches) answer(d *device, pin *openflow.PacketIn, end int) {
	if n.proxyarp != nil {
		n.proxyarp.Frame(&d.asked, d.out, d.dpid, pin, &d.key, end)
	}
}

// proxyarpCounts are the counters of app/proxyarp, by kind.
func proxyarpCounts(c *proxyarp.Counts) map[string]uint64 {
	return map[string]uint64{
		"answered": c.Answered.Load(), "limited": c.Limited.Load(), "learned": c.Learned.Load(), "clashes": c.Clashes.Load(),
		"misplaced": c.Misplaced.Load(), "refused": c.Refused.Load(), "dropped": c.Dropped.Load(), "leases": c.Leases.Load(),
		"unasked": c.Unasked.Load(), "malformed": c.Malformed.Load(), "unsent": c.Unsent.Load(),
	}
}
