package topology

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// Forest is a spanning tree of each connected part of a network. It is sticky: a link stays in it
// as long as it can be used, so that a change of the network moves as few broadcasts as possible.
// One goroutine owns it.
type Forest struct {
	links   []branch // all links, in the order of their keys
	nodes   map[netview.DPID]int32
	ports   [][]uint32 // by node: the ports whose links are in it, in order
	size    int        // number of links in it
	avoid   map[netview.Point]bool
	fresh   bool // the next update ignores the links in it
	begins  bool // during an update: it continues an earlier forest
	sets    UnionFind
	tiers   [tierDown][]int32 // scratch of rebuild: links by tier
	changed []netview.LinkKey
}

// NewForest returns the forest of an empty network.
func NewForest() *Forest { return &Forest{nodes: make(map[netview.DPID]int32)} }

// Restart makes the next update begin with no link and nothing to avoid, as a new forest does.
func (f *Forest) Restart() { f.fresh, f.avoid = true, nil }

// Avoid makes links at a port the last to be added, since an earlier forest, whose rules switches
// still hold, left them out. It is called before the first update, or between Restart and the next
// one.
func (f *Forest) Avoid(at netview.Point) {
	if f.avoid == nil {
		f.avoid = make(map[netview.Point]bool)
	}
	f.avoid[at], f.fresh = true, true
}

// Update updates the forest to a snapshot. It removes links that are gone or draining, and adds
// links where a part of the network was split or two were joined: those to avoid after others, then
// draining ones (those that are in the forest first), unconfirmed ones last, since a switch at their
// end cannot be told anything; otherwise in the order of their keys. A link that is both draining
// and unconfirmed stays, for the same reason. The result depends on nothing else, so equal histories
// give equal forests. Its time grows with the number of links. Changed are the links that were added
// or removed, one key for both directions; it is valid until the next update.
func (f *Forest) Update(snap *netview.Snapshot) (changed []netview.LinkKey) {
	f.begin()
	old, i := f.links, 0
	f.links = make([]branch, 0, snap.Counts().Links/2+1)
	for there, back := range snap.LinkPairs() {
		key := keyOf(there, back)
		for ; i < len(old) && old[i].key.Compare(key) < 0; i++ {
			f.out(&old[i])
		}
		if i < len(old) && old[i].key == key {
			f.links = append(f.links, old[i])
			i++
		} else {
			f.links = append(f.links, f.branch(key))
		}
		f.links[len(f.links)-1].grade(there, back)
	}
	for ; i < len(old); i++ {
		f.out(&old[i])
	}
	f.rebuild(snap.Counts().Switches)
	return f.changed
}

// Follow is Update for callers that know which links were put or deleted since the last update:
// links has at least those, in either direction. If they cannot change the forest, its time grows
// with their number only.
func (f *Forest) Follow(snap *netview.Snapshot, links []netview.LinkKey) (changed []netview.LinkKey) {
	f.begin()
	matters := f.fresh
	for _, key := range links {
		if key.Src.Compare(key.Dst) > 0 {
			key = key.Reverse()
		}
		there, _ := snap.Link(key)
		back, _ := snap.Link(key.Reverse())
		i, known := slices.BinarySearchFunc(f.links, key, compareBranch)
		switch {
		case there != nil || back != nil:
			if !known {
				f.links = slices.Insert(f.links, i, f.branch(key))
			}
			l := &f.links[i]
			had := *l
			l.grade(there, back)
			matters = matters || f.matters(&had, l)
		case known:
			matters = matters || f.links[i].in
			f.out(&f.links[i])
			f.links = slices.Delete(f.links, i, i+1)
		}
	}
	if matters {
		f.rebuild(snap.Counts().Switches)
	}
	return f.changed
}

// begin begins an update.
func (f *Forest) begin() {
	f.changed = f.changed[:0]
	f.begins = f.avoid != nil && (f.fresh || f.size == 0)
}

// matters reports whether a changed link may change the forest: not if it was in and stays, and not
// if it was not in and its tier is no better.
func (f *Forest) matters(had, now *branch) bool {
	if had.in {
		return !now.stays()
	}
	return now.tier(false, f.begins) < had.tier(false, f.begins)
}

