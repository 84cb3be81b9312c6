package objects

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset/object"
)

// Op is one message, and what it is about. A barrier is to follow before what Next returns then.
type Op struct {
	Message openflow.Message

	row     *row
	command object.Command
	content object.Object
}

// sending is what is sent, and what waits to be.
type sending struct {
	*users
	leaving []*row // with fixed numbers that rules use: looked at by each Next
	retries []*row // back in the queue at row.retryAt
	unasked []*row // wait for the switch's features

	flights  int                 // rows with a message in flight
	gone     map[numbered]uint64 // deleted since a listing was requested, with the clock then
	features features

	unpruned bool // there may be stale rows that Prune has not seen
	pruning  bool // stale rows may go
	sharing  bool // the switch has entries of others
}

// features is how far it is known which objects the switch takes.
type features uint8

const (
	featuresUnknown features = iota
	featuresAsked            // by the caller: Next has found that they matter
	featuresKnown
)

// Next returns the messages that are due, at most limit. Each is in flight until Done. used reports whether rules use a
// meter with a fixed number.
func (t *sending) Next(limit int, used func(uint32) bool, now time.Time) (ops []*Op) {
	if !t.Numbered() {
		return nil
	}
	t.retryDue(now)
	t.requeue(&t.leaving)
	n := 0
	for ; n < len(t.queue) && len(ops) < limit; n++ {
		r := t.queue[n]
		if r.queued = false; r.ended {
			continue
		}
		c, due := t.due(r)
		switch {
		case !due:
		case r.fixed && c == object.Delete && used(r.number):
			t.leaving = append(t.leaving, r)
		case !r.fixed && c != object.Delete && t.features != featuresKnown:
			t.unasked = append(t.unasked, r)
		default:
			if o := t.op(r, c); o != nil {
				ops = append(ops, o)
			}
		}
	}
	t.queue = slices.Delete(t.queue, 0, n)
	return ops
}

// due returns what is to be done with a row, if anything.
func (t *sending) due(r *row) (c object.Command, due bool) {
	switch {
	case r.flight != nil || !r.retryAt.IsZero() || slices.Contains(t.room[r.kind], r):
	case r.isWanted():
		if r.refusal != nil || r.content == nil || r.held == it || !t.usesConfirmed(r) {
			return 0, false
		}
		if r.held == something {
			return object.Modify, true
		}
		return object.Add, true
	case r.held == nothing || r.kept > 0 || slices.ContainsFunc(r.usedBy, (*row).mayBeHeld):
	case r.stale && (!t.pruning || r.fixed && t.sharing):
	default:
		return object.Delete, true
	}
	return 0, false
}

// mayBeHeld reports whether the switch may have a row's object.
func (r *row) mayBeHeld() bool { return r.held != nothing || r.flight != nil }

// usesConfirmed reports whether all groups that a row's object uses are confirmed.
func (t *sending) usesConfirmed(r *row) bool {
	return !slices.ContainsFunc(r.content.Uses(), func(g *object.Group) bool {
		used := t.byContent[*g.Digest()]
		return used.held != it || used.flight != nil
	})
}

// op makes the message that is due for a row; nil if the object cannot be at the switch, or not yet.
func (t *sending) op(r *row, c object.Command) *Op {
	switch {
	case c == object.Delete:
	case r.number == 0 && !t.assign(r):
		t.refuse(r, &Refusal{Reason: t.numbersText(r.kind)})
		return nil
	case c == object.Add && !t.fits(r):
		return nil
	}
	o := &Op{row: r, command: c, content: r.content}
	switch {
	case r.content != nil:
		o.Message = r.content.Message(c, r.number, t.Number)
	case r.kind == meters:
		o.Message = &openflow.MeterMod{Command: openflow.MeterDelete, Meter: r.number}
	default:
		o.Message = &openflow.GroupMod{Command: openflow.GroupDelete, Group: r.number}
	}
	r.flight = o
	t.flights++
	t.set(r, r.held)
	return o
}

// numbersText is why a kind of object gets no number.
func (t *sending) numbersText(k kind) string {
	if _, _, ok := plan.SharedNumbers(t.config.Domain); !ok {
		return fmt.Sprintf("domain %d has no numbers for %ss: use one from 1 to %d", t.config.Domain, k, plan.SharedDomainMax)
	}
	return fmt.Sprintf("all numbers that the domain has for %ss are in use at the switch", k)
}

// fits reports whether nothing speaks against a row's object at the switch. Otherwise it is refused, or waits until there
// is room, if there will be.
func (t *sending) fits(r *row) bool {
	err := t.sw.Takes(r.content, t.occupied[r.kind][r.class]+t.others[r.kind][r.class])
	switch {
	case err == nil:
		return true
	case t.sw.Takes(r.content, 0) == nil && t.makesRoom(r):
		t.room[r.kind] = append(t.room[r.kind], r)
	default:
		t.refuse(r, &Refusal{Reason: err.Error()})
	}
	return false
}

// makesRoom reports whether an object of a row's kind goes, whatever becomes of this one.
func (t *sending) makesRoom(r *row) bool {
	stays := make(map[*row]bool) // until a user has another rule, which may wait for room itself
	for _, w := range t.of {
		if len(w.wants) > 0 {
			for _, kept := range w.keeps {
				stays[kept] = true
			}
		}
	}
	for _, other := range t.byNumber[r.kind] {
		if other != r && other.mayBeHeld() && !other.fixed && other.goes(stays) {
			return true
		}
	}
	return false
}

// goes reports whether a row's object goes without anybody wanting anything else, unless it is among those that stay.
func (r *row) goes(stays map[*row]bool) bool {
	return !r.isWanted() && !r.stale && !stays[r] &&
		!slices.ContainsFunc(r.usedBy, func(u *row) bool { return u.mayBeHeld() && !u.goes(stays) })
}

