package numbered

// Slots are values by number, from 1 on; the number of one that was removed is given to another. The zero
// Slots are empty.
type Slots[V any] struct {
	list []V // the zero value for a free number, and for 0
	free []uint32
}

// At returns the value of a number; the zero value for 0 and for one that is free.
func (s *Slots[V]) At(number uint32) (v V) {
	if number != 0 {
		v = s.list[number]
	}
	return v
}

// List returns the values by number, the zero value for those that are free. It is not to be changed, and
// valid until the next Add.
func (s *Slots[V]) List() []V { return s.list }

// Add adds a value and returns its number.
func (s *Slots[V]) Add(v V) (number uint32) {
	if n := len(s.free); n > 0 {
		number, s.free = s.free[n-1], s.free[:n-1]
		s.list[number] = v
		return number
	}
	if len(s.list) == 0 {
		s.list = make([]V, 1)
	}
	s.list = append(s.list, v)
	return uint32(len(s.list) - 1)
}

// Remove frees a number.
func (s *Slots[V]) Remove(number uint32) {
	clear(s.list[number : number+1])
	s.free = append(s.free, number)
}
