package emu

// ring is a queue whose room grows as needed and is let go when it was needed long ago.
type ring[T any] struct {
	items []T // its length is a power of two, or 0
	head  int
	n     int
}

// minRing is the room of a queue that holds something.
const minRing = 8

func (r *ring[T]) len() int { return r.n }

// push appends.
func (r *ring[T]) push(x T) {
	if r.n == len(r.items) {
		r.resize(max(2*len(r.items), minRing))
	}
	r.items[(r.head+r.n)&(len(r.items)-1)] = x
	r.n++
}

// first is the oldest item, of which there must be one.
func (r *ring[T]) first() *T { return &r.items[r.head] }

// at is the i-th oldest item, from 0.
func (r *ring[T]) at(i int) *T { return &r.items[(r.head+i)&(len(r.items)-1)] }

// pop removes the oldest item, of which there must be one. A queue that is a sixteenth full gives
// half of its room back.
func (r *ring[T]) pop() T {
	var zero T
	x := r.items[r.head]
	r.items[r.head] = zero
	r.head = (r.head + 1) & (len(r.items) - 1)
	r.n--
	if len(r.items) > minRing && r.n <= len(r.items)/16 {
		r.resize(len(r.items) / 2)
	}
	return x
}

func (r *ring[T]) resize(size int) {
	items := make([]T, size)
	for i := range r.n {
		items[i] = r.items[(r.head+i)&(len(r.items)-1)]
	}
	r.items, r.head = items, 0
}
