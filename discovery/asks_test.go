package discovery

import (
	"testing"
	"time"

	"github.com/weirnet/weir/packet"

	"github.com/weirnet/weir/netview"
)

// TestABarrierPassesWhatWasBefore: of two hosts that a switch is to ask one after the other, the barrier behind the first question says nothing of
// the second: its silence does not count yet.
func TestABarrierPassesWhatWasBefore(t *testing.T) {
	now := time.Unix(1000, 0)
	d := &device{dpid: 1}
	c := &Core{now: now, devices: map[netview.DPID]*device{1: d}, asks: map[netview.HostID]*ask{}}
	var list []*ask
	for n := range uint64(2) {
		a := &ask{id: netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, byte(n)}}, at: netview.Point{DPID: 1, Port: 1}, barrier: n + 1}
		c.asks[a.id] = a
		list, d.asking = append(list, a), append(d.asking, a)
	}
	c.Passed(1, 1)
	if !list[0].passed.Equal(now) || !list[1].passed.IsZero() || len(d.asking) != 1 {
		t.Errorf("after the first barrier: passed %v and %v, %d wait", list[0].passed, list[1].passed, len(d.asking))
	}
	c.Passed(1, 2)
	if !list[1].passed.Equal(now) || len(d.asking) != 0 {
		t.Errorf("after the second barrier: passed %v, %d wait", list[1].passed, len(d.asking))
	}
}
