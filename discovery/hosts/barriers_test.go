package hosts

import (
	"testing"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// TestABarrierPassesWhatWasBefore: of two hosts that a switch is to ask one after the other, the
// barrier behind the first question says nothing of the second: its silence does not count yet.
func TestABarrierPassesWhatWasBefore(t *testing.T) {
	now := time.Unix(1000, 0)
	w := new(awaiting)
	b := barriers{
		Transaction: &inventory.Transaction{Now: now},
		open:        map[netview.HostID]*query{}, of: map[netview.DPID]*awaiting{1: w},
	}
	var list []*query
	for n := range uint64(2) {
		a := &query{id: netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, byte(n)}}, at: netview.Point{DPID: 1, Port: 1},
			barrier: n + 1}
		b.open[a.id] = a
		list, w.queries = append(list, a), append(w.queries, a)
	}
	b.passed(1, 1)
	if !list[0].barrierAt.Equal(now) || !list[1].barrierAt.IsZero() || len(w.queries) != 1 {
		t.Errorf("after the first barrier: passed %v and %v, %d wait", list[0].barrierAt, list[1].barrierAt,
			len(w.queries))
	}
	b.passed(1, 2)
	if !list[1].barrierAt.Equal(now) || len(w.queries) != 0 {
		t.Errorf("after the second barrier: passed %v, %d wait", list[1].barrierAt, len(w.queries))
	}
}
