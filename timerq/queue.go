package timerq

// Queue is a binary heap of values by time, the earliest first. The zero Queue is empty; its values
// stay until they are popped. New makes one whose values can be moved and removed.
type Queue[K Key, T any] struct {
	slots []slot[K, T]
	added uint64
	moved func(value T, place int)
}

// Key is a time, or another number to order by.
type Key interface{ ~int64 | ~uint64 }

// slot keeps the key beside the value: to compare two, no value is looked at.
type slot[K Key, T any] struct {
	at    K
	order uint64 // of adding, for equal times
	value T
}

// New returns an empty queue that calls moved with the new place of a value whenever that changes;
// 0 is outside. The owner passes places to Set and Remove.
func New[K Key, T any](moved func(value T, place int)) Queue[K, T] {
	return Queue[K, T]{moved: moved}
}

// Len is the number of values.
func (q *Queue[K, T]) Len() int { return len(q.slots) }

// Add adds a value.
func (q *Queue[K, T]) Add(at K, value T) { q.Set(0, at, value) }

// Set adds a value, or changes the time of the one that stands at a place.
func (q *Queue[K, T]) Set(place int, at K, value T) {
	q.added++
	s := slot[K, T]{at, q.added, value}
	if place == 0 {
		q.slots = append(q.slots, s)
		place = len(q.slots)
	}
	q.sift(place-1, s)
}

// First returns the earliest time and its value; ok is false if the queue is empty.
func (q *Queue[K, T]) First() (at K, value T, ok bool) {
	if len(q.slots) == 0 {
		return at, value, false
	}
	s := &q.slots[0]
	return s.at, s.value, true
}

// Due removes the earliest value if its time has come.
func (q *Queue[K, T]) Due(now K) (value T, ok bool) {
	if len(q.slots) == 0 || q.slots[0].at > now {
		return value, false
	}
	return q.Pop(), true
}

// Pop removes the earliest value, of which there must be one.
func (q *Queue[K, T]) Pop() T {
	value := q.slots[0].value
	q.Remove(1)
	return value
}

// Remove removes the value at a place, if that is not 0.
func (q *Queue[K, T]) Remove(place int) {
	if place == 0 {
		return
	}
	if q.moved != nil {
		q.moved(q.slots[place-1].value, 0)
	}
	last := len(q.slots) - 1
	s := q.slots[last]
	q.slots[last] = slot[K, T]{}
	q.slots = q.slots[:last]
	if place-1 < last {
		q.sift(place-1, s)
	}
}

// sift puts s where it belongs; slot i is free for it or for what makes room.
func (q *Queue[K, T]) sift(i int, s slot[K, T]) {
	slots := q.slots
	for i > 0 {
		up := (i - 1) / 2
		if !s.before(&slots[up]) {
			break
		}
		q.put(&slots[i], &slots[up], i)
		i = up
	}
	for {
		least := 2*i + 1
		if least >= len(slots) {
			break
		}
		if least+1 < len(slots) && slots[least+1].before(&slots[least]) {
			least++
		}
		if !slots[least].before(&s) {
			break
		}
		q.put(&slots[i], &slots[least], i)
		i = least
	}
	q.put(&slots[i], &s, i)
}

func (q *Queue[K, T]) put(to, from *slot[K, T], i int) {
	*to = *from
	if q.moved != nil {
		q.moved(from.value, i+1)
	}
}

func (s *slot[K, T]) before(o *slot[K, T]) bool {
	return s.at < o.at || s.at == o.at && s.order < o.order
}
