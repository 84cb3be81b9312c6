package stats

import (
	"time"

	"github.com/weirnet/weir/timerq"
)

// agenda is the devices that are to be asked, the one that is due first in front. A device stands
// in it once, as of the latest call of set.
type agenda struct {
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
	d.turn, d.due = a.turns, due
	a.queue.Add(due, entry{d, a.turns})
}

// first is the device that is due first, or nil.
func (a *agenda) first() *device {
	for {
		_, e, ok := a.queue.First()
		if !ok || e.device.turn == e.turn {
			return e.device
		}
		a.queue.Pop()
	}
}

// remove takes a device off.
func (d *device) remove() { d.turn = 0 }
