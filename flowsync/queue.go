package flowsync

import (
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// ownerClass is whose rows wait in one line: those of a kind of owner and, of applications and tenants, of one of them.
type ownerClass uint32

// viewClass is the class of all that the view desires, which is sent in the order in which it is desired.
const viewClass ownerClass = 0xffff << 16

func classOf(set *ruleset.Set) ownerClass {
	if set.Policy == ruleset.Desired {
		return viewClass
	}
	c := ownerClass(set.Kind) << 16
	switch set.Kind {
	case plan.KindTenant:
		tenant, _ := plan.TenantRow(set.Number)
		c |= ownerClass(tenant)
	case plan.KindApp:
		app, _ := plan.AppRule(set.Number)
		c |= ownerClass(app)
	}
	return c
}

// rowQueue has the rows of a switch that wait to be sent, in a line for each class of owner. A line is first in, first
// out; deficit round robin takes from the lines, quantum rows of each in its turn. A line that begins has its
// first turn before those that had one, so that few rows do not wait for many. What a row costs does not depend on how
// many wait, nor on how many lines there are. A class without rows is forgotten when it would have its turn.
type rowQueue struct {
	lines  map[ownerClass]*rowLine // all in fresh and turned
	last   *rowLine                // of the last push, to which the next probably belongs; nil: none
	fresh  turns                   // lines that have not had a whole turn
	turned turns
	count  int
	spare  *rowLine // a line that ended, to be used again; nil: none
}

// quantum is how many rows of one class go before those of another: more than most owners change at a switch at once.
const quantum = 32

// rowLine is the rows of one class, in order of change.
type rowLine struct {
	class  ownerClass
	credit int // how many rows may go in this turn
	head   int // rows before it have gone
	rows   []uint32
	next   *rowLine
}

// turns are lines in order of their turns.
type turns struct{ first, last *rowLine }

func (t *turns) add(l *rowLine) {
	if l.next = nil; t.first == nil {
		t.first = l
	} else {
		t.last.next = l
	}
	t.last = l
}

func (t *turns) take() *rowLine {
	l := t.first
	if t.first = l.next; t.first == nil {
		t.last = nil
	}
	return l
}

// push adds a row behind those of its class.
func (q *rowQueue) push(row uint32, c ownerClass) {
	l := q.line(c)
	if len(l.rows) == cap(l.rows) && 2*l.head >= len(l.rows) {
		l.rows, l.head = l.rows[:copy(l.rows, l.rows[l.head:])], 0
	}
	l.rows = append(l.rows, row)
	q.count++
}

// unshift puts a row back before those of its class.
func (q *rowQueue) unshift(row uint32, c ownerClass) {
	l := q.line(c)
	if l.head == 0 { // room for as many as there are, so that this is seldom
		n := max(len(l.rows), quantum)
		rows := make([]uint32, n+len(l.rows), 2*n+len(l.rows))
		copy(rows[n:], l.rows)
		l.rows, l.head = rows, n
	}
	l.head--
	l.rows[l.head] = row
	q.count++
}

// line returns the line of a class, begun if there was none.
func (q *rowQueue) line(c ownerClass) *rowLine {
	if q.last != nil && q.last.class == c {
		return q.last
	}
	l := q.lines[c]
	if l == nil {
		if l = q.spare; l == nil {
			l = &rowLine{}
		}
		q.spare = nil
		l.class, l.credit = c, quantum
		if q.lines == nil {
			q.lines = make(map[ownerClass]*rowLine)
		}
		q.lines[c] = l
		q.fresh.add(l)
	}
	q.last = l
	return l
}

// pop takes the next row; false if none waits.
func (q *rowQueue) pop() (row uint32, ok bool) {
	for q.count > 0 {
		from := &q.fresh
		if from.first == nil {
			from = &q.turned
		}
		l := from.first
		switch {
		case l.head == len(l.rows) && from == &q.turned:
			q.end(from.take())
		case l.head == len(l.rows) || l.credit == 0: // also of an empty one: it is not to begin again before others have a turn
			l.credit = quantum
			q.turned.add(from.take())
		default:
			row = l.rows[l.head]
			l.head++
			l.credit--
			if q.count--; q.count == 0 {
				q.clear()
			}
			return row, true
		}
	}
	return 0, false
}

// clear takes all rows.
func (q *rowQueue) clear() {
	for q.fresh.first != nil {
		q.end(q.fresh.take())
	}
	for q.turned.first != nil {
		q.end(q.turned.take())
	}
	q.count = 0
}

// spareRows is for how many rows the memory of a line that ended is kept.
const spareRows = 1024

// end forgets a line that is in no turns.
func (q *rowQueue) end(l *rowLine) {
	delete(q.lines, l.class)
	if q.last == l {
		q.last = nil
	}
	if cap(l.rows) <= spareRows {
		*l = rowLine{rows: l.rows[:0]}
		q.spare = l
	}
}

// waiting returns the rows, line by line.
func (q *rowQueue) waiting() (rows []uint32) {
	for _, t := range []turns{q.fresh, q.turned} {
		for l := t.first; l != nil; l = l.next {
			rows = append(rows, l.rows[l.head:]...)
		}
	}
	return rows
}
