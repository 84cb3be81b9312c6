package paths

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// A tagged path is a path or a tree whose packets are known by tags on the links between its switches. It is
// another path than one over the same links with other tags, or without: each has its own number, users, and rules.

// Tagged reports whether packets carry tags along a path.
func (path *Path) Tagged() bool { return path.route.Entries > 0 }

// Dialects tells which version of OpenFlow a switch speaks: they write tags in different ways.
type Dialects func(netview.DPID) openflow.Version

// Tagging is what a tagged path needs beside the links.
type Tagging struct {
	// Tag returns the id by which packets are known that come in by a port from another switch, whose number
	// is that of hops; 0: there is none.
	Tag func(port uint32, at netview.Point) ruleset.Tag
	// Enters reports whether packets enter the network at a port, beside those to which no link of the path
	// leads.
	Enters   func(netview.Point) bool
	Dialects Dialects
}

// Tagged returns the path along the links of another, which has no tags, with tags on them: the same if it has no
// links. at is where there is no id for one; the path is nil then.
func (r *Registry) Tagged(path *Path, how Tagging) (tagged *Path, at netview.Point) {
	b := tagBuilder{dialects: how.Dialects, tree: path.IsTree()}
	led := make([]bool, len(path.route.Hops))
	path.EachEdge(func(j Edge) { led[j.To] = true })
	if !slices.Contains(led, true) {
		return path, at
	}
	place := make([][2]int32, len(led)) // of each hop: that without a tag and that with one; -1: there is none
	for k, h := range path.route.Hops {
		place[k] = [2]int32{-1, -1}
		if !led[k] || how.Enters(netview.Point{DPID: h.DPID, Port: h.In}) {
			place[k][0] = b.add(h, 0)
		}
	}
	b.entries = len(b.hops)
	for k, h := range path.route.Hops {
		if !led[k] {
			continue
		}
		in := netview.Point{DPID: h.DPID, Port: h.In}
		tag := how.Tag(h.ID, in)
		if tag == 0 {
			return nil, in
		}
		place[k][1] = b.add(h, tag)
	}
	if !b.tree {
		return b.path(r), at
	}
	path.EachEdge(func(j Edge) {
		for _, from := range place[j.From] {
			if from >= 0 {
				b.edges = append(b.edges, Edge{from, place[j.To][1], j.Out})
			}
		}
	})
	return b.path(r), at
}

// tagBuilder makes a tagged path of its hops, in order, those without a tag first, and its edges.
type tagBuilder struct {
	dialects Dialects
	hops     []*ruleset.Hop
	outs     [][]uint32
	edges    []Edge
	entries  int
	tree     bool
}

// add adds a hop with the outputs of another, and returns its index.
func (b *tagBuilder) add(like *ruleset.Hop, tag ruleset.Tag) int32 {
	b.hops = append(b.hops, &ruleset.Hop{DPID: like.DPID, In: like.In, Tag: tag})
	b.outs = append(b.outs, like.Out())
	return int32(len(b.hops) - 1)
}

// ordered reports whether the hops can be those of a tagged path: those without a tag come first, no link leads to them
// and one to each other, and no two are in one place.
func (b *tagBuilder) ordered() bool {
	led, places := make([]bool, len(b.hops)), make(map[ruleset.Hop]bool)
	for _, j := range b.allEdges() {
		led[j.To] = true
		if !slices.Contains(b.outs[j.From], j.Out) {
			return false
		}
	}
	for k, h := range b.hops {
		if (h.Tag == 0) != (k < b.entries) || led[k] != (h.Tag != 0) || places[*h] {
			return false
		}
		places[*h] = true
	}
	return b.entries > 0 && b.entries < len(b.hops)
}

// allEdges are the edges of a tree, and of a path the links from hop to hop.
func (b *tagBuilder) allEdges() (list []Edge) {
	if b.tree {
		return b.edges
	}
	for k := range len(b.hops) - 1 {
		list = append(list, Edge{int32(k), int32(k + 1), b.outs[k][0]})
	}
	return list
}

// path makes the path, or finds it.
func (b *tagBuilder) path(r *Registry) *Path {
	ways := make([][]ruleset.Way, len(b.hops))
	for k, outs := range b.outs {
		for _, port := range outs {
			ways[k] = append(ways[k], ruleset.Way{Port: port})
		}
	}
	for _, j := range b.allEdges() {
		for i := range ways[j.From] {
			if w := &ways[j.From][i]; w.Port == j.Out {
				w.Tag = b.hops[j.To].Tag
			}
		}
	}
	for k, h := range b.hops {
		h.Do = ruleset.Onto(b.dialects(h.DPID), h.In, h.Tag, ways[k]...)
	}
	path := &Path{route: ruleset.Route{Hops: b.hops, Entries: uint32(b.entries)}}
	if b.tree {
		path.treeEdges = &b.edges
	}
	return r.same(path)
}

// EachTag yields the ports by which packets come in with tags, by the number of hops, and the tags.
func (path *Path) EachTag(yield func(port uint32, tag ruleset.Tag)) {
	for _, h := range path.route.Hops[path.firstTagged():] {
		yield(h.ID, h.Tag)
	}
}

// TagAt returns the tag by which packets are known that come in by a port; 0: there is none.
func (path *Path) TagAt(port uint32) ruleset.Tag {
	for _, h := range path.route.Hops[path.firstTagged():] {
		if h.ID == port {
			return h.Tag
		}
	}
	return 0
}

// firstTagged is the index of the first hop with a tag.
func (path *Path) firstTagged() int {
	if path.Tagged() {
		return int(path.route.Entries)
	}
	return len(path.route.Hops)
}
