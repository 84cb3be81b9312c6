package recall

import (
	"maps"
	"time"

	"github.com/weirnet/weir/netview"
)

// Facts are what is remembered of a network.
type Facts struct {
	Switches []*netview.Switch
	Trees    []Tree
	// Links are those that were up, and, not up, those that were: the port Src, of which nothing else is known, led to Dst.
	Links []*netview.Link
	Hosts []*netview.Host
}

// Tree is what one switch was wanted to hold of the broadcast tree: the inter-switch ports that its rules name, and those
// of them that they keep out of it.
type Tree struct {
	DPID       netview.DPID
	Links, Off []uint32
}

// take takes the facts of a snapshot; tree tells of one switch's tree, false if it has none. It may be nil. Were are the ends of links
// that were lost when facts were taken last; they are brought up to date.
func take(s *netview.Snapshot, were *ends, tree func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool)) *Facts {
	n := s.Counts()
	f := &Facts{
		Switches: make([]*netview.Switch, 0, n.Switches), Links: make([]*netview.Link, 0, n.Links),
		Hosts: make([]*netview.Host, 0, n.Hosts),
	}
	*were = lost(s, *were)
	were.keep(s)
	for row := range s.Switches() {
		f.Switches = append(f.Switches, row)
		f.Links = append(f.Links, were.links(row)...)
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

// ends are the ports at which links were that are down, with where they led.
type ends map[netview.Point]netview.Point

// lost are the ends of the links that a snapshot shows to be down. The view soon forgets such a link, and a port must not be taken for
// a host's for that: so the ends that were lost before stay.
func lost(s *netview.Snapshot, before ends) ends {
	now := maps.Clone(before)
	if now == nil {
		now = make(ends)
	}
	since := make(map[netview.Point]time.Time)
	for row := range s.Links() {
		if row.Up {
			continue
		}
		if at, ok := since[row.Src]; !ok || row.Since.After(at) { // of two, the one that was there last
			now[row.Src], since[row.Src] = row.Dst, row.Since
		}
	}
	return now
}

// keep drops the ends of which more is known by now: ports that have another role, and such as are not there any more.
func (e ends) keep(s *netview.Snapshot) {
	maps.DeleteFunc(e, func(at, _ netview.Point) bool {
		sw, ok := s.Switch(at.DPID)
		if !ok {
			return true
		}
		p, ok := sw.Port(at.Port)
		return !ok || p.Role != netview.PortUnknown
	})
}

// links are the links that ended at a switch's ports, in their order.
func (e ends) links(row *netview.Switch) (all []*netview.Link) {
	for i := range row.Ports {
		at := netview.Point{DPID: row.DPID, Port: row.Ports[i].Number}
		if to, ok := e[at]; ok {
			all = append(all, &netview.Link{LinkKey: netview.LinkKey{Src: at, Dst: to}, State: netview.LinkUnconfirmed})
		}
	}
	return all
}
