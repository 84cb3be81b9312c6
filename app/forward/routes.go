package forward

import (
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// routes is how packets get to a host now, and whether a path still leads there. Any goroutine asks; Step, Second
// and Follow say what there is.
type routes struct {
	places  *places.Places
	maps    atomic.Pointer[topology.Source]  // that the application follows; nil if Step is called by somebody else
	stepped atomic.Pointer[topology.Map]     // that Step was called with
	snap    atomic.Pointer[netview.Snapshot] // likewise
	backoff atomic.Pointer[topology.Filter]  // the links that flap; nil: none does
}

// current returns the map in which paths are chosen; nil before the first. It may be newer than the
// changes that Step has applied: another follower of the source has them already, and moves its paths.
func (r *routes) current() *topology.Map {
	if maps := r.maps.Load(); maps != nil {
		return maps.Map()
	}
	return r.stepped.Load()
}

// publishBackoff has paths that are chosen from now on leave out the links in back-off, where they can.
func (r *routes) publishBackoff(now topology.Filter) {
	if !now.Empty() {
		r.backoff.Store(&now)
	} else if r.backoff.Load() != nil {
		r.backoff.Store(nil)
	}
}

// judge is what paths are judged by now.
func (r *routes) judge() pathing.Judge {
	j := pathing.Judge{Map: r.current()}
	if backoff := r.backoff.Load(); backoff != nil {
		j.Backoff = *backoff
	}
	return j
}

// between returns the hops from a point to another, in the current topology, for a pair.
func (r *routes) between(buf []topology.Hop, from, to netview.Point, pr pairs.Pair) ([]topology.Hop, bool) {
	m := r.current()
	if m == nil {
		return buf, false
	}
	if backoff := r.backoff.Load(); backoff != nil {
		if hops, ok := m.PathAround(from, to, pr.Hash(), *backoff, buf); ok {
			return hops, true
		} // there is no path but over links that flap
	}
	return m.PathBetween(from, to, pr.Hash(), buf)
}

// valid reports whether a path leads to where the pair's destination is now, over usable links.
// A destination that is not known is where it was.
func (r *routes) valid(pr pairs.Pair, p *pairs.Path) bool {
	at, known := r.places.At(pr.Dst())
	return (!known || p.Egress() == at) && p.Usable(r.current()) // a dead path is not usable
}

// entersAt reports whether a pair's source is certainly at a switch.
func (r *routes) entersAt(pr pairs.Pair, dpid netview.DPID) bool {
	snap := r.snap.Load()
	if snap == nil {
		return false
	}
	h, known := snap.Host(pr.SrcHost())
	return known && h.At.DPID == dpid && h.State != netview.HostUnconfirmed
}

// transit returns how long packets may be on their way along a path that they take no more.
func (r *routes) transit(p *pairs.Path) time.Duration {
	us := uint64(0)
	if snap := r.snap.Load(); snap != nil {
		for key := range p.EachLink {
			if l, ok := snap.Link(key); ok {
				us += l.LatencyUS
			}
		}
	}
	return pathing.Transit(us)
}
