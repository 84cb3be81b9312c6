package intent

import "github.com/weirnet/weir/changelog"

// event is one change of an intent's state. The id says of whom when the number has another intent
// by now.
type event struct {
	id       string
	revision uint64
	number   uint32
	state    State
	code     Code
	gone     bool
}

func newEventLog(limit int) changelog.Log[uint64, event] {
	return changelog.New(limit, limit, func(e *event) uint64 { return e.revision }, func(*event) int { return 1 })
}

// noted is an event with a copy of the entry that it is of.
type noted struct {
	event
	stale bool
	entry entryCopy
}

// changes are the events after a revision, at most max and one revision whole. They are copied
// while the lock is held, and read by others.
func (p *publication) changes(since uint64, most int) (list []noted, upto uint64, ok bool) {
	r := &p.events
	if !r.Reaches(since) {
		return nil, r.Current, false
	}
	for i := r.First(since); i < r.Len(); i++ {
		e := r.At(i)
		if len(list) >= max(most, 1) && e.revision != list[len(list)-1].revision {
			return list, list[len(list)-1].revision, true
		}
		list = append(list, p.noted(e))
	}
	return list, r.Current, true
}

// noted copies an event. One of an intent that is gone by now is stale: its end follows.
func (p *publication) noted(e *event) noted {
	n := noted{event: *e}
	switch {
	case e.gone:
	case !p.records.visible(e.number) || p.records.entries.At(e.number).id() != e.id:
		n.stale = true
	default:
		n.entry = p.records.copyOf(e.number)
	}
	return n
}

// change is an event as readers see it.
func (n *noted) change() Change {
	if n.gone || n.stale {
		c := Change{Revision: n.revision, Gone: n.gone, Stale: n.stale}
		c.Intent.Spec.ID, c.Intent.Number, c.Intent.State = n.id, n.number, n.state
		return c
	}
	in := n.entry.intent()
	in.State, in.Code, in.Revision = n.state, n.code, n.revision
	if n.entry.state != n.state || n.entry.code != n.code {
		in.Text = ""
	}
	return Change{Revision: n.revision, Intent: in}
}
