package objects

import (
	"slices"

	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
)

// uses are the objects of one user.
type uses struct {
	wants   []*row // of the rule that is wanted
	keeps   []*row // of what the switch may hold in its place besides
	waits   *row   // in its list of who waits
	doubted bool   // a rule was refused though all were confirmed, and none was confirmed since
}

// users are who uses objects, and who is to be woken.
type users struct {
	*rows
	of    map[User]*uses // those that have any
	woken []User
}

// Want says that a user's rule is wanted, with these objects: each after those that it uses, and all of these among
// them. What was wanted before is kept.
func (t *users) Want(u User, list []object.Object) {
	w := t.of[u]
	switch {
	case w == nil && len(list) == 0:
		return
	case w == nil:
		w = &uses{}
		t.of[u] = w
	}
	if len(w.keeps) > 0 { // what it keeps makes no room before it has what it wants
		t.requeue(&t.room[meters])
		t.requeue(&t.room[groups])
	}
	before := w.wants
	w.wants = make([]*row, len(list))
	for i, o := range list {
		r := t.rowOf(o)
		if !r.isWanted() && r.held != nothing { // it makes no room any more
			t.requeue(&t.room[r.kind])
		}
		r.wanted++
		r.stale = false
		w.wants[i] = r
	}
	t.demote(w, before)
	for _, r := range w.wants {
		t.touch(r)
	}
}

// demote keeps what is not wanted any more.
func (t *users) demote(w *uses, before []*row) {
	for _, r := range before {
		t.keep(w, r)
		if r.wanted--; r.wanted == 0 {
			r.refusal = nil
		}
		t.touch(r)
	}
}

// Unwant says that a user's rule is not wanted any more: the switch may still hold it.
func (t *users) Unwant(u User) {
	if w := t.of[u]; w != nil {
		before := w.wants
		w.wants = nil
		t.demote(w, before)
	}
}

// Keep says that the switch holds an entry with this key (ruleset.AppendKeyOf) in a user's place.
func (t *users) Keep(u User, key string) {
	if t.shared == 0 {
		return
	}
	for _, ref := range ruleset.References(key) {
		r := t.byNumber[kindOf(ref.Meter)][ref.Number]
		if ref.Content != nil {
			r = t.byContent[*ref.Content]
		}
		if r == nil || r.fixed {
			continue
		}
		w := t.of[u]
		if w == nil {
			w = &uses{}
			t.of[u] = w
		}
		t.keep(w, r)
	}
}

func kindOf(meter bool) kind {
	if meter {
		return meters
	}
	return groups
}

func (t *users) keep(w *uses, r *row) {
	if !slices.Contains(w.keeps, r) {
		w.keeps = append(w.keeps, r)
		r.kept++
	}
}

// Settle says that the switch holds a user's rule, and nothing else in its place.
func (t *users) Settle(u User) {
	if w := t.of[u]; w != nil {
		w.doubted = false
		t.release(&w.keeps)
		if len(w.wants) == 0 {
			delete(t.of, u)
		}
	}
}

// Release ends a user: the switch holds nothing in its place, and nothing is wanted there.
func (t *users) Release(u User) {
	if w := t.of[u]; w != nil {
		t.Unwant(u)
		t.release(&w.keeps)
		delete(t.of, u)
	}
}

// release stops keeping rows.
func (t *users) release(keeps *[]*row) {
	list := *keeps
	*keeps = nil
	for _, r := range list {
		r.kept--
		t.touch(r)
	}
}

// Ready reports whether all objects that a user wants are confirmed. If not, it says which refusal is the reason, or the
// user waits: Woken returns it when that changes.
func (t *users) Ready(u User) (bool, *Refusal) {
	w := t.of[u]
	if w == nil || !t.Numbered() {
		return true, nil
	}
	for _, r := range w.wants {
		switch {
		case r.refusal != nil:
			return false, r.refusal
		case r.held != it || r.flight != nil:
			if w.waits != r {
				w.waits = r
				r.waiting = append(r.waiting, u)
			}
			return false, nil
		}
	}
	return true, nil
}

// Woken returns the users that may be ready now, in the order in which they began to wait, and the meters with fixed
// numbers that came, went or were refused. Both are valid until the next call of the Table.
func (t *users) Woken() ([]User, []uint32) {
	woken, fixed := t.woken, t.fixed
	t.woken, t.fixed = nil, nil
	return woken, fixed
}

// wake wakes the users that wait for a row.
func (t *users) wake(r *row) {
	for _, u := range r.waiting {
		if w := t.of[u]; w != nil && w.waits == r {
			w.waits = nil
			t.woken = append(t.woken, u)
		}
	}
	r.waiting = nil
}

// Doubt says that the switch refuses a user's rule as if it did not have the meter, or the groups, that are confirmed. It
// returns false if that is not the reason: it was said before, and nothing has come of it.
func (t *users) Doubt(u User, meter bool) (doubts bool) {
	w := t.of[u]
	if w == nil || w.doubted || !t.Numbered() {
		return false
	}
	for _, r := range w.wants {
		if doubts = doubts || r.kind == kindOf(meter); r.kind == kindOf(meter) && r.held == it && r.flight == nil {
			t.set(r, nothing)
			t.touch(r)
		}
	}
	w.doubted = doubts
	return doubts
}

// Number returns the number of an object that is confirmed.
func (t *users) Number(o object.Object) uint32 { return t.byContent[*o.Digest()].number }
