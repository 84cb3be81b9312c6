package intent

// ring has the last events: enough for a reader that looks now and then.
type ring struct {
	list     []event // grows up to limit, then its oldest are overwritten
	limit    int
	next     int // where the next goes
	revision uint64
	complete uint64 // every event after this revision is in the ring
	bell     chan struct{}
}

// event is one change of an intent's state. The id says of whom when the number has another intent by now.
type event struct {
	id       string
	revision uint64
	number   uint32
	state    State
	code     Code
	gone     bool
}

func (r *ring) append(e event) {
	if r.limit == 0 {
		return
	}
	if len(r.list) < r.limit {
		r.list = append(r.list, e)
	} else {
		r.complete = r.list[r.next].revision
		r.list[r.next] = e
	}
	r.next = (r.next + 1) % r.limit
}

// at is the i-th oldest.
func (r *ring) at(i int) *event {
	if len(r.list) < r.limit {
		return &r.list[i]
	}
	return &r.list[(r.next+i)%r.limit]
}

// first is the index of the oldest event after a revision.
func (r *ring) first(after uint64) int {
	low, high := 0, len(r.list)
	for low < high {
		if mid := (low + high) / 2; r.at(mid).revision <= after {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// changed is closed as soon as the revision is greater than after.
func (r *ring) changed(after uint64) <-chan struct{} {
	if r.revision > after {
		return closed
	}
	if r.bell == nil {
		r.bell = make(chan struct{})
	}
	return r.bell
}

// ringBell wakes who waits.
func (r *ring) ringBell() {
	if r.bell != nil {
		close(r.bell)
		r.bell = nil
	}
}

// noted is an event with a copy of the record that it is of.
type noted struct {
	event
	record record
	text   string
}

// changes are the events after a revision, at most max and one revision whole. They are copied while the lock is held, and read by others.
func (f *front) changes(since uint64, most int) (list []noted, upto uint64, ok bool) {
	r := &f.events
	if since < r.complete || since > r.revision {
		return nil, r.revision, false
	}
	i := r.first(since)
	for ; i < len(r.list); i++ {
		e := r.at(i)
		if len(list) >= max(most, 1) && e.revision != list[len(list)-1].revision {
			return list, list[len(list)-1].revision, true
		}
		list = append(list, f.noted(e))
	}
	return list, r.revision, true
}

// noted copies an event. It is of an intent that is gone where another one has its number.
func (f *front) noted(e *event) noted {
	n := noted{event: *e}
	if n.gone = e.gone || !f.shown(e.number) || f.records.at(e.number).id() != e.id; !n.gone {
		n.record = f.records.at(e.number).durable()
		n.text = f.text(e.number, &n.record)
	}
	return n
}

// change is an event as readers see it.
func (n *noted) change() Change {
	if n.gone {
		c := Change{Revision: n.revision, Gone: true}
		c.Intent.Spec.ID, c.Intent.Number, c.Intent.State = n.id, n.number, n.state
		return c
	}
	in := n.record.intent(n.number, n.text)
	in.State, in.Code, in.Revision = n.state, n.code, n.revision
	if n.record.state != n.state || n.record.code != n.code {
		in.Text = ""
	}
	return Change{Revision: n.revision, Intent: in}
}
