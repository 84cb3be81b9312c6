package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// inPort is where rules match, whatever their match: a switch and an in port.
type inPort struct {
	point   netview.Point
	paths   []uint32 // the paths through it, by id
	classes classCounts

	measured  bool   // latency and uncertain are up to date
	latency   uint64 // sum over the links into the port, in microseconds
	uncertain bool   // the latency of one is unknown
}

// inPorts are stored by id, which is the ID of the hops of paths.
type inPorts struct {
	slots[*inPort]
	byPoint map[netview.Point]uint32
}

func newInPorts() inPorts {
	return inPorts{byPoint: make(map[netview.Point]uint32)}
}

// ofHop returns the in port of a hop.
func (s *inPorts) ofHop(h *ruleset.Hop) *inPort { return s.at(h.ID) }

// lookup returns the in port at a point; nil if no path passes it.
func (s *inPorts) lookup(p netview.Point) *inPort { return s.at(s.byPoint[p]) }

// idOf returns the id of a point, allocated if necessary.
func (s *inPorts) idOf(p netview.Point) uint32 {
	id := s.byPoint[p]
	if id != 0 {
		return id
	}
	id = s.add(&inPort{point: p})
	s.byPoint[p] = id
	return id
}

// sweep drops forgotten paths, and the in ports without paths.
func (s *inPorts) sweep(forgotten func(way uint32) bool) {
	for at, id := range s.byPoint {
		here := s.at(id)
		if here.paths = slices.DeleteFunc(here.paths, forgotten); len(here.paths) == 0 {
			s.remove(id)
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