// branch returns a new link.
func (f *Forest) branch(key netview.LinkKey) branch {
	return branch{key: key, a: f.node(key.Src.DPID), b: f.node(key.Dst.DPID), avoid: f.avoid[key.Src] || f.avoid[key.Dst]}
}

// node returns a switch's number.
func (f *Forest) node(dpid netview.DPID) int32 {
	n, ok := f.nodes[dpid]
	if !ok {
		n = int32(len(f.nodes))
		f.nodes[dpid] = n
		f.ports = append(f.ports, nil)
	}
	return n
}

// rebuild builds the forest from the links that stay in it, and the best others. A connected part of
// n switches has n-1 links in it.
func (f *Forest) rebuild(switches int) {
	f.renumber(switches)
	f.sets.Reset(len(f.nodes))
	for i := range f.tiers {
		f.tiers[i] = f.tiers[i][:0]
	}
	kept := 0
	for i := range f.links {
		l := &f.links[i]
		if f.fresh {
			l.avoid = f.avoid[l.key.Src] || f.avoid[l.key.Dst]
		}
		in := l.in && !f.fresh
		if l.keep = in && l.stays(); l.keep {
			f.sets.Union(l.a, l.b)
			kept++
		} else if tier := l.tier(in, f.begins); tier < tierDown {
			f.tiers[tier] = append(f.tiers[tier], int32(i))
		}
	}
	for _, tier := range f.tiers {
		for _, i := range tier {
			if kept >= switches-1 {
				break
			}
			if l := &f.links[i]; f.sets.Union(l.a, l.b) {
				l.keep = true
				kept++
			}
		}
	}
	f.fresh = false
	f.take()
}

// renumber numbers the switches that have links anew, when most numbers belong to others.
func (f *Forest) renumber(switches int) {
	if len(f.nodes) <= 2*switches+64 {
		return
	}
	was, ports := f.nodes, f.ports
	f.nodes, f.ports = make(map[netview.DPID]int32), nil
	for i := range f.links {
		l := &f.links[i]
		l.a, l.b = f.node(l.key.Src.DPID), f.node(l.key.Dst.DPID)
		f.ports[l.a], f.ports[l.b] = ports[was[l.key.Src.DPID]], ports[was[l.key.Dst.DPID]]
	}
}

// take adds and removes the links that rebuild has selected.
func (f *Forest) take() {
	for i := range f.links {
		switch l := &f.links[i]; {
		case l.in && !l.keep:
			f.out(l)
		case !l.in && l.keep:
			l.in = true
			f.size++
			f.put(l.a, l.key.Src.Port)
			f.put(l.b, l.key.Dst.Port)
			f.changed = append(f.changed, l.key)
		}
	}
}

// out removes a link, if it is in.
func (f *Forest) out(l *branch) {
	if l.in {
		l.in = false
		f.size--
		f.drop(l.a, l.key.Src.Port)
		f.drop(l.b, l.key.Dst.Port)
		f.changed = append(f.changed, l.key)
	}
}

func (f *Forest) put(node int32, port uint32) {
	i, _ := slices.BinarySearch(f.ports[node], port)
	f.ports[node] = slices.Insert(f.ports[node], i, port)
}

func (f *Forest) drop(node int32, port uint32) {
	i, _ := slices.BinarySearch(f.ports[node], port)
	f.ports[node] = slices.Delete(f.ports[node], i, i+1)
}

// Ports returns the ports of a switch whose links are in the forest, in order; valid until the next
// update.
func (f *Forest) Ports(dpid netview.DPID) []uint32 {
	if n, ok := f.nodes[dpid]; ok {
		return f.ports[n]
	}
	return nil
}

// Has reports whether a link, in either direction, is in the forest.
func (f *Forest) Has(key netview.LinkKey) bool {
	if key.Src.Compare(key.Dst) > 0 {
		key = key.Reverse()
	}
	i, ok := slices.BinarySearchFunc(f.links, key, compareBranch)
	return ok && f.links[i].in
}
