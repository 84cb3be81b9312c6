package objects

import (
	"fmt"
	"slices"
	"strings"
)

// Check verifies what must hold of a table between two calls; tests use it.
func (t *Table) Check() error {
	flights, shared := 0, 0
	wanted, kept := map[*row]int{}, map[*row]int{}
	for _, w := range t.of {
		for _, r := range w.wants {
			wanted[r]++
		}
		for _, r := range w.keeps {
			kept[r]++
		}
	}
	held := t.heldUp()
	for _, r := range t.all() {
		if r.flight != nil {
			flights++
		}
		if !r.fixed {
			shared++
		}
		if err := t.checkRow(r, wanted[r], kept[r]); err != nil {
			return fmt.Errorf("%s: %w", r.name(), err)
		}
		if err := t.checkState(r, held[r]); err != nil {
			return fmt.Errorf("%s: %w", r.name(), err)
		}
		delete(wanted, r)
		delete(kept, r)
	}
	if flights != t.flights || shared != t.shared || len(wanted)+len(kept) > 0 {
		return fmt.Errorf("%d messages in flight, counted %d; %d shared rows, counted %d; %d ended ones are used", flights,
			t.flights, shared, t.shared, len(wanted)+len(kept))
	}
	return nil
}

func (t *rows) checkRow(r *row, wanted, kept int) error {
	switch {
	case r.ended:
		return fmt.Errorf("has ended, and is found")
	case r.wanted != wanted || r.kept != kept:
		return fmt.Errorf("wanted %d times, counted %d; kept %d times, counted %d", wanted, r.wanted, kept, r.kept)
	case r.held == nothing && r.flight == nil && !r.isWanted() && r.kept == 0 && len(r.usedBy) == 0:
		return fmt.Errorf("is of no use, and is kept")
	case r.number == 0 && r.held != nothing:
		return fmt.Errorf("is held")
	case r.queued != slices.Contains(t.queue, r):
		return fmt.Errorf("queued: %t, and is not", r.queued)
	}
	return nil
}

// checkState verifies that the state that is shown is what follows for a row.
func (t *Table) checkState(r *row, held string) error {
	if !r.isWanted() && !r.mayBeHeld() {
		return nil // it is not shown
	}
	s, reason := t.state(r, "", held)
	_, due := t.due(r)
	says := s == Wanted || s == Deleting && r.flight == nil
	switch {
	case says != due && held == "", says && !due:
		return fmt.Errorf("is shown as %s (%s), and a message is due: %t", s, reason, due)
	case (reason == "") == (s == Waiting || s == Unwanted || s == Refused):
		return fmt.Errorf("is shown as %s with reason %q", s, reason)
	case r.other != "" && r.held != something:
		return fmt.Errorf("is said to be %s in other content", r.other)
	}
	return nil
}

// Waits reports whether a user waits to be woken.
func (t *users) Waits(u User) bool {
	w := t.of[u]
	return w != nil && w.waits != nil && slices.Contains(w.waits.waiting, u)
}

// Wants returns how many objects a user wants.
func (t *users) Wants(u User) int {
	if w := t.of[u]; w != nil {
		return len(w.wants)
	}
	return 0
}

// String is what is known of each object, a line each.
func (t *Table) String() string {
	var b strings.Builder
	for _, r := range t.all() {
		fmt.Fprintf(&b, "%s:", r.name())
		if r.content != nil {
			fmt.Fprintf(&b, " %s", r.content)
		}
		fmt.Fprintf(&b, " wanted by %d, kept by %d, used by %d, %s", r.wanted, r.kept, len(r.usedBy),
			[...]string{"not there", "something there", "there"}[r.held])
		for _, mark := range []struct {
			is   bool
			text string
		}{{r.fixed, "fixed"}, {r.desired, "desired"}, {r.stale, "stale"}, {r.flight != nil, "in flight"}, {r.queued, "queued"},
			{!r.retryAt.IsZero(), "waits"}, {r.refusal != nil, "refused"}, {len(r.waiting) > 0, "waited for"}} {
			if mark.is {
				b.WriteString(", " + mark.text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
