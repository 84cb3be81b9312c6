package control

import (
	"slices"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// schedule holds the events that are still to run, in order of time. It is a pure core: the time,
// an argument, is the age of the network.
type schedule struct {
	items []item
	last  int
}

// item is an event and the time of its next run.
type item struct {
	topo.Event
	number int
	at     time.Duration
	done   int // how often it has run
}

// Pending is an event that is still to run.
type Pending struct {
	Number int // unique among events, from 1
	Event  topo.Event
	At     time.Duration // the age of the network at its next run
	Done   int           // how often it has run
}

// add adds events, whose times count from now.
func (a *schedule) add(events []topo.Event, now time.Duration) (numbers []int) {
	for _, e := range events {
		a.last++
		a.insert(item{Event: e, number: a.last, at: now + e.At})
		numbers = append(numbers, a.last)
	}
	return numbers
}

// insert keeps the order of events at the same time.
func (a *schedule) insert(i item) {
	at, _ := slices.BinarySearchFunc(a.items, i.at, func(other item, at time.Duration) int {
		if other.at <= at {
			return -1
		}
		return 1
	})
	a.items = slices.Insert(a.items, at, i)
}

// due removes and returns the events that are due, the earliest first. A repeated event is entered
// for its next time; times that have passed are skipped.
func (a *schedule) due(now time.Duration) (list []topo.Event) {
	for len(a.items) > 0 && a.items[0].at <= now {
		i := a.items[0]
		a.items = slices.Delete(a.items, 0, 1)
		list = append(list, i.Event)
		i.done++
		if i.Every > 0 && (i.Times == 0 || i.done < i.Times) {
			i.at = max(i.at, now-i.Every) + i.Every
			a.insert(i)
		}
	}
	return list
}

// next returns the time of the next event.
func (a *schedule) next() (time.Duration, bool) {
	if len(a.items) == 0 {
		return 0, false
	}
	return a.items[0].at, true
}

// cancel removes an event; false if there is none of that number.
func (a *schedule) cancel(number int) bool {
	before := len(a.items)
	a.items = slices.DeleteFunc(a.items, func(i item) bool { return i.number == number })
	return len(a.items) < before
}
