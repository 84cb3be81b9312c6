package route

import "math/bits"

// Path appends the edges of a shortest path from src to dst to buf and returns them with their
// cost. Without a path, or if a node is out of range, ok is false and edges is nil. hash selects
// among paths of equal cost: over many hashes each node uses its equal-cost next hops, parallel
// edges included, equally often. hash need not be well mixed. Path allocates only if buf is too
// small, or for the first path to dst in this version.
//
// It is symmetric: if every edge of Path(a, b, h) has a reverse of the same cost, and the distance
// is the same in both directions, Path(b, a, h) is those reverses in reverse order.
func (t *Table) Path(src, dst int32, hash uint64, buf []int32) (edges []int32, cost uint64, ok bool) {
	if !t.has(src) || !t.has(dst) {
		return nil, 0, false
	}
	hash = mix(hash)
	if src <= dst {
		return t.walk(src, dst, hash, buf)
	}
	// A path from the higher node to the lower one is the reverse of that from the lower one.
	edges, cost, ok = t.walk(dst, src, hash, buf)
	if ok && (t.costs.asymmetric == 0 || cost == uint64(t.Dist(src, dst)) && t.costs.isSymmetric(edges[len(buf):])) {
		reversePath(edges[len(buf):], t.costs.g.reverse)
		return edges, cost, ok
	}
	if t.costs.asymmetric == 0 {
		return nil, 0, false
	}
	return t.walk(src, dst, hash, buf)
}

// walk follows the next hops from src to dst.
func (t *Table) walk(src, dst int32, hash uint64, buf []int32) (edges []int32, cost uint64, ok bool) {
	d := t.to(dst)
	if d.to[src] == Unreachable {
		return nil, 0, false
	}
	edges = buf
	for at := src; at != dst; {
		i := int32(d.nextHop[at])
		if i == multipath {
			i = t.choose(at, d.to, hash)
		}
		next := &t.costs.out.arcs[t.costs.out.start[at]+i]
		edges = append(edges, next.edge)
		at = next.node
	}
	return edges, uint64(d.to[src]), true
}

// choose returns the index, among the arcs of node, of the next hop that the flow takes.
func (t *Table) choose(node int32, to []uint32, hash uint64) int32 {
	have, best, pick := uint64(to[node]), uint64(0), int32(-1)
	for i, a := range t.costs.out.of(node) {
		if uint64(to[a.node])+uint64(a.cost) != have {
			continue
		}
		if s := score(hash, t.costs.g.keys[a.edge]); s > best || pick < 0 {
			best, pick = s, int32(i)
		}
	}
	if pick < 0 {
		panic("route: distances do not lead to their destination")
	}
	return pick
}

// reversePath replaces a path by the reverses of its edges, in reverse order.
func reversePath(edges, reverse []int32) {
	i, j := 0, len(edges)-1
	for ; i < j; i, j = i+1, j-1 {
		edges[i], edges[j] = reverse[edges[j]], reverse[edges[i]]
	}
	if i == j {
		edges[i] = reverse[edges[i]]
	}
}

// mix spreads the bits of a weak hash over all 64: the finaliser of MurmurHash3.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// score is the weight of an edge with this key for a flow in rendezvous hashing: of equal-cost next hops
// the one with the highest is taken. hash has been mixed.
func score(hash, key uint64) uint64 {
	hi, lo := bits.Mul64(hash^key, 0xd6e8feb86659fd93)
	return hi ^ lo
}
