package route

import "slices"

// Avoid is what a path must not use. It is a few nodes and edges, named by their ids: each of them is
// compared with all that a search meets. The zero Avoid is nothing.
type Avoid struct{ Nodes, Edges []int32 }

// has reports whether an edge, or the node that it leads to, is to be avoided.
func (a *Avoid) has(x *arc) bool {
	return slices.Contains(a.Nodes, x.node) || slices.Contains(a.Edges, x.edge)
}

func (a *Avoid) empty() bool { return len(a.Nodes)+len(a.Edges) == 0 }

// PathAvoiding is Path without some nodes and edges, whose reverses are to be listed too. Of the paths
// left the choice is that of Path: a flow whose path meets nothing to avoid keeps it. As long as one of
// the shortest paths is left it costs little more than Path; else a search through the part of the graph
// that is nearer to dst than src.
func (t *Table) PathAvoiding(src, dst int32, hash uint64, avoid *Avoid, buf []int32) (edges []int32, cost uint64, ok bool) {
	if avoid.empty() {
		return t.Path(src, dst, hash, buf)
	}
	if !t.has(src) || !t.has(dst) || slices.Contains(avoid.Nodes, src) || slices.Contains(avoid.Nodes, dst) {
		return nil, 0, false
	}
	hash = mix(hash)
	if src <= dst {
		return t.walkAvoiding(src, dst, hash, avoid, buf)
	}
	// A path from the higher node to the lower one is the reverse of that from the lower one.
	if t.costs.asymmetric == 0 {
		if edges, cost, ok = t.walkAvoiding(dst, src, hash, avoid, buf); ok {
			reversePath(edges[len(buf):], t.costs.g.reverse)
		}
		return edges, cost, ok
	}
	if edges, cost, ok = t.walkAvoiding(src, dst, hash, avoid, buf); !ok {
		return nil, 0, false
	}
	if back, same, found := t.walkAvoiding(dst, src, hash, avoid, nil); found && same == cost && t.costs.isSymmetric(back) {
		reversePath(back, t.costs.g.reverse)
		edges = append(buf, back...)
	}
	return edges, cost, true
}

// walkAvoiding is walk without what is to be avoided.
func (t *Table) walkAvoiding(src, dst int32, hash uint64, avoid *Avoid, buf []int32) (edges []int32, cost uint64, ok bool) {
	d := t.to(dst)
	if d.to[src] == Unreachable {
		return nil, 0, false
	}
	if edges, ok = t.follow(src, dst, d.to, hash, avoid, buf); ok {
		return edges, uint64(d.to[src]), true
	}
	s := t.solver()
	defer t.release(s)
	if !s.search(src, dst, avoid) {
		return nil, 0, false
	}
	if edges, ok = t.follow(src, dst, s.to, hash, avoid, buf); !ok {
		panic("route: distances do not lead to their destination")
	}
	return edges, uint64(s.to[src]), true
}

// follow follows the next hops of some distances from src to dst; ok is false where none is left.
func (t *Table) follow(src, dst int32, to []uint32, hash uint64, avoid *Avoid, buf []int32) (edges []int32, ok bool) {
	edges = buf
	for at := src; at != dst; {
		have, best, next := uint64(to[at]), uint64(0), (*arc)(nil)
		arcs := t.costs.out.of(at)
		for i := range arcs {
			a := &arcs[i]
			if uint64(to[a.node])+uint64(a.cost) != have || avoid.has(a) {
				continue
			}
			if s := score(hash, t.costs.g.keys[a.edge]); s > best || next == nil {
				best, next = s, a
			}
		}
		if next == nil {
			return nil, false
		}
		edges, at = append(edges, next.edge), next.node
	}
	return edges, true
}
