package forward

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
)

// TestFlappingLink flaps a link of a ring: pairs leave it, and neither they nor new ones take it before
// it has been up for long; in the end they are back on it.
func TestFlappingLink(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		n := newNetwork(t, 1, v, Config{})
		n.join(5, shapes["ring"].edges)
		n.allPairs(t)
		at := n.linkPort(1, 2)
		a, b := netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1}
		hops := func() int {
			path, ok := n.f.pathTo(nil, a, b, pair{src: 1 << 16, dst: 2})
			if !ok {
				t.Fatal("no path")
			}
			return len(path)
		}
		if hops() != 2 {
			t.Fatalf("%d switches from 1 to 2, want 2", hops())
		}
		before, began := n.f.Counts().Moved.Load(), n.f.clock()
		for n.f.clock().Sub(began) < 5*time.Minute {
			n.cut(at, true)
			n.settle()
			n.cut(at, false)
			n.settle()
		}
		moved := n.f.Counts().Moved.Load() - before
		if pairs := uint64(len(n.hosts) * (len(n.hosts) - 1)); moved == 0 || moved > pairs {
			t.Errorf("%d moves of %d pairs, want each to move once at most", moved, pairs)
		}
		if got := hops(); got != 5 {
			t.Errorf("a new path has %d switches, want 5: round the link that flaps", got)
		}
		n.cut(n.linkPort(3, 4), true)
		n.settle()
		if got := hops(); got != 2 {
			t.Errorf("a new path has %d switches, want 2: there is none round the link that flaps", got)
		}
		n.cut(n.linkPort(3, 4), false)
		for ended := n.f.clock(); n.f.clock().Sub(ended) < pathing.HoldMax+2*pathing.WaitToRestore; {
			n.settle()
		}
		longest := 0
		for _, p := range n.f.paths.all() {
			longest = max(longest, len(p.hops))
		}
		if got := hops(); got != 2 || longest != 3 {
			t.Errorf("the link has been up for long: a new path has %d switches, the longest %d; want 2 and 3", got, longest)
		}
	}
}
