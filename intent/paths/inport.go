package paths

import (
	"slices"

	"github.com/weirnet/weir/intent/numbered"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// inPort is where rules match, whatever their match: a switch and an in port.
type inPort struct {
	point netview.Point
	paths []uint32 // the paths through it, by number

	measured  bool   // latency and uncertain are up to date
	latency   uint64 // sum over the links into the port, in microseconds
	uncertain bool   // the latency of one is unknown

	link linkState // of the link into the port that a path was last evaluated for
}

// linkState is what a map has of a link into a port.
type linkState struct {
	revision  netview.Revision // of the map
	from      netview.Point
	up, known bool
	cost      topology.Cost
}

// linkFrom returns the state of the link from a port into this one. Ports have one link, but for those on
// shared segments: a map is searched once for all paths.
func (s *inPort) linkFrom(from netview.Point, m *topology.Map) *linkState {
	l := &s.link
	if l.revision != m.Revision() || l.from != from {
		l.revision, l.from = m.Revision(), from
		l.cost, l.up, l.known = m.LinkCost(netview.LinkKey{Src: from, Dst: s.point})
	}
	return l
}

// inPorts are stored by id, which is the ID of the hops of paths.
type inPorts struct {
	list    numbered.Slots[*inPort]
	byPoint map[netview.Point]uint32
}

func newInPorts() inPorts {
	return inPorts{byPoint: make(map[netview.Point]uint32)}
}

// ofHop returns the in port of a hop.
func (s *inPorts) ofHop(h *ruleset.Hop) *inPort { return s.list.At(h.ID) }

// lookup returns the in port at a point; nil if no path passes it.
func (s *inPorts) lookup(p netview.Point) *inPort { return s.list.At(s.byPoint[p]) }

// idOf returns the id of a point, allocated if necessary.
func (s *inPorts) idOf(p netview.Point) uint32 {
	id := s.byPoint[p]
	if id != 0 {
		return id
	}
	id = s.list.Add(&inPort{point: p})
	s.byPoint[p] = id
	return id
}

// sweep drops forgotten paths, and the in ports without paths.
func (s *inPorts) sweep(forgotten func(path uint32) bool) {
	for at, id := range s.byPoint {
		here := s.list.At(id)
		if here.paths = slices.DeleteFunc(here.paths, forgotten); len(here.paths) == 0 {
			s.list.Remove(id)
			delete(s.byPoint, at)
		}
	}
}

// measure updates the latency of the links into the port.
func (s *inPort) measure(snap *netview.Snapshot) {
	s.measured, s.latency, s.uncertain = true, 0, false
	for l := range snap.LinksToPoint(s.point) {
		s.latency += l.LatencyUS
		s.uncertain = s.uncertain || l.LatencyUS == 0
	}
}
