package route

import stdheap "container/heap"

// far is more than any path costs.
const far = uint64(1) << 62

// longHeap is a priority queue like heap for distances of 64 bits, for searches that are not on the
// way of a flow. Equal distances come by node.
type longHeap []queued

type queued struct {
	dist uint64
	node int32
}

func (h *longHeap) push(dist uint64, node int32) { stdheap.Push((*byDist)(h), queued{dist, node}) }

// pop takes the lowest; the heap is not empty.
func (h *longHeap) pop() (dist uint64, node int32) {
	q := stdheap.Pop((*byDist)(h)).(queued)
	return q.dist, q.node
}

// byDist has the methods that container/heap wants.
type byDist []queued

func (h byDist) Len() int { return len(h) }
func (h byDist) Less(i, j int) bool {
	return h[i].dist < h[j].dist || h[i].dist == h[j].dist && h[i].node < h[j].node
}
func (h byDist) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byDist) Push(x any)   { *h = append(*h, x.(queued)) }
func (h *byDist) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
