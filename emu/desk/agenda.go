package desk

import (
	"slices"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// agenda is what is still to happen, in order of time. It is a core: time is the age of the network, an argument.
type agenda struct {
	items []item
	last  int
}

// item is an event, and when it is next.
type item struct {
	topo.Event
	number int
	at     time.Duration
	done   int // how often it has happened
}

// Pending is an event that is still to happen.
type Pending struct {
	Number int // unique among events, from 1
	Event  topo.Event
	At     time.Duration // the age of the network when it happens next
	Done   int           // how often it has happened
}

// add takes events, whose times count from now.
func (a *agenda) add(events []topo.Event, now time.Duration) (numbers []int) {
	for _, e := range events {
		a.last++
		a.insert(item{Event: e, number: a.last, at: now + e.At})
		numbers = append(numbers, a.last)
	}
	return numbers
}

// insert keeps the order of those that happen at the same time.
func (a *agenda) insert(i item) {
	at, _ := slices.BinarySearchFunc(a.items, i.at, func(other item, at time.Duration) int {
		if other.at <= at {
			return -1
		}
		return 1
	})
	a.items = slices.Insert(a.items, at, i)
}

// due takes what is to happen by now, the first first. An event that repeats stands again for its next time; times that have
// passed are not made up for.
func (a *agenda) due(now time.Duration) (list []topo.Event) {
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

// next is when something is to happen.
func (a *agenda) next() (time.Duration, bool) {
	if len(a.items) == 0 {
		return 0, false
	}
	return a.items[0].at, true
}

// drop forgets an event; false if there is none of that number.
func (a *agenda) drop(number int) bool {
	before := len(a.items)
	a.items = slices.DeleteFunc(a.items, func(i item) bool { return i.number == number })
	return len(a.items) < before
}
