package objects

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// State is how far an object has come, for people.
type State string

// The states. They follow from a row as what is to be sent does (Table.due).
const (
	Wanted    State = "wanted"    // an ADD or MODIFY is due
	Waiting   State = "waiting"   // likewise, and something has to happen before
	Sending   State = "sending"   // an ADD or MODIFY is in flight
	Confirmed State = "confirmed" // the switch has what is wanted
	Refused   State = "refused"   // it cannot be at the switch
	Unwanted  State = "unwanted"  // the switch has what nobody wants, and something has to happen before the DELETE
	Deleting  State = "deleting"  // a DELETE is due or in flight
)

// Shown is what is known of an object that somebody wants or the switch has.
type Shown struct {
	Meter  bool
	Number uint32             // 0: none yet
	Type   openflow.GroupType // of groups
	State  State
	Reason string // of Waiting and Unwanted: for what it waits; of Refused: why
	Held   string // what the switch has under the number in place of the content; empty if nothing, or the content itself

	content object.Object // nil if nobody of ours writes such content
	uses    []uint32      // the numbers of content.Uses
}

// Message returns the GroupMod or MeterMod that adds the object; nil if its content is not known. A group that it uses
// and that has no number yet has 0.
func (s *Shown) Message() openflow.Message {
	if s.content == nil {
		return nil
	}
	return s.content.Message(object.Add, s.Number, func(o object.Object) uint32 {
		at := slices.IndexFunc(s.content.Uses(), func(g *object.Group) bool { return *g.Digest() == *o.Digest() })
		return s.uses[at]
	})
}

// Show returns what is known, meters first, in order of numbers; nothing of a switch that has none. idle is why nothing is
// sent now; empty if anything is. Users of what is shown at a place are given to use.
func (t *Table) Show(idle string, use func(u User, place int)) []Shown {
	if t.sw.Version != 0 && !t.Numbered() {
		return nil
	}
	rows := slices.DeleteFunc(t.all(), func(r *row) bool { return !r.isWanted() && !r.mayBeHeld() })
	slices.SortStableFunc(rows, func(a, b *row) int { // those without a number last
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.number-1, b.number-1))
	})
	held := t.heldUp()
	list, places := make([]Shown, len(rows)), make(map[*row]int, len(rows))
	for place, r := range rows {
		places[r] = place
		s := &list[place]
		*s = Shown{Meter: r.kind == meters, Number: r.number, Type: r.class, content: r.content}
		if s.State, s.Reason = t.state(r, idle, held[r]); r.held == something {
			s.Held = cmp.Or(r.other, r.kind.String()+" of unknown content")
		}
		if r.content != nil {
			for _, g := range r.content.Uses() {
				s.uses = append(s.uses, t.byContent[*g.Digest()].number)
			}
		}
	}
	for u, w := range t.of {
		for _, r := range w.wants {
			use(u, places[r])
		}
	}
	return list
}

// heldUp is why rows that are in none of Next's queues are not in them.
func (t *Table) heldUp() map[*row]string {
	why := make(map[*row]string)
	for k, list := range t.room {
		for _, r := range list {
			why[r] = fmt.Sprintf("the switch has no room before another %s is deleted", kind(k))
		}
	}
	for _, r := range t.unasked {
		why[r] = "the switch has not said yet which groups and meters it takes"
	}
	for _, r := range t.leaving {
		why[r] = "entries of the switch may use it"
	}
	return why
}

// state returns a row's state, and the reason of those that have one.
func (t *Table) state(r *row, idle, held string) (s State, reason string) {
	switch {
	case r.flight != nil && r.flight.command == object.Delete:
		return Deleting, ""
	case r.flight != nil:
		return Sending, ""
	case !r.isWanted():
		if reason = cmp.Or(t.stays(r), pause(r), held, idle); reason == "" {
			return Deleting, ""
		}
		return Unwanted, reason
	case r.refusal != nil:
		return Refused, r.refusal.Reason
	case r.held == it:
		return Confirmed, ""
	}
	if reason = cmp.Or(idle, t.lacks(r), pause(r), held); reason == "" {
		return Wanted, ""
	}
	return Waiting, reason
}

// lacks is what an object that is wanted needs and is not confirmed.
func (t *Table) lacks(r *row) string {
	for _, g := range r.content.Uses() {
		if used := t.byContent[*g.Digest()]; used.held != it || used.flight != nil {
			return used.name() + ", which it uses, is not confirmed"
		}
	}
	return ""
}

// stays is why the switch keeps an object that nobody wants.
func (t *Table) stays(r *row) string {
	user := slices.IndexFunc(r.usedBy, (*row).mayBeHeld)
	switch {
	case r.kept > 0:
		return "entries of the switch may use it"
	case user >= 0:
		return r.usedBy[user].name() + " uses it"
	case r.stale && !t.pruning:
		return "it was found at the switch, and may come to be wanted"
	case r.stale && r.fixed && t.sharing:
		return "entries of others may use it"
	}
	return ""
}

// pause is why a row is tried again only later.
func pause(r *row) string {
	switch at := r.retryAt.UTC().Format(time.RFC3339); {
	case r.retryAt.IsZero():
		return ""
	case r.fails > 0:
		return fmt.Sprintf("the switch refused that %s: tried again at %s", times(r.fails), at)
	default:
		return fmt.Sprintf("the switch lost it %s: sent again at %s", times(r.losses), at)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
