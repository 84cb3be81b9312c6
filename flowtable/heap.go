package flowtable

import "time"

// heap are the entries that run out, the one that is due first at its root. An idle time-out is
// moved on only when its entry is due: until then packets just note that they came. So an entry
// costs something when it is added, and then at most once in its idle time.
//
// It is no timerq.Queue, which keeps 24 bytes an entry instead of 8: with one, BenchmarkFlowModAdd
// costs 4 % more CPU and allocates 21 % more bytes.
type heap []*entry

// add puts an entry in, if it runs out.
func (h *heap) add(e *entry) {
	at, _, ok := e.end()
	if !ok {
		e.place = -1
		return
	}
	e.due, e.place = at, int32(len(*h))
	*h = append(*h, e)
	h.up(int(e.place))
}

// remove takes an entry out, if it is in.
func (h *heap) remove(e *entry) {
	if e.place < 0 {
		return
	}
	old := *h
	i, last := int(e.place), len(old)-1
	e.place = -1
	moved := old[last]
	old[last] = nil
	*h = old[:last]
	if i == last {
		return
	}
	(*h)[i], moved.place = moved, int32(i)
	h.down(i)
	h.up(int(moved.place))
}

// first is the entry that runs out first and when, unless it is used until then; nil if none does.
// Entries that were used since they were last looked at are moved on their way.
func (h *heap) first() (e *entry, at time.Duration) {
	for len(*h) > 0 {
		e := (*h)[0]
		at, _, _ := e.end()
		if at <= e.due {
			return e, at
		}
		e.due = at
		h.down(0)
	}
	return nil, 0
}

func (h heap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].due <= h[i].due {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h heap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].due < h[child].due {
			child++
		}
		if h[i].due <= h[child].due {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h heap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = int32(i), int32(j)
}
