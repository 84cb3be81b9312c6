package route

// heap is a priority queue of nodes: the least distance first, and of equal ones the lowest node, so
// that the order is the same in every run. An element is distance<<32 | node. It is 4-ary: fewer
// levels than binary, and siblings share a cache line.
type heap []uint64

func (h *heap) push(dist uint32, node int32) {
	x := uint64(dist)<<32 | uint64(uint32(node))
	*h = append(*h, x)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if s[parent] <= x {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = x
}

// pop removes the first element; the heap must not be empty.
func (h *heap) pop() (dist uint32, node int32) {
	s := *h
	top := s[0]
	last := len(s) - 1
	x := s[last]
	s = s[:last]
	*h = s
	i := 0
	for {
		first := 4*i + 1
		if first >= last {
			break
		}
		least := first
		v := s[first]
		for c := first + 1; c < min(first+4, last); c++ {
			if s[c] < v {
				least, v = c, s[c]
			}
		}
		if v >= x {
			break
		}
		s[i] = v
		i = least
	}
	if last > 0 {
		s[i] = x
	}
	return uint32(top >> 32), int32(uint32(top))
}
