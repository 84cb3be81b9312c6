package forward

import (
	"sync"

	"github.com/weirnet/weir/netview"
)

// treeUse is how broadcasts use a link.
type treeUse uint8

const (
	unused  treeUse = iota
	inTree          // it is in the tree
	leaving         // it is not, but may still carry broadcasts
)

func (l *treeLink) use() treeUse {
	switch {
	case l.in:
		return inTree
	case l.open:
		return leaving
	}
	return unused
}

// treeState is which links broadcasts may take, for any goroutine.
type treeState struct {
	mu       sync.Mutex
	leaving  map[netview.LinkKey]bool
	possible map[netview.DPID][]uint32 // of switches that have not confirmed what was published last
}

// setPossible records which inter-switch ports a switch may have in the tree until it confirms;
// before the rules are published, so that their readers know. None: it has confirmed.
func (s *treeState) setPossible(dpid netview.DPID, ports []uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.possible[dpid] = ports; ports == nil {
		delete(s.possible, dpid)
	}
}

// Unconfirmed returns the inter-switch ports that a switch may have in the tree, until it confirms
// what was published: including those of before. The caller must not change them.
func (f *Forward) Unconfirmed(dpid netview.DPID) []uint32 {
	s := &f.tree.state
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.possible[dpid]
}

// publishUse updates the use of the links that may have changed.
func (t *treeCore) publishUse() {
	if len(t.changedLinks)+len(t.gone) == 0 {
		return
	}
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	for _, key := range t.gone {
		delete(t.state.leaving, key)
	}
	for _, i := range t.changedLinks {
		l := &t.links[i]
		if l.a == nil {
			continue // it is not there any more
		}
		l.differ = false
		if l.said = l.use(); l.said == unused {
			delete(t.state.leaving, l.key)
		} else {
			t.state.leaving[l.key] = l.said == leaving
		}
	}
	t.gone, t.changedLinks = t.gone[:0], t.changedLinks[:0]
}

// countCrossing counts the tree's links at a place.
func (t *treeCore) countCrossing(at netview.Point, sum *Crossing) {
	here := func(p netview.Point) bool { return p.DPID == at.DPID && (at.Port == 0 || p.Port == at.Port) }
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	for key, leaves := range t.state.leaving {
		switch {
		case !here(key.Src) && !here(key.Dst):
		case leaves:
			sum.Tree++
		default:
			sum.TreeBound++
		}
	}
}
