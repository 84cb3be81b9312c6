package southbound

import (
	"cmp"
	"errors"
	"maps"
	"slices"
)

// ErrNotMaster refuses what is written to a switch while another instance is its master. The switch may be
// connected, and asked, all the same.
var ErrNotMaster = errors.New("southbound: this instance is not the master of the switch, and may not write to it")

// SetMaster sets whether this instance may write to switches; at first it may. When it returns,
// nothing more that is not allowed enters a queue: what was collected there and not handed over is
// dropped, and its barriers say so. Then flowsync and the applications are told.
func (g *Registry) SetMaster(on bool) {
	g.mu.Lock()
	g.master.Store(on)
	list := slices.SortedFunc(maps.Keys(g.up), func(a, b *Switch) int { return cmp.Compare(a.Epoch, b.Epoch) })
	g.mu.Unlock()
	for _, sw := range list {
		sw.queue.flush()
	}
	for _, sw := range list {
		g.tellMaster(sw)
	}
}

// began has a session told of mastership from now on; ended has it not told any more.
func (g *Registry) began(sw *Switch) {
	g.mu.Lock()
	g.up[sw] = true
	g.mu.Unlock()
	g.tellMaster(sw)
}

func (g *Registry) ended(sw *Switch) {
	g.mu.Lock()
	delete(g.up, sw)
	g.mu.Unlock()
	sw.telling.Lock()
	defer sw.telling.Unlock()
	sw.ended = true
}

// tellMaster tells the parts of a session whether this instance may write to the switch, if that is
// news to them.
func (g *Registry) tellMaster(sw *Switch) {
	sw.telling.Lock()
	defer sw.telling.Unlock()
	on := sw.Mastered()
	if sw.ended || sw.denied == !on {
		return
	}
	sw.denied = !on
	g.flowsync.Mastered(sw.address(), on)
	for _, p := range sw.masters {
		p.to.Mastered(on)
	}
}

// Mastered reports whether this instance may write to the switch now.
func (sw *Switch) Mastered() bool { return sw.queue.master.Load() }
