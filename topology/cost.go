package topology

import (
	"cmp"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// Cost is what a link or a path costs. The components are in the order of their importance: the less
// important one decides only where the others are equal.
type Cost struct {
	// Unconfirmed is how many links are not known to be there still; a switch at an end of such a link
	// cannot be told anything.
	Unconfirmed uint32
	// Draining is how many links are to be left by all that can.
	Draining uint32
	// Metric is the sum of the links' configured costs (netview.Link.Cost).
	Metric uint64
}

// Compare is negative if c is the lower cost, positive if d is, and 0 if they are equal.
func (c Cost) Compare(d Cost) int {
	return cmp.Or(cmp.Compare(c.Unconfirmed, d.Unconfirmed), cmp.Compare(c.Draining, d.Draining), cmp.Compare(c.Metric, d.Metric))
}

// Less reports whether c is the lower cost.
func (c Cost) Less(d Cost) bool { return c.Compare(d) < 0 }

// Plus returns the sum, component by component.
func (c Cost) Plus(d Cost) Cost {
	return Cost{c.Unconfirmed + d.Unconfirmed, c.Draining + d.Draining, c.Metric + d.Metric}
}

// costsOf returns the costs of both directions of a link; up is false if it cannot be used: only
// together can they.
func costsOf(there, back *netview.Link) (own, other Cost, up bool) {
	if there == nil || back == nil || !there.Usable || !back.Usable {
		return own, other, false
	}
	var both Cost
	if unsure(there) || unsure(back) {
		both.Unconfirmed = 1
	}
	if there.Draining || back.Draining {
		both.Draining = 1
	}
	return both.Plus(Cost{Metric: there.Cost}), both.Plus(Cost{Metric: back.Cost}), true
}

func unsure(l *netview.Link) bool { return l.State == netview.LinkUnconfirmed }

// linkPair returns the rows of both directions of a link; nil where there is none.
func linkPair(snap *netview.Snapshot, key netview.LinkKey) (there, back *netview.Link) {
	there, _ = snap.Link(key)
	back, _ = snap.Link(key.Reverse())
	return there, back
}

// weights are what package route adds up in place of costs: single numbers, in which a draining link
// weighs more than any metric of a link, and an unconfirmed one twice as much. A path of least weight has
// the least cost as long as
//
//   - the metrics of a path sum to less than weights.draining, which is 5 million with 206 switches and
//     100,000 with 10,000; a metric is 1 unless configured;
//   - no path around an unconfirmed link crosses more than one that drains: two weigh as much.
//
// Nobody but the search sees weights: what is compared and shown are costs.
type weights struct{ draining, unconfirmed uint32 }

// weightsOf returns the weights in a graph of so many nodes: the greatest of which a path's sum fits.
func weightsOf(nodes int) weights {
	step := route.MaxCost(nodes) / 4
	return weights{draining: step, unconfirmed: 2 * step}
}

// of returns the weight of a link.
func (w weights) of(c Cost) uint32 {
	return c.Unconfirmed*w.unconfirmed + c.Draining*w.draining + uint32(min(c.Metric, uint64(w.draining-1)))
}

// ofPair returns the weights of both directions of a link: route.Down if it cannot be used.
func (w weights) ofPair(there, back *netview.Link) (own, other uint32) {
	a, b, up := costsOf(there, back)
	if !up {
		return route.Down, route.Down
	}
	return w.of(a), w.of(b)
}

// cost returns the cost of a link of some weight.
func (w weights) cost(weight uint32) (c Cost) {
	if weight >= w.unconfirmed {
		c.Unconfirmed, weight = 1, weight-w.unconfirmed
	}
	if weight >= w.draining {
		c.Draining, weight = 1, weight-w.draining
	}
	c.Metric = uint64(weight)
	return c
}

// Cost returns the cost of the shortest path between two switches; ok is false without one.
func (m *Map) Cost(from, to netview.DPID) (sum Cost, ok bool) {
	return m.CostAround(from, to, Filter{})
}

// CostAround is Cost without what a filter leaves out.
func (m *Map) CostAround(from, to netview.DPID, without Filter) (sum Cost, ok bool) {
	var on [64]int32
	edges, ok := m.edgesAround(from, to, 0, &without, on[:0])
	if !ok {
		return sum, false
	}
	return m.sum(edges), true
}

// sum adds up the costs of edges that are not down.
func (m *Map) sum(edges []int32) (sum Cost) {
	for _, e := range edges {
		sum = sum.Plus(m.weights.cost(m.table.Cost(e)))
	}
	return sum
}

// LinkCost returns what a link costs. up is false if it cannot be used: it, or its other direction,
// is not up; known is false if the map has never had it.
func (m *Map) LinkCost(key netview.LinkKey) (c Cost, up, known bool) {
	edge, known := m.edges[key]
	if !known {
		return c, false, false
	}
	weight := m.table.Cost(edge)
	if weight == route.Down {
		return c, false, true
	}
	return m.weights.cost(weight), true, true
}

// Up reports whether a link can be used: it, and its other direction, are up.
func (m *Map) Up(key netview.LinkKey) bool {
	edge, ok := m.edges[key]
	return ok && m.table.Cost(edge) != route.Down
}

// PathCost adds up a path link by link. It returns false if one of them cannot be used.
func (m *Map) PathCost(hops []Hop) (sum Cost, ok bool) {
	for i := 0; i+1 < len(hops); i++ {
		c, up, _ := m.LinkCost(linkBetween(hops[i], hops[i+1]))
		if !up {
			return sum, false
		}
		sum = sum.Plus(c)
	}
	return sum, true
}

func linkBetween(a, b Hop) netview.LinkKey {
	return netview.LinkKey{
		Src: netview.Point{DPID: a.DPID, Port: a.Out},
		Dst: netview.Point{DPID: b.DPID, Port: b.In},
	}
}
