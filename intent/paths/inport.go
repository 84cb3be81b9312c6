package paths

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// inPorts are the ports by which paths come in to switches, which is where rules match, whatever their match. The
// number of one is the ID of hops.
type inPorts = pathing.Ports[portState]

// portState is what is known of the links into a port.
type portState struct {
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

// linkFrom returns the state of the link from a port into another. Ports have one link, but for those on
// shared segments: a map is searched once for all paths.
func (s *portState) linkFrom(from, to netview.Point, m *topology.Map) *linkState {
	l := &s.link
	if l.revision != m.Revision() || l.from != from {
		l.revision, l.from = m.Revision(), from
		l.cost, l.up, l.known = m.LinkCost(netview.LinkKey{Src: from, Dst: to})
	}
	return l
}

// measure updates the latency of the links into a port.
func (s *portState) measure(at netview.Point, snap *netview.Snapshot) {
	s.measured, s.latency, s.uncertain = true, 0, false
	for l := range snap.LinksToPoint(at) {
		s.latency += l.LatencyUS
		s.uncertain = s.uncertain || l.LatencyUS == 0
	}
}
