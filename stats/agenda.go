package stats

import (
	"container/heap"
	"time"
)

// agenda is the devices that are to be asked, the one that is due first in front. A device stands in it once, as of the
// latest call of set.
type agenda struct {
	list  entries
	turns uint64
}

type entry struct {
	due    time.Time
	turn   uint64 // of setting, for equal times; the device has the one that counts
	device *device
}

// set puts a device on the agenda at a time, in the place of an earlier one.
func (a *agenda) set(d *device, due time.Time) {
	a.turns++
	d.turn, d.due = a.turns, due
	heap.Push(&a.list, entry{due, a.turns, d})
}

// first is the device that is due first, or nil.
func (a *agenda) first() *device {
	for len(a.list) > 0 {
		if e := a.list[0]; e.device.turn == e.turn {
			return e.device
		}
		heap.Pop(&a.list)
	}
	return nil
}

// remove takes a device off.
func (d *device) remove() { d.turn = 0 }

type entries []entry

func (l entries) Len() int      { return len(l) }
func (l entries) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *entries) Push(x any)   { *l = append(*l, x.(entry)) }

func (l entries) Less(i, j int) bool {
	if !l[i].due.Equal(l[j].due) {
		return l[i].due.Before(l[j].due)
	}
	return l[i].turn < l[j].turn
}

func (l *entries) Pop() any {
	last := len(*l) - 1
	x := (*l)[last]
	(*l)[last] = entry{}
	*l = (*l)[:last]
	return x
}
