package intent

// slots are values by id, from 1 on; the id of one that was removed is given to another.
type slots[V any] struct {
	list []V // the zero value for a free id, and for 0
	free []uint32
}

// at returns the value of an id; the zero value for 0.
func (s *slots[V]) at(id uint32) (v V) {
	if id != 0 {
		v = s.list[id]
	}
	return v
}

func (s *slots[V]) add(v V) (id uint32) {
	if n := len(s.free); n > 0 {
		id, s.free = s.free[n-1], s.free[:n-1]
		s.list[id] = v
		return id
	}
	if len(s.list) == 0 {
		s.list = make([]V, 1)
	}
	s.list = append(s.list, v)
	return uint32(len(s.list) - 1)
}

func (s *slots[V]) remove(id uint32) {
	clear(s.list[id : id+1])
	s.free = append(s.free, id)
}
