package intent

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
)

// TestManyLongDecisions: what one append of decisions has fits into a journal.
func TestManyLongDecisions(t *testing.T) {
	n := newNetwork(t, 0)
	const base, switches, many = netview.DPID(1) << 60, 60, 1600
	for i := range netview.DPID(switches) {
		n.addSwitch(base + i)
		if i > 0 {
			n.cable(base+i-1, 2, base+i, 1)
		}
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.SetSettled() })
	sizes := &sizing{memory: n.chosen}
	n.engine.decisions.journal = sizes
	for i := range uint32(many) {
		n.submit(false, Request{Op: Create, Spec: flow("", at(base, 9), at(base+switches-1, 9), i)})
	}
	n.step()
	n.now = n.now.Add(time.Second)
	n.step()
	n.chosen.commit(nil)
	if len(n.chosen.live) != many || sizes.total <= 1<<20 || sizes.most > 1<<20 {
		t.Fatalf("%d decisions, %d bytes, up to %d at once", len(n.chosen.live), sizes.total, sizes.most)
	}
}

// sizing is a journal that adds up what it gets.
type sizing struct {
	*memory
	total, most int
}

func (s *sizing) Append(recs []Record, done func(uint64, error)) error {
	size := 0
	for i := range recs {
		size += 10 + len(recs[i].Data)
	}
	s.total += size
	s.most = max(s.most, size)
	return s.memory.Append(recs, done)
}
