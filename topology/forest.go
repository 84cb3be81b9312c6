package topology

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// Forest is a spanning tree of each connected part of a network. It is sticky: a link stays in it as long as it can be
// used, so that a change of the network moves as few broadcasts as possible. One goroutine owns it.
type Forest struct {
	links map[netview.LinkKey]bool // one key for both directions: the smaller
	ports map[netview.DPID][]uint32
	avoid map[netview.Point]bool
}

// NewForest is the forest of an empty network.
func NewForest() *Forest {
	return &Forest{links: make(map[netview.LinkKey]bool), ports: make(map[netview.DPID][]uint32)}
}

// Avoid makes the links at a port the last to be added: in an earlier forest, of which switches still hold the rules, they
// were left out.
func (f *Forest) Avoid(at netview.Point) {
	if f.avoid == nil {
		f.avoid = make(map[netview.Point]bool)
	}
	f.avoid[at] = true
}

// Update brings the forest to a snapshot: links that went, or are draining, are taken out, and where a part of the network
// has come apart or two have come together, links are added: those to avoid after others, then draining ones (those that
// are in the forest first), unconfirmed ones last, since a switch at their end cannot be told anything; and else in the
// order of their keys. A forest that begins like an earlier one takes what that did not leave out, unconfirmed or not: what
// is left out of it now, switches that have not connected yet may still use. A link that is both draining and unconfirmed stays, for the same reason. The result depends on
// nothing else, so equal histories give equal forests. It costs time in the number of links.
func (f *Forest) Update(snap *netview.Snapshot) {
	sets := make(disjoint, snap.Counts().Switches)
	var kept []netview.LinkKey
	var tiers [6][]netview.LinkKey // fresh, as before though unsure, to avoid, draining but in the forest, draining, unsure
	begins := len(f.links) == 0 && f.avoid != nil
	for there, back := range snap.LinkPairs() {
		if cost, _ := costsOf(there, back); cost == route.Down || there.Src.DPID == there.Dst.DPID {
			continue
		}
		key := there.LinkKey
		tier := 0
		unsure := unsure(there) || unsure(back)
		switch draining := there.Draining || back.Draining; {
		case f.links[key] && (!draining || unsure):
			sets.join(key.Src.DPID, key.Dst.DPID)
			kept = append(kept, key)
			continue
		case unsure && begins && !draining && !f.avoid[key.Src] && !f.avoid[key.Dst]:
			tier = 1
		case unsure:
			tier = 5
		case f.links[key]:
			tier = 3
		case draining:
			tier = 4
		case f.avoid[key.Src] || f.avoid[key.Dst]:
			tier = 2
		}
		tiers[tier] = append(tiers[tier], key)
	}
	whole := snap.Counts().Switches - 1 // as many links join all there is
	for _, keys := range tiers {
		for _, key := range keys {
			if len(kept) >= whole {
				break
			}
			if sets.join(key.Src.DPID, key.Dst.DPID) {
				kept = append(kept, key)
			}
		}
	}
	f.take(kept)
}

// take makes the forest one of these links.
func (f *Forest) take(links []netview.LinkKey) {
	if len(links) == len(f.links) && !slices.ContainsFunc(links, func(key netview.LinkKey) bool { return !f.links[key] }) {
		return
	}
	f.links = make(map[netview.LinkKey]bool, len(links))
	for _, key := range links {
		f.links[key] = true
	}
	f.index()
}

// index lists the ports of each switch.
func (f *Forest) index() {
	f.ports = make(map[netview.DPID][]uint32)
	for key := range f.links {
		f.ports[key.Src.DPID] = append(f.ports[key.Src.DPID], key.Src.Port)
		f.ports[key.Dst.DPID] = append(f.ports[key.Dst.DPID], key.Dst.Port)
	}
	for _, ports := range f.ports {
		slices.Sort(ports)
	}
}

// Ports are the ports of a switch whose links are in the forest, in order.
func (f *Forest) Ports(dpid netview.DPID) []uint32 { return f.ports[dpid] }

// Has tells whether a link, in either direction, is in the forest.
func (f *Forest) Has(key netview.LinkKey) bool { return f.links[key] || f.links[key.Reverse()] }

// Joined are sets of switches that are joined already. The zero value has none.
type Joined struct{ sets disjoint }

// Join joins the sets of two switches, and tells whether they were apart.
func (j *Joined) Join(a, b netview.DPID) bool {
	if j.sets == nil {
		j.sets = make(disjoint)
	}
	return j.sets.join(a, b)
}

// disjoint are sets of switches that are joined already (union-find with path halving).
type disjoint map[netview.DPID]netview.DPID

func (d disjoint) root(x netview.DPID) netview.DPID {
	for {
		up, ok := d[x]
		if !ok || up == x {
			return x
		}
		if above, ok := d[up]; ok {
			d[x] = above
		}
		x = up
	}
}

// join joins the sets of two switches, and tells whether they were apart.
func (d disjoint) join(a, b netview.DPID) bool {
	ra, rb := d.root(a), d.root(b)
	if ra == rb {
		return false
	}
	d[ra] = rb
	return true
}
