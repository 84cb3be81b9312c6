package route

import stdheap "container/heap"

// infinity is above the cost of any path.
const infinity = uint64(1) << 62

// longHeap is a priority queue in the order of heap, for distances of 64 bits. It is for searches
// that no packet waits for.
type longHeap []queued

type queued struct {
	dist uint64
	node int32
}

func (h *longHeap) push(dist uint64, node int32) { stdheap.Push((*byDist)(h), queued{dist, node}) }

// pop removes the first element; the heap must not be empty.
func (h *longHeap) pop() (dist uint64, node int32) {
	q := stdheap.Pop((*byDist)(h)).(queued)
	return q.dist, q.node
}

// byDist implements container/heap.Interface.
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
