package control

import (
	"slices"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// Add adds events to the schedule, whose times count from now, and returns their numbers.
func (d *Operator) Add(events []topo.Event) []int {
	d.mu.Lock()
	numbers := d.schedule.add(events, d.net.Age())
	d.mu.Unlock()
	select {
	case d.added <- struct{}{}:
	default: // Run knows already
	}
	return numbers
}

// Schedule returns the events that are still to run, in order of time.
func (d *Operator) Schedule() []Pending {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.schedule.items)
}

// Cancel removes an event from the schedule; false if there is none of that number.
func (d *Operator) Cancel(number int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.schedule.cancel(number)
}

// runDue runs the events that are due, and returns the time of the next.
func (d *Operator) runDue() (time.Duration, bool) {
	d.mu.Lock()
	list := d.schedule.due(d.net.Age())
	d.mu.Unlock()
	for _, e := range list {
		line := Describe(d.net.Topology(), e.Do)
		if err := d.Do(e.Do); err != nil {
			line += ": not done: " + err.Error()
		}
		d.cfg.Note(line)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.schedule.next()
}
