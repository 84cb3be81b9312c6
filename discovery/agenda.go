package discovery

import (
	"container/heap"
	"time"

	"github.com/weirnet/weir/netview"
)

// duty is what is due at a time.
type duty uint8

const (
	dutyProbe   duty = iota // the next probe of a port's fast start
	dutyRound               // the periodic probes of a segment of a switch's ports
	dutyEdge                // see whether a port is an edge
	dutySettled             // see whether a switch, or the whole, has settled
	dutyPurge               // forget a link that is down
	dutyUnblock             // see whether a port is still to be blocked
	dutyAsk                 // ask a host again, or take its silence for an answer
	dutyPort                // see whether one of a port's hosts has spoken
	dutyRecheck             // let a claim that was refused be looked at again
	dutyPassing             // forget a switch that was there for a moment only
	dutySweep               // look at some of the hosts
)

// appointment is a duty at a time. What it is about may have changed since it was made: whoever does it looks again.
type appointment struct {
	at    time.Time
	order uint64 // of making, for equal times
	duty  duty
	point netview.Point // dutyRound: Port is the segment
	link  netview.LinkKey
	claim *sighting // dutyRecheck
	host  netview.HostID
	stamp time.Time // the state that it was made for
}

// agenda is the appointments in order of time.
type agenda struct {
	list  appointments
	order uint64
}

func (a *agenda) add(x appointment) {
	a.order++
	x.order = a.order
	heap.Push(&a.list, x)
}

// next is the time of the first appointment.
func (a *agenda) next() (time.Time, bool) {
	if len(a.list) == 0 {
		return time.Time{}, false
	}
	return a.list[0].at, true
}

// due takes the first appointment if its time has come.
func (a *agenda) due(now time.Time) (appointment, bool) {
	if len(a.list) == 0 || a.list[0].at.After(now) {
		return appointment{}, false
	}
	return heap.Pop(&a.list).(appointment), true
}

type appointments []appointment

func (l appointments) Len() int      { return len(l) }
func (l appointments) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *appointments) Push(x any)   { *l = append(*l, x.(appointment)) }

func (l appointments) Less(i, j int) bool {
	if !l[i].at.Equal(l[j].at) {
		return l[i].at.Before(l[j].at)
	}
	return l[i].order < l[j].order
}

func (l *appointments) Pop() any {
	last := len(*l) - 1
	x := (*l)[last]
	*l = (*l)[:last]
	return x
}
