package forward

import (
	"sync"

	"github.com/weirnet/weir/netview"
)

// treeUse is how broadcasts use a link.
type treeUse uint8

const (
	unused  treeUse = iota
	bound           // it is in the tree
	leaving         // it is not, but may carry broadcasts still
)

func (l *treeLink) use() treeUse {
	switch {
	case l.in:
		return bound
	case l.open:
		return leaving
	}
	return unused
}

// treeState is which links broadcasts may take, for any goroutine.
type treeState struct {
	mu      sync.Mutex
	leaving map[netview.LinkKey]bool
}

// tell notes the links that may carry broadcasts, of those of which that may have changed.
func (t *treeCore) tell() {
	if len(t.differ)+len(t.gone) == 0 {
		return
	}
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	for _, key := range t.gone {
		delete(t.state.leaving, key)
	}
	for _, i := range t.differ {
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
	t.gone, t.differ = t.gone[:0], t.differ[:0]
}

// passing counts the tree's links at a place.
func (t *treeCore) passing(at netview.Point, sum *Passing) {
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
