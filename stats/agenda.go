package stats

import (
	"time"

	"github.com/weirnet/weir/timerq"
)

// sort is why a switch is asked. Each has an agenda and a budget of its own, so that neither holds up the other.
type sort uint8

const (
	regular sort = iota // its time has come
	wanted              // somebody waits for it (Wanted)
	sorts
)

// line is the devices that are to be asked for one reason.
type line struct {
	agenda agenda
	budget budget
}

// agenda is the devices that are to be asked, the one that is due first in front. A device stands
// in it once, as of the latest call of set.
type agenda struct {
	of    sort
	queue timerq.Times[entry]
	turns uint64
}

type entry struct {
	device *device
	turn   uint64 // of setting; the device has the one that counts
}

// set puts a device on the agenda at a time, in the place of an earlier one.
func (a *agenda) set(d *device, due time.Time) {
	a.turns++
	d.turns[a.of] = a.turns
	a.queue.Add(due, entry{d, a.turns})
}

// first is the device that is due first, and when, or nil.
func (a *agenda) first() (*device, time.Time) {
	for {
		due, e, ok := a.queue.First()
		if !ok || e.device.turns[a.of] == e.turn {
			return e.device, due
		}
		a.queue.Pop()
	}
}

// remove takes a device off all agendas.
func (d *device) remove() { d.turns = [sorts]uint64{} }
