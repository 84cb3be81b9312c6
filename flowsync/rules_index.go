package flowsync

import (
	"bytes"

	"github.com/weirnet/weir/ruleset"
)

// ruleRows are the rows: each of 16 bytes in a slab, found by its place through an index of 4 bytes a slot. They
// are counted by class.
type ruleRows struct {
	of    *session
	rows  []ruleRow
	index []uint32 // by hash of the place, open addressing: slotOf the row; 0 is free
	free  []uint32 // numbers of free rows
	count [classes]int
}

// ruleRow is what is wanted and held in one place.
type ruleRow struct {
	set   *ruleset.Set // of the last order for the place, or made of the entry that was found there; nil: the row is free
	hash  uint32       // of the place
	rule  uint16       // number in the set
	state ruleState
}

// apply has an event happen to a row, and keeps the counts.
func (t *ruleRows) apply(i uint32, e event) {
	r := &t.rows[i]
	was := r.state.class()
	r.state = r.state.after(e)
	if is := r.state.class(); is != was {
		t.count[was]--
		t.count[is]++
	}
}

// place is where a rule is on its switch.
type place struct {
	match    []byte // canonical, without in_port
	in       uint32 // ruleset.AnyPort: any
	priority uint16
	table    uint8 // as the switch numbers it
}

// placeOf returns where a rule is on its switch; single: that has one table.
func placeOf(set *ruleset.Set, rule uint16, single bool) place {
	p := set.Place(int(rule))
	return place{p.Match, p.In, p.Priority, p.TableIn(single)}
}

// hash leaves the table out: rows stay when a switch comes back with another form.
func (a place) hash() uint32 { return uint32(ruleset.HashPlace(a.in, a.priority, a.match) >> 32) }

// equal reports whether a switch holds one entry for both.
func (a place) equal(b place) bool {
	return a.in == b.in && a.priority == b.priority && a.table == b.table && bytes.Equal(a.match, b.match)
}

// place returns where a row is.
func (t *ruleRows) place(i uint32) place {
	return placeOf(t.rows[i].set, t.rows[i].rule, t.of.singleTable)
}

// find is the row in a place; false if there is none.
func (t *ruleRows) find(a place, hash uint32) (uint32, bool) {
	mask := uint32(len(t.index) - 1)
	for at := hash; len(t.index) > 0; at++ {
		slot := t.index[at&mask]
		if slot == 0 {
			break
		}
		if slot&^rowMask != hash&^rowMask {
			continue
		}
		if i := slot&rowMask - 1; t.rows[i].hash == hash && t.place(i).equal(a) {
			return i, true
		}
	}
	return 0, false
}

// slot returns the first slot of the index at which find looks.
func (t *ruleRows) slot(hash uint32) uint32 {
	if len(t.index) == 0 {
		return 0
	}
	return t.index[hash&uint32(len(t.index)-1)]
}

// touch reads of the row that find will probably return, if that is the one in a slot.
func (t *ruleRows) touch(slot, hash uint32) uint32 {
	if slot == 0 || slot&^rowMask != hash&^rowMask {
		return 0
	}
	return t.rows[slot&rowMask-1].hash
}

// A slot of the index has the number of a row + 1 in its low bits, and the upper ones of the row's
// hash above: few searches look at a row that is not the one.
const (
	rowMask = 1<<24 - 1
	rowsMax = rowMask - 2*staleMax // of rules that are ordered at one switch; what is found there and the view's come on top
)

func slotOf(i, hash uint32) uint32 { return hash&^rowMask | (i + 1) }

// add makes a row in a place that has none.
func (t *ruleRows) add(of *ruleset.Set, rule uint16, hash uint32) uint32 {
	used := len(t.rows) - len(t.free)
	if 4*(used+1) > 3*len(t.index) {
		t.grow()
	}
	row := ruleRow{set: of, rule: rule, hash: hash}
	var i uint32
	if last := len(t.free) - 1; last >= 0 {
		i = t.free[last]
		t.free = t.free[:last]
		t.rows[i] = row
	} else {
		i = uint32(len(t.rows))
		t.rows = append(t.rows, row)
	}
	t.count[classNone]++
	t.enter(i)
	return i
}

// enter puts a row into the index.
func (t *ruleRows) enter(i uint32) {
	mask := uint32(len(t.index) - 1)
	at := t.rows[i].hash & mask
	for t.index[at] != 0 {
		at = (at + 1) & mask
	}
	t.index[at] = slotOf(i, t.rows[i].hash)
}

// firstIndex is the size of the first index; sizes are powers of two.
const firstIndex = 16

// grow doubles the index.
func (t *ruleRows) grow() {
	t.index = make([]uint32, max(firstIndex, 2*len(t.index)))
	for i := range t.rows {
		if t.rows[i].set != nil {
			t.enter(uint32(i))
		}
	}
}

// drop frees a row.
func (t *ruleRows) drop(i uint32) {
	mask := uint32(len(t.index) - 1)
	at := t.rows[i].hash & mask
	for t.index[at]&rowMask != i+1 {
		at = (at + 1) & mask
	}
	t.count[t.rows[i].state.class()]--
	t.rows[i] = ruleRow{}
	t.free = append(t.free, i)
	t.index[at] = 0
	for next := (at + 1) & mask; t.index[next] != 0; next = (next + 1) & mask {
		home := t.rows[t.index[next]&rowMask-1].hash & mask
		if (next-home)&mask >= (next-at)&mask { // it was pushed aside over the slot that is free now
			t.index[at], t.index[next] = t.index[next], 0
			at = next
		}
	}
}

// rowCount returns the number of rows.
func (t *ruleRows) rowCount() int { return len(t.rows) - len(t.free) }

// key returns the place as a key of other entries.
func (a place) key() entryKey {
	return entryKey{a.table, a.priority, string(ruleset.AppendMatch(make([]byte, 0, 64), a.in, a.match))}
}

// placeIn returns the place that an entry's key names.
func placeIn(key entryKey) place {
	in, match := ruleset.CutInPort([]byte(key.match))
	return place{match, in, key.priority, key.table}
}

// rowAt returns the row in the place that a key names; false if there is none.
func (t *ruleRows) rowAt(key entryKey) (uint32, bool) {
	a := placeIn(key)
	return t.find(a, a.hash())
}

// hasRow reports whether a place has a row.
func (t *ruleRows) hasRow(key entryKey) bool {
	_, ok := t.rowAt(key)
	return ok
}
