package pathing

import (
	"iter"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/numbered"
)

// Port is a port that paths pass, with the numbers of these, and what an engine keeps of it.
type Port[T any] struct {
	Point netview.Point
	Paths []uint32 // not to be changed
	State T
}

// Ports is the index from ports to the paths that pass them: those of links, so that a link that changes is known
// by the paths over it, and those of hosts. Which ports of a path are in it, those in or those out, is the engine's
// to decide. The zero Ports is empty. It has one owner at a time.
//
// A path is taken out at once (Remove), by positions that its owner keeps; or in bulk, with many others, by an owner
// for whom these would take too much memory (Sweep).
type Ports[T any] struct {
	list    numbered.Slots[*Port[T]]
	byPoint map[netview.Point]uint32
}

// Number returns the number of a port, which it has until it is removed: its own if there was none.
func (x *Ports[T]) Number(at netview.Point) uint32 {
	number := x.byPoint[at]
	if number != 0 {
		return number
	}
	if x.byPoint == nil {
		x.byPoint = make(map[netview.Point]uint32)
	}
	number = x.list.Add(&Port[T]{Point: at})
	x.byPoint[at] = number
	return number
}

// Numbered returns the port of a number that was given out; nil if it was removed.
func (x *Ports[T]) Numbered(number uint32) *Port[T] { return x.list.At(number) }

// At returns the port at a point; nil if no path passes it.
func (x *Ports[T]) At(at netview.Point) *Port[T] { return x.list.At(x.byPoint[at]) }

// All yields all ports, in the order of their numbers.
func (x *Ports[T]) All() iter.Seq[*Port[T]] {
	return func(yield func(*Port[T]) bool) {
		for _, p := range x.list.List() {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// Add adds a path to those of a port, by number, and returns its position there.
func (x *Ports[T]) Add(port, path uint32) (position uint32) {
	p := x.list.At(port)
	p.Paths = append(p.Paths, path)
	return uint32(len(p.Paths) - 1)
}

// Remove takes the path at a position out, and the port with the last one. It returns the path that has the position
// now; 0: none.
func (x *Ports[T]) Remove(port, position uint32) (moved uint32) {
	p := x.list.At(port)
	last := len(p.Paths) - 1
	if int(position) != last {
		moved = p.Paths[last]
		p.Paths[position] = moved
	}
	p.Paths = p.Paths[:last]
	switch {
	case last == 0:
		x.remove(p.Point, port)
	case 4*last <= cap(p.Paths) && last >= 1024: // what was there once is not kept
		p.Paths = slices.Clone(p.Paths)
	}
	return moved
}

func (x *Ports[T]) remove(at netview.Point, port uint32) {
	x.list.Remove(port)
	delete(x.byPoint, at)
}

// Sweep takes the paths out for which gone returns true, and the ports without any. Positions are not valid any more.
func (x *Ports[T]) Sweep(gone func(path uint32) bool) {
	for at, number := range x.byPoint {
		p := x.list.At(number)
		if p.Paths = slices.DeleteFunc(p.Paths, gone); len(p.Paths) == 0 {
			x.remove(at, number)
		}
	}
}
