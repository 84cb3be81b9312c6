package desk

import (
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// Add puts events on the agenda, whose times count from now, and returns their numbers. Run does them.
func (d *Desk) Add(events []topo.Event) []int {
	d.mu.Lock()
	numbers := d.agenda.add(events, d.net.Age())
	d.mu.Unlock()
	select {
	case d.added <- struct{}{}:
	default: // Run knows already
	}
	return numbers
}

// Agenda is what is still to happen, in order of time.
func (d *Desk) Agenda() []Pending {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]Pending, len(d.agenda.items))
	for i, one := range d.agenda.items {
		list[i] = Pending{one.number, one.Event, one.at, one.done}
	}
	return list
}

// Drop takes an event off the agenda; false if there is none of that number.
func (d *Desk) Drop(number int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.agenda.drop(number)
}

// happen does what is due and says when something is due next.
func (d *Desk) happen() (time.Duration, bool) {
	d.mu.Lock()
	list := d.agenda.due(d.net.Age())
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
	return d.agenda.next()
}
