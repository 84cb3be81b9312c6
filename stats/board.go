package stats

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
)

// Board has the newest counters of all switches. Reading takes no lock and never waits; one
// goroutine writes.
type Board struct {
	switches sync.Map // netview.DPID → *atomic.Pointer[Switch]
}

// Switch is the newest sample of a switch, nil if there is none.
func (b *Board) Switch(dpid netview.DPID) *Switch {
	if p, ok := b.switches.Load(dpid); ok {
		return p.(*atomic.Pointer[Switch]).Load()
	}
	return nil
}

// put shows a switch's counters.
func (b *Board) put(s *Switch) {
	p, ok := b.switches.Load(s.DPID)
	if !ok {
		p, _ = b.switches.LoadOrStore(s.DPID, new(atomic.Pointer[Switch]))
	}
	p.(*atomic.Pointer[Switch]).Store(s)
}

func (b *Board) remove(dpid netview.DPID) { b.switches.Delete(dpid) }
