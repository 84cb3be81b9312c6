package forward

import (
	"slices"
	"sync"

	"github.com/weirnet/weir/app/forward/admission"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// ingress is what is known of the pairs that enter the network at a switch: of each the path that it has, the one
// that it is about to take, and those that abandoned moves have left, whose tails its packets may take. It holds
// all of these paths. Its methods, but for those that say otherwise, are called with the lock held.
type ingress struct {
	*shared
	at        *target    // the switch
	mu        sync.Mutex // never held while another ingress's is taken
	epoch     uint32     // of the last session: the low half of its epoch
	pairs     pairs.Table
	installs  map[pairs.Pair]*install      // whose path is not confirmed yet; here, or for a pair that enters elsewhere
	halfMoved map[pairs.Pair][]*pairs.Path // paths of abandoned moves: packets of the pair may take their tails
	quota     admission.Quota

	retryMoves    bool // some pairs may be on a wrong path: Second retries their move
	retryPathless bool // likewise, but there was no path: retried when a link comes up
}

// set sets a pair's flow, whose path is held already. The rules of its previous path are deleted later.
func (in *ingress) set(pr pairs.Pair, fl pairs.Flow) {
	fl.Epoch = in.epoch
	old, had := in.pairs.Put(pr, fl)
	if !had {
		in.count.Pairs.Add(1)
	} else if p := in.paths.Get(old.Path); p != nil && old.Path != fl.Path {
		in.retired.add(in, pr, p)
	} else {
		in.paths.Release(old.Path)
	}
}

// remove forgets a pair, whose rules are gone or run out by themselves.
func (in *ingress) remove(pr pairs.Pair, fl pairs.Flow) {
	in.pairs.Remove(pr)
	in.paths.Release(fl.Path)
	if len(in.halfMoved) > 0 {
		in.dropHalfMoved(pr)
	}
}

// end forgets a pair and schedules the deletion of the rest of its path.
func (in *ingress) end(pr pairs.Pair, fl pairs.Flow) {
	if old := in.paths.HoldByID(fl.Path); old != nil {
		in.retired.add(in, pr, old)
	}
	in.dropHalfMoved(pr)
	in.remove(pr, fl)
}

// expired forgets a pair whose ingress rule is gone. If that was unused, the rest of its path
// expires by itself, unless its source may be at a switch of the path by now.
func (in *ingress) expired(pr pairs.Pair, fl pairs.Flow, why openflow.FlowRemovedReason) {
	if why == openflow.RemovedIdle && in.routes.entersAt(pr, in.at.id) {
		in.remove(pr, fl)
		return
	}
	in.end(pr, fl)
}

// listed forgets the pairs whose rule was sent on an earlier connection and is not listed. The lock is not held.
func (in *ingress) listed(held map[pairs.Pair]bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, pr := range in.pairs.Where(func(pr pairs.Pair, fl pairs.Flow) bool { return fl.Epoch != in.epoch && !held[pr] }) {
		fl, _ := in.pairs.Get(pr)
		in.end(pr, fl)
	}
}

// attached begins a session. The lock is not held.
func (in *ingress) attached(epoch uint64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.epoch = uint32(epoch)
	in.retryMoves = true // what changed while there was no connection
}

// dropHalfMoved schedules the deletion of the rules that abandoned moves have left behind.
func (in *ingress) dropHalfMoved(pr pairs.Pair) {
	for _, p := range in.halfMoved[pr] {
		in.retired.add(in, pr, p)
	}
	delete(in.halfMoved, pr)
}

// keepHalfMoved keeps the path of an abandoned move, whose tail packets may take.
func (in *ingress) keepHalfMoved(pr pairs.Pair, p *pairs.Path) {
	if in.halfMoved == nil {
		in.halfMoved = make(map[pairs.Pair][]*pairs.Path)
	}
	in.halfMoved[pr] = append(in.halfMoved[pr], p)
}

// halfMovedIn reports whether an abandoned move may have left a pair on a path of a set.
func (in *ingress) halfMovedIn(pr pairs.Pair, set map[uint32]*pairs.Path) bool {
	return slices.ContainsFunc(in.halfMoved[pr], func(p *pairs.Path) bool { return set[p.ID] != nil })
}

// halfMovedAt reports whether a pair may take the tail of an abandoned move through a place.
func (in *ingress) halfMovedAt(pr pairs.Pair, at netview.Point) bool {
	return slices.ContainsFunc(in.halfMoved[pr], func(p *pairs.Path) bool { return p.Passes(at) })
}

// pathsOf returns the paths that a pair uses or is about to use, and those of its abandoned moves,
// as far as it enters here.
func (in *ingress) pathsOf(pr pairs.Pair) []*pairs.Path {
	paths := slices.Clone(in.halfMoved[pr])
	if fl, ok := in.pairs.Get(pr); ok && fl.Path != 0 {
		paths = append(paths, in.paths.Get(fl.Path))
	}
	if w := in.installs[pr]; w != nil {
		paths = append(paths, w.path)
	}
	return paths
}

// expects reports whether a pair that enters here is about to take a path, or may; any path if p is
// nil. The lock is not held.
func (in *ingress) expects(pr pairs.Pair, p *pairs.Path) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if w := in.installs[pr]; w != nil && (p == nil || w.path == p) {
		return true
	}
	return slices.Contains(in.halfMoved[pr], p)
}

