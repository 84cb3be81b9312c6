package vswitch

import (
	"slices"

	"github.com/weirnet/weir/tenant"
)

// Priorities of tenants in a table that they share with Weir's own rules: the tenants' band, but for its lowest part.
const (
	singleFirst = 13000
	singleCount = 7000
)

// Places in a block, from its beginning: below the labels of entries.
const (
	blockDrop   = 0 // of packets of the region that come in at others' ports
	blockMiss   = 1 // of packets that no entry matches
	blockLabels = 2
)

// layout is where the regions of all tenants stand in a table that they share: each priority of regions has a block of
// priorities of the physical switch, in their order, and the highest is of tenants that have all packets at their ports.
// All blocks are as large, so that what one tenant does takes nothing from others.
type layout struct {
	regions []uint16 // their priorities, rising
	size    int      // of a block
}

// layoutOf returns the layout that all tenants have in common.
func layoutOf(space *tenant.Space) layout {
	regions := space.Priorities()
	return layout{regions, singleCount / (len(regions) + 1)}
}

// block is where the block of a priority of regions begins; of 0, that of whole ports.
func (l *layout) block(region uint16) uint16 {
	i := len(l.regions)
	if region != 0 {
		i, _ = slices.BinarySearch(l.regions, region)
	}
	return uint16(singleFirst + i*l.size)
}

// labels is how many priorities a tenant's entries can have.
func (l *layout) labels() int { return l.size - blockLabels }

// labels are the places of the priorities of a tenant's entries in each block, in the same order.
type labels struct {
	size int
	of   []label // by rising priority, and place
}

type label struct {
	priority uint16
	at       int // from 0
}

// at returns the place of a priority, which has one.
func (l *labels) at(priority uint16) int {
	i, _ := l.find(priority)
	return l.of[i].at
}

func (l *labels) find(priority uint16) (int, bool) {
	return slices.BinarySearchFunc(l.of, priority, func(x label, p uint16) int { return int(x.priority) - int(p) })
}

// room reports whether a priority has a place, or can have one.
func (l *labels) room(priority uint16) bool {
	_, has := l.find(priority)
	return has || len(l.of) < l.size
}

// take gives a priority a place: about as far between its neighbours as it is between their priorities. Where there is
// none, the nearest free place is used, and those on the way to it move by one. It returns the priorities that move, in
// an order in which each finds its new place free.
func (l *labels) take(priority uint16) (moved []uint16) {
	i, has := l.find(priority)
	if has {
		return nil
	}
	low, high := label{0, -1}, label{0xffff, l.size}
	if i > 0 {
		low = l.of[i-1]
	}
	if i < len(l.of) {
		high = l.of[i]
	}
	if high.at-low.at < 2 {
		moved, low.at, high.at = l.shift(i)
	}
	at := low.at + (high.at-low.at)*(int(priority)-int(low.priority))/max(int(high.priority)-int(low.priority), 1)
	l.of = slices.Insert(l.of, i, label{priority, min(max(at, low.at+1), high.at-1)})
	return moved
}

// shift makes a place free before the label of index i, and returns the places of its neighbours then.
func (l *labels) shift(i int) (moved []uint16, low, high int) {
	up := i // the first above that is followed by a free place
	for up < len(l.of) && l.next(up) == l.of[up].at+1 {
		up++
	}
	down := i - 1
	for down >= 0 && l.before(down) == l.of[down].at-1 {
		down--
	}
	if up < len(l.of) && (down < 0 || up-i <= i-1-down) {
		for k := up; k >= i; k-- {
			l.of[k].at++
			moved = append(moved, l.of[k].priority)
		}
	} else {
		for k := down; k < i; k++ {
			l.of[k].at--
			moved = append(moved, l.of[k].priority)
		}
	}
	return moved, l.before(i), l.next(i - 1)
}

// next is the place of the label after one, and before that of the one before it.
func (l *labels) next(i int) int {
	if i+1 < len(l.of) {
		return l.of[i+1].at
	}
	return l.size
}

func (l *labels) before(i int) int {
	if i > 0 {
		return l.of[i-1].at
	}
	return -1
}

// give takes the place of a priority back.
func (l *labels) give(priority uint16) {
	if i, has := l.find(priority); has {
		l.of = slices.Delete(l.of, i, i+1)
	}
}

// retain takes the places back of priorities that no entry has.
func (l *labels) retain(has map[uint16]int) {
	l.of = slices.DeleteFunc(l.of, func(x label) bool { return has[x.priority] == 0 })
}

// resize spreads the labels over so many places, and returns the priorities that have none then: the lowest.
func (l *labels) resize(size int) (lost []uint16) {
	for l.size = size; len(l.of) > size; l.of = l.of[1:] {
		lost = append(lost, l.of[0].priority)
	}
	for i := range l.of {
		l.of[i].at = (2*i + 1) * size / (2 * len(l.of))
	}
	return lost
}
