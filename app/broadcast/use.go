package broadcast

import (
	"sync"

	"github.com/weirnet/weir/netview"
)

// use is what the core says of the tree for any goroutine: which links broadcasts may take.
type use struct {
	mu       sync.Mutex
	leaving  map[netview.LinkKey]bool  // links that are not in the tree, but may still carry broadcasts
	possible map[netview.DPID][]uint32 // of switches that have not confirmed what was published last
}

func newUse() *use {
	return &use{leaving: make(map[netview.LinkKey]bool), possible: make(map[netview.DPID][]uint32)}
}

// setPossible records which inter-switch ports a switch may have in the tree until it confirms;
// before the rules are published, so that their readers know. None: it has confirmed.
func (u *use) setPossible(dpid netview.DPID, ports []uint32) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.possible[dpid] = ports; ports == nil {
		delete(u.possible, dpid)
	}
}

// possibleAt returns what setPossible has recorded of a switch.
func (u *use) possibleAt(dpid netview.DPID) []uint32 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.possible[dpid]
}

// set records which of the links that have changed are leaving, and forgets those that are gone.
func (u *use) set(changed []*treeLink, gone []netview.LinkKey) {
	if len(changed)+len(gone) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, key := range gone {
		delete(u.leaving, key)
	}
	for _, l := range changed {
		if l.said {
			u.leaving[l.key] = true
		} else {
			delete(u.leaving, l.key)
		}
	}
}

// leavingAt counts the links at a place that are to leave the tree, or may not have left.
func (u *use) leavingAt(at netview.Point) (n int) {
	here := func(p netview.Point) bool { return p.DPID == at.DPID && (at.Port == 0 || p.Port == at.Port) }
	u.mu.Lock()
	defer u.mu.Unlock()
	for key := range u.leaving {
		if here(key.Src) || here(key.Dst) {
			n++
		}
	}
	return n
}
