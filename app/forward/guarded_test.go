package forward

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// TestLinkIsBackWhileNobodyIsTold: a link of the tree is cut, one of its ends does not hear of the
// tree that takes its place, and the other has no connection when the link is back: what the first
// goes on sending there makes no loop with the new tree.
func TestLinkIsBackWhileNobodyIsTold(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for i := range 10 {
			n := newNetwork(t, 1, v, Config{})
			n.join(5, shapes["ring"].edges)
			a, b := netview.DPID(i%5+1), netview.DPID((i+1)%5+1)
			if i >= 5 {
				a, b = b, a
			}
			at := n.linkPort(a, b)
			end := n.switches[a]
			n.stuck = b
			n.cut(at, true)
			n.settle()
			n.disconnect(end)
			n.down[at], n.down[n.cables[at]] = false, false
			h := n.stations()[i%5]
			n.say(h, frame(packet.Broadcast, h.mac, packet.TypeARP, 1)) // fails the test if there is a storm
			n.settle()
			n.stuck = 0
			n.reconnect(end)
			n.cut(at, false)
			n.settle()
			for _, other := range n.stations() {
				other.take()
			}
			n.floodOnce(t, "after that", packet.Broadcast, packet.TypeARP)
		}
	}
}