// flow returns the flow of a pair that enters here. The lock is not held.
func (in *ingress) flow(pr pairs.Pair) (pairs.Flow, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.pairs.Get(pr)
}

// settled reports whether a pair enters here and has this path, and is not being moved. The lock is not held.
func (in *ingress) settled(pr pairs.Pair, path uint32) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	fl, known := in.pairs.Get(pr)
	return known && fl.Path == path && in.installs[pr] == nil && len(in.halfMoved[pr]) == 0
}

// valid reports whether a pair's path leads to where its destination is now, over usable links.
func (in *ingress) valid(pr pairs.Pair, fl pairs.Flow) bool {
	if fl.Path != 0 {
		return in.routes.valid(pr, in.paths.Get(fl.Path))
	}
	at, known := in.places.At(pr.Dst())
	return !known || at == netview.Point{DPID: in.at.id, Port: fl.Out}
}

// full reports whether there are as many pairs as may be.
func (in *ingress) full() bool { return in.pairs.Len() >= MaxPairs }

// mayBegin reports whether another pair may begin at a port. If too many have begun they are counted anew now and
// then, by where their source is now or, if that is not known, by where their path begins.
func (in *ingress) mayBegin(port uint32) bool {
	if in.quota.Room(port) {
		return true
	}
	if !in.quota.Recount(in.clock.second()) {
		return false
	}
	in.pairs.All(func(pr pairs.Pair, fl pairs.Flow) bool {
		if at, known := in.places.At(pr.Src()); known && at.DPID == in.at.id {
			in.quota.Count(at.Port)
		} else if p := in.paths.Get(fl.Path); !known && p != nil && p.Hops[0].In != 0 {
			in.quota.Count(p.Hops[0].In)
		}
		return true
	})
	return in.quota.Room(port)
}

// entry returns the port by which a pair enters; 0 if it is not known. Step's goroutine calls it.
func (in *ingress) entry(pr pairs.Pair, fl pairs.Flow) uint32 {
	if p := in.paths.Get(fl.Path); p != nil {
		return p.Hops[0].In
	}
	if at := in.places.Last(pr.Src()); at.DPID == in.at.id {
		return at.Port
	}
	return 0
}

// adopt takes over a pair of an earlier run that enters here, with its path and the cookies of its rules; false if
// there is no room. The lock is not held.
func (in *ingress) adopt(pr pairs.Pair, hops []topology.Hop, cookies []uint64) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if _, has := in.pairs.Get(pr); has || in.installs[pr] != nil {
		return true // this run's rules are in their places
	}
	if in.full() {
		return false
	}
	fl := pairs.Flow{Out: hops[0].Out, Epoch: in.epoch}
	if len(hops) > 1 {
		fl.Path = in.paths.Adopt(hops, cookies).ID
	}
	in.pairs.Put(pr, fl)
	in.retryMoves = true // its path may have broken since
	in.count.Adopted.Add(1)
	return true
}

// entersElsewhere reports whether a pair's source has moved from one port of this switch to
// another; was is where hosts that have moved had been.
func (in *ingress) entersElsewhere(was map[places.Key]netview.Point, pr pairs.Pair, fl pairs.Flow) bool {
	if at, moved := was[pr.Src()]; !moved || at.DPID != in.at.id {
		return false
	}
	now, known := in.places.At(pr.Src())
	p := in.paths.Get(fl.Path)
	return known && now.DPID == in.at.id && p != nil && p.Hops[0].In != now.Port
}