// refuse says that an object cannot be at the switch. Who wants it is told so (Ready) until nobody wants it any more.
func (t *sending) refuse(r *row, why *Refusal) {
	r.refusal = why
	t.wake(r)
	if r.fixed {
		t.fixed = append(t.fixed, r.number)
	}
}

// Done ends a message: it was refused, if e is not nil, or executed.
func (t *sending) Done(o *Op, e *openflow.ErrorMsg, now time.Time) {
	r := o.row
	if r.flight != o { // it was forgotten
		return
	}
	r.flight = nil
	t.flights--
	switch {
	case e == nil && o.command == object.Delete:
		r.stale = false
		t.gone[numbered{r.kind, r.number}] = t.clock + 1
		t.set(r, nothing)
		t.requeue(&t.room[r.kind])
	case e == nil && o.content != r.content: // of a fixed number, which is wanted with another content meanwhile
		t.set(r, something)
		r.other = o.content.String()
	case e == nil:
		r.confirmed, r.proposed, r.tries, r.fails = true, false, 0, 0
		if o.command == object.Add {
			r.since = now
		}
		t.set(r, it)
		t.wake(r)
		for _, u := range r.usedBy {
			t.touch(u)
		}
	case o.command == object.Delete:
		t.retryLater(r, now)
	case r.isWanted():
		t.refused(o, e, now)
	}
	if r.held == nothing && r.content != nil && !r.fixed {
		t.touchUsed(r)
	}
	t.touch(r)
}

// touchUsed has Next look at the groups that a row's object uses.
func (t *rows) touchUsed(r *row) {
	for _, g := range r.content.Uses() {
		t.touch(t.byContent[*g.Digest()])
	}
}

// triesMax is how often a switch may say of an object that it exists, and that it does not, and the like.
const triesMax = 4

// refused handles the refusal of an ADD or a MODIFY of what is still wanted.
func (t *sending) refused(o *Op, e *openflow.ErrorMsg, now time.Time) {
	r := o.row
	switch {
	case r.tries < triesMax && t.otherThanThought(o, e.Code):
		r.tries++
	case isRoom(e.Code) && t.makesRoom(r):
		t.room[r.kind] = append(t.room[r.kind], r)
	case r.confirmed:
		t.retryLater(r, now)
	default:
		t.refuse(r, &Refusal{Code: e.Code, Reason: t.config.Text(e)})
	}
}

// otherThanThought corrects what is known of the switch by a refusal; false if that says nothing of the kind.
func (t *sending) otherThanThought(o *Op, code openflow.ErrorCode) bool {
	switch r := o.row; {
	case o.command == object.Add && (code == openflow.GroupModFailedGroupExists || code == openflow.MeterModFailedMeterExists):
		t.set(r, something)
	case o.command == object.Modify && (code == openflow.GroupModFailedUnknownGroup ||
		code == openflow.MeterModFailedUnknownMeter):
		t.set(r, nothing)
	case code == openflow.BadActionBadOutGroup || code == openflow.GroupModFailedBadWatch:
		if r.kind != groups || len(r.content.Uses()) == 0 {
			return false
		}
		for _, g := range r.content.Uses() {
			if used := t.byContent[*g.Digest()]; used.flight == nil {
				t.set(used, nothing)
				t.touch(used)
			}
		}
	default:
		return false
	}
	return true
}

func isRoom(code openflow.ErrorCode) bool {
	return code == openflow.GroupModFailedOutOfGroups || code == openflow.MeterModFailedOutOfMeters ||
		code == openflow.GroupModFailedOutOfBuckets || code == openflow.MeterModFailedOutOfBands
}

// retryLater has a row wait.
func (t *sending) retryLater(r *row, now time.Time) {
	r.fails++
	t.waitUntil(r, now.Add(t.config.Retry(r.fails)))
}

func (t *sending) waitUntil(r *row, at time.Time) {
	r.retryAt = at
	t.retries = append(t.retries, r)
}

// retryDue queues the rows that have waited long enough.
func (t *sending) retryDue(now time.Time) {
	t.retries = slices.DeleteFunc(t.retries, func(r *row) bool {
		if r.retryAt.After(now) {
			return false
		}
		r.retryAt = time.Time{}
		t.touch(r)
		return true
	})
}

// RetryAt returns when Next has more to send at the latest, without anything else happening; zero for never.
func (t *sending) RetryAt() (at time.Time) {
	for _, r := range t.retries {
		if at.IsZero() || r.retryAt.Before(at) {
			at = r.retryAt
		}
	}
	return at
}

// requeue has Next look at the rows of a list, which it empties.
func (t *rows) requeue(list *[]*row) {
	rows := *list
	*list = nil
	for _, r := range rows {
		t.touch(r)
	}
}

// AsksFeatures reports whether Features has to be called before anything else is sent; once a session.
func (t *sending) AsksFeatures() bool {
	if t.features != featuresUnknown || len(t.unasked) == 0 {
		return false
	}
	t.features = featuresAsked
	return true
}

// Features says which objects the switch takes; nil: it does not say.
func (t *sending) Features(g *openflow.GroupFeatures, m *openflow.MeterFeatures) {
	t.sw.Groups, t.sw.Meters, t.features = g, m, featuresKnown
	t.requeue(&t.unasked)
}

// Due reports whether Next may have something to send.
func (t *sending) Due() bool { return t.Numbered() && len(t.queue) > 0 }

// Quiet reports whether nothing is to be sent, in flight, or waits.
func (t *sending) Quiet() bool {
	return t.flights == 0 && len(t.queue) == 0 && len(t.retries) == 0 && len(t.unasked) == 0 &&
		len(t.room[meters])+len(t.room[groups]) == 0
}
