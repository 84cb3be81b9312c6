package southbound

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
)

// ErrNotMaster refuses what is written to a switch while another instance is its master. The switch may be
// connected, and asked, all the same.
var ErrNotMaster = errors.New("southbound: this instance is not the master of the switch, and may not write to it")

// SetMaster makes an instance master of some switches, connected or not: it alone may write to them. Empty:
// it is not known who is. The view shows it. When it returns, nothing more that this instance may not
// write enters a queue: what was collected there and not handed over is dropped, and its barriers say
// so. flowsync and the applications are told then, or by whoever is telling them something already.
func (g *Registry) SetMaster(instance string, dpids ...netview.DPID) {
	g.masters.Set(instance, dpids...)
	g.apply()
}

// SetMasterOfAll is SetMaster for all switches, also those that come later. At first this instance is.
func (g *Registry) SetMasterOfAll(instance string) {
	g.masters.SetAll(instance)
	g.apply()
}

// apply brings the sessions to what the view says of masters.
func (g *Registry) apply() {
	var list []*Switch
	g.mu.Lock()
	for sw := range g.sessions {
		if on := sw.mayWrite(&g.cfg); sw.queue.master.Swap(on) != on {
			list = append(list, sw)
		}
	}
	g.mu.Unlock()
	slices.SortFunc(list, func(a, b *Switch) int { return cmp.Compare(a.Epoch, b.Epoch) })
	for _, sw := range list {
		sw.queue.flush()
	}
	for _, sw := range list {
		g.tellMaster(sw)
	}
}

// mayWrite reports whether this instance is the master of a switch now, and the switch has confirmed it.
func (sw *Switch) mayWrite(c *Config) bool {
	return c.View.Snapshot().Master(sw.DPID) == c.Instance && sw.role.writes.Load()
}

// comes adds a session, to which this instance may write or not from now on.
func (g *Registry) comes(sw *Switch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sessions[sw] = true
	sw.queue.master.Store(sw.mayWrite(&g.cfg))
}

// told is what the parts of a session know of mastership. They are told by one goroutine at a time, and
// not under a lock.
type told struct {
	mu      sync.Mutex
	settled sync.Cond // of mu: nobody is telling
	begun   bool      // there are parts to tell
	ended   bool
	telling bool
	denied  bool // they were told that this instance may not write
}

// next reports what there is to tell, to who has to do it until there is nothing more.
func (t *told) next(mastered *atomic.Bool, mine bool) (on, news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.telling && !mine {
		return false, false // who is telling looks again
	}
	on = mastered.Load()
	t.telling = t.begun && !t.ended && t.denied == on
	if !t.telling {
		t.settled.Broadcast()
		return false, false
	}
	t.denied = !on
	return on, true
}

// begin has the parts told from now on.
func (t *told) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
}

// end returns when nobody tells the parts anything any more.
func (t *told) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.ended = true; t.telling; {
		t.settled.Wait()
	}
}

// tellMaster tells the parts of a session whether this instance may write to the switch, if that is
// news to them.
func (g *Registry) tellMaster(sw *Switch) {
	now := &sw.queue.master
	for on, news := sw.told.next(now, false); news; on, news = sw.told.next(now, true) {
		g.flowsync.Mastered(sw.address(), on)
		for _, p := range sw.masters {
			p.to.Mastered(on)
		}
	}
}

// Mastered reports whether this instance may write to the switch now.
func (sw *Switch) Mastered() bool { return sw.queue.master.Load() }
