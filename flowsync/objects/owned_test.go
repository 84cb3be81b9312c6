package objects

import (
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// ownedBy names the objects with owners that the switch has.
func ownedBy(table *Table) (numbers map[object.Digest]object.Held) {
	numbers = make(map[object.Digest]object.Held)
	for _, h := range table.Owned() {
		numbers[*h.Object.Digest()] = h
	}
	return numbers
}

// TestOwnedAreFoundAgain: after a restart the objects of owners are found under their numbers, each as its owner's, in whatever
// order they are wanted; nothing is sent, and entries that name them are those that are wanted.
func TestOwnedAreFoundAgain(t *testing.T) {
	one, two, shared := meterOf(t, 7).Owned(1), meterOf(t, 7).Owned(2), meterOf(t, 7)
	first := newTable(t, 1, nil, nil)
	for user, m := range []object.Object{one, two, shared} {
		first.Want(User(user), []object.Object{m})
	}
	if len(first.Owned()) > 0 {
		t.Errorf("the switch is said to have %v", first.Owned())
	}
	sent(t, first, 0)
	if h := ownedBy(first); len(h) != 2 || h[*one.Digest()].Number != first.Number(one) ||
		h[*two.Digest()].Number != first.Number(two) {
		t.Errorf("the switch is said to have %v", h)
	}
	list := []openflow.MeterConfig{config(first.Number(one), 7), config(first.Number(two), 7), config(first.Number(shared), 7)}

	next := newTable(t, 1, nil, nil)
	next.Want(1, []object.Object{two})
	next.Want(2, []object.Object{shared})
	next.Want(3, []object.Object{one})
	next.Begin(openflow.V13)
	l := Read(1, next.Numbers(), nil, list)
	for i, m := range []*object.Meter{one, two, shared} {
		if is := l.Numbers.Meter(list[i].Meter); is == nil || *is.Digest() != *m.Digest() {
			t.Errorf("in entries number %d means %s, want %s", list[i].Meter, is, m)
		}
	}
	next.Compare(l)
	next.Features(nil, nil)
	if text := sent(t, next, 0); text != "" {
		t.Errorf("sent %s", text)
	}
	if h := ownedBy(next); len(h) != 2 || h[*two.Digest()].Number != list[1].Meter {
		t.Errorf("the switch is said to have %v", h)
	}
}

// TestProposedNumbersYield: a number that follows from a digest is not taken from what has it, nor is that changed: at the
// beginning of a session, in an audit, and where another instance was master.
func TestProposedNumbersYield(t *testing.T) {
	m := meterOf(t, 7).Owned(1)
	first := newTable(t, 1, nil, nil)
	first.Want(1, []object.Object{m})
	sent(t, first, 0)
	n := first.Number(m)
	stranger := []openflow.MeterConfig{config(n, 9)}
	moved := func(what string, table *Table) {
		t.Helper()
		text := sent(t, table, 0)
		if strings.Contains(text, "command=modify") || strings.Count(text, "command=add") != 1 || table.Number(m) == n {
			t.Errorf("%s: sent %s", what, text)
		}
	}
	for what, begin := range map[string]func(*Table){
		"restart": func(table *Table) {
			table.Begin(openflow.V13)
			table.Compare(Read(1, table.Numbers(), nil, stranger))
		},
		"another master": func(table *Table) {
			table.ForgetNumbers()
			table.Compare(Read(1, table.Numbers(), nil, stranger))
		},
		"audit": func(table *Table) { table.Audit(Read(1, table.Numbers(), nil, stranger), table.Mark(), time.Time{}) },
	} {
		table := newTable(t, 1, nil, nil)
		table.Want(1, []object.Object{m})
		begin(table)
		table.Features(nil, nil)
		moved(what, table)
	}
	late := newTable(t, 1, nil, stranger)
	late.Want(1, []object.Object{m})
	moved("what was there before", late)
	changed := newTable(t, 1, nil, nil)
	changed.Want(1, []object.Object{m})
	sent(t, changed, 0)
	changed.Audit(Read(1, changed.Numbers(), nil, stranger), changed.Mark(), time.Time{})
	if text := sent(t, changed, 0); !strings.Contains(text, "command=modify") {
		t.Errorf("what others have changed is not changed back: %q", text)
	}
}
