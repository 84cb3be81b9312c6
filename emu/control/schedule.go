package control

import (
	"slices"
	"sort"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// schedule holds the events that are still to run, in order of time. It is a pure core: the time,
// an argument, is the age of the network.
type schedule struct {
	items []Pending
	last  int // number given to an event
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
		a.insert(Pending{Number: a.last, Event: e, At: now + e.At})
		numbers = append(numbers, a.last)
	}
	return numbers
}

// insert adds an event behind those at the same time.
func (a *schedule) insert(p Pending) {
	at := sort.Search(len(a.items), func(i int) bool { return a.items[i].At > p.At })
	a.items = slices.Insert(a.items, at, p)
}

// due removes and returns the events that are due, the earliest first. A repeated event is entered
// for its next time; times that have passed are skipped.
func (a *schedule) due(now time.Duration) (list []topo.Event) {
	for len(a.items) > 0 && a.items[0].At <= now {
		p := a.items[0]
		a.items = slices.Delete(a.items, 0, 1)
		list = append(list, p.Event)
		p.Done++
		if every := p.Event.Every; every > 0 && (p.Event.Times == 0 || p.Done < p.Event.Times) {
			p.At = max(p.At, now-every) + every
			a.insert(p)
		}
	}
	return list
}

// next returns the time of the next event.
func (a *schedule) next() (time.Duration, bool) {
	if len(a.items) == 0 {
		return 0, false
	}
	return a.items[0].At, true
}

// cancel removes an event; false if there is none of that number.
func (a *schedule) cancel(number int) bool {
	before := len(a.items)
	a.items = slices.DeleteFunc(a.items, func(p Pending) bool { return p.Number == number })
	return len(a.items) < before
}
