package forward

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
)

// TestPairsGoBackToShorterPaths restores a link: when the network has been calm for a while, pairs
// that went the other way round leave it, under traffic and without loss; before that they stay.
func TestPairsGoBackToShorterPaths(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		n := newNetwork(t, 1, v, Config{})
		n.join(5, shapes["ring"].edges)
		n.allPairs(t)
		at := n.linkPort(1, 2)
		n.cut(at, true)
		n.rest()
		n.cut(at, false)
		n.rest()
		longest := func() (hops int) {
			for _, p := range n.f.paths.All() {
				hops = max(hops, len(p.Hops))
			}
			return hops
		}
		if got := longest(); got != 5 {
			t.Fatalf("the longest path has %d switches right after, want 5", got)
		}
		tr := n.traffic()
		for range int(pathing.WaitToRestore / time.Second) {
			tr.run(5)
			n.settle()
		}
		tr.check(t)
		n.left(t)
		if got := longest(); got != 3 {
			t.Errorf("the longest path has %d switches, want 3", got)
		}
		if n.f.planner.reverting {
			t.Error("pairs are looked for though none is left")
		}
	}
}
