package recall

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// Facts are what is remembered of a network.
type Facts struct {
	Switches []*netview.Switch
	Trees    []Tree
	Links    []*netview.Link // those that were up
	Hosts    []*netview.Host
}

// Tree is what one switch was wanted to hold of the broadcast tree: the inter-switch ports that its rules name, and those
// of them that they keep out of it.
type Tree struct {
	DPID       netview.DPID
	Links, Off []uint32
}

// Take takes the facts of a snapshot; tree tells of one switch's tree, false if it has none. It may be nil.
func Take(s *netview.Snapshot, tree func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool)) *Facts {
	n := s.Counts()
	f := &Facts{
		Switches: make([]*netview.Switch, 0, n.Switches), Links: make([]*netview.Link, 0, n.Links),
		Hosts: make([]*netview.Host, 0, n.Hosts),
	}
	ends := lately(s)
	for row := range s.Switches() {
		f.Switches = append(f.Switches, withEnds(row, ends))
		if tree == nil {
			continue
		}
		if links, off, ok := tree(s, row.DPID); ok {
			f.Trees = append(f.Trees, Tree{row.DPID, links, off})
		}
	}
	for row := range s.Links() {
		if row.Up {
			f.Links = append(f.Links, row)
		}
	}
	for row := range s.Hosts() {
		f.Hosts = append(f.Hosts, row)
	}
	return f
}

// lately are the ports at which links were that are down, as long as the view shows these.
func lately(s *netview.Snapshot) map[netview.Point]bool {
	ends := make(map[netview.Point]bool)
	for row := range s.Links() {
		if !row.Up {
			ends[row.Src], ends[row.Dst] = true, true
		}
	}
	return ends
}

// withEnds is a switch whose ports of unknown role are links' if one was there lately: it may come back while no instance is there to
// see it, and then such a port must not be taken for a host's before the switch behind it had time to connect.
func withEnds(row *netview.Switch, ends map[netview.Point]bool) *netview.Switch {
	next := *row
	for i, p := range row.Ports {
		if p.Role != netview.PortUnknown || !ends[netview.Point{DPID: row.DPID, Port: p.Number}] {
			continue
		}
		if &next.Ports[0] == &row.Ports[0] { // the view's
			next.Ports = slices.Clone(row.Ports)
		}
		next.Ports[i].Role = netview.PortLink
	}
	return &next
}
