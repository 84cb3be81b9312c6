package intent

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
	"github.com/weirnet/weir/route"
	"github.com/weirnet/weir/topology"
)

// way is a route with who uses it and what it is worth. Each route exists once, however many intents take it.
type way struct {
	route  program.Route // its ID is the place in routes.list
	joins  []join        // of a tree; nil: each hop leads to the next
	hash   uint64
	users  users         // intents whose program, as it is wanted now, takes it
	unsure bool          // a link of it is unconfirmed, or not known yet
	down   bool          // a link of it cannot be used
	drain  bool          // a link of it is draining
	judged *topology.Map // by which the three before were found

	spots    []*spot // by hop
	holders  users   // intents with rules along it, those included that go (overlap.go)
	tallies  tallies // of these rules
	searched uint64  // the last search that has looked at it
}

// join says that an output of one hop leads to another.
type join struct {
	from, to int32 // hops
	out      uint32
}

// eachLink yields the links that a route passes.
func (w *way) eachLink(yield func(netview.LinkKey)) {
	w.eachJoin(func(j join) {
		from, to := w.route.Hops[j.from], w.route.Hops[j.to]
		yield(netview.LinkKey{Src: netview.Point{DPID: from.DPID, Port: j.out}, Dst: netview.Point{DPID: to.DPID, Port: to.In}})
	})
}

// passes tells whether a route passes a link.
func (w *way) passes(key netview.LinkKey) (found bool) {
	w.eachJoin(func(j join) {
		from, to := w.route.Hops[j.from], w.route.Hops[j.to]
		found = found || j.out == key.Src.Port && from.DPID == key.Src.DPID && to.DPID == key.Dst.DPID && to.In == key.Dst.Port
	})
	return found
}

func (w *way) eachJoin(yield func(join)) {
	for _, j := range w.joins {
		yield(j)
	}
	if w.joins != nil {
		return
	}
	for i := 0; i+1 < len(w.route.Hops); i++ {
		yield(join{int32(i), int32(i + 1), w.route.Hops[i].Out[0]})
	}
}

// ingress tells whether packets come to a hop from outside.
func (w *way) ingress(hop int) bool {
	if w.joins == nil {
		return hop == 0
	}
	for _, j := range w.joins {
		if int(j.to) == hop {
			return false
		}
	}
	return true
}

// ranks says of each hop how many hops, at most, come after it.
func (w *way) ranks() []int {
	ranks := make([]int, len(w.route.Hops))
	for range w.route.Hops { // hops come after those that lead to them, so one round from the last is enough
		changed := false
		for i := len(w.joins) - 1; i >= 0; i-- {
			j := w.joins[i]
			if r := ranks[j.to] + 1; r > ranks[j.from] {
				ranks[j.from], changed = r, true
			}
		}
		if !changed {
			break
		}
	}
	if w.joins == nil {
		for i := range ranks {
			ranks[i] = len(ranks) - 1 - i
		}
	}
	return ranks
}

// shortWay is a way with its hops in one piece of memory, as most are.
type shortWay struct {
	way
	hops [shortHops]*program.Hop
}

const shortHops = 6

// newWay is a path with room for so many hops.
func newWay(hops int) *way {
	if hops > shortHops {
		return &way{route: program.Route{Hops: make([]*program.Hop, hops)}}
	}
	short := new(shortWay)
	short.route.Hops = short.hops[:hops:hops]
	return &short.way
}

// judge brings what a way is worth to a map, and tells what has changed. Links that the map has never had are taken for unconfirmed until discovery has
// settled: what was decided in an earlier life stays.
func (w *way) judge(m *topology.Map, settled bool) (cost uint64) {
	w.unsure, w.down, w.drain, w.judged = false, false, false, m
	w.eachLink(func(k netview.LinkKey) {
		c, known := m.LinkCost(k)
		switch {
		case !known && !settled:
			w.unsure = true
			cost += topology.PenaltyUnconfirmed
			return
		case c == route.Down:
			w.down = true
			return
		}
		w.unsure = w.unsure || c&topology.PenaltyUnconfirmed != 0
		w.drain = w.drain || c&topology.PenaltyDraining != 0
		cost += uint64(c)
	})
	return cost
}
