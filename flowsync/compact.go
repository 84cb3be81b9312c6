package flowsync

import (
	"bytes"
	"hash/maphash"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// compactTable holds the rules of rule sets at one switch: those that were ordered, and entries of
// the same kind that the switch holds. A rule is a row of 16 bytes in a slab, found by its place
// through an index of 4 bytes a slot; rare properties are in side tables.
type compactTable struct {
	rows  []compactRow
	index []uint32 // by hash of the place, open addressing: slotOf the row; 0 is free
	free  []uint32 // numbers of free rows
	count [classes]int

	queue    []uint32 // to be compared and sent, in order of change
	inflight compactBatch

	failures map[uint32]*failure // of rows that were refused or lost
	retries  []uint32            // back in the queue at failure.retryAt
	retryAt  time.Time           // the earliest of them; zero if there is none

	pruneDue      bool      // there are stale rows without flagPruning
	pruneAt       time.Time // when they may be removed, once discovery has settled
	staleOverflow int       // stale entries above staleMax, counted only
	tableFull     bool      // the alarm table-full is raised
	lostInStep    int       // rows lost in this step, for one alarm
	lostBy        Source
}

// compactRow is one rule of a rule set in its place.
type compactRow struct {
	// of the last order for the place; for an entry that was never ordered, made from the listing;
	// nil: the row is free
	set   *ruleset.Set
	hash  uint32 // of the place
	rule  uint16 // number in the set
	flags rowFlags
}

// rowFlags are what is known of a row, in four groups. A group has one of the combinations listed
// ("-" is none of its bits); groups combine freely but for two rules: flagVerified excludes
// flagInFlight, and a row without an order and without an entry exists only while it is
// queued or in flight, or during an audit.
//
//	order      - | Desired | Desired+Reported | RemovalOrdered | Pruning
//	entry      - | MayHold | MayHold+Verified; with each of them OtherOwner, WasConfirmed
//	progress   - | Queued | InFlight | InFlight+Adding
//	listing    - | Changed | Listed | Changed+Listed
//
// Their transitions (in brackets: depending on the case; Changed and Listed count until the reading
// in flight ends):
//
//	event                               sets                                 clears
//	install ordered                     Desired [OtherOwner]                 RemovalOrdered Pruning Reported [Verified]
//	removal ordered                     RemovalOrdered                       Desired Pruning Reported [Verified]
//	stale, and time to prune            Pruning                              -
//	has to be sent                      Queued                               -
//	put into a batch                    InFlight Changed [Adding]            Queued Verified
//	batch accepted by the session       [MayHold]                            -
//	batch did not fit                   Queued                               InFlight Adding
//	batch abandoned                     MayHold                              InFlight Adding Verified
//	addition confirmed                  MayHold Verified Reported WasConfirmed InFlight Adding OtherOwner
//	addition confirmed by a lying switch MayHold Verified WasConfirmed        InFlight Adding
//	addition refused                    -                                    InFlight Adding [MayHold] Verified Desired
//	                                                                            Reported WasConfirmed
//	removal confirmed: the row ends, or -                                    InFlight MayHold Verified OtherOwner
//	reading requested                   [Changed]                            Changed Listed
//	listed as the rule                  Listed MayHold Verified              OtherOwner
//	listed with other content           Listed MayHold                       Verified
//	listed, another owner's, not desired Listed MayHold [Verified]            RemovalOrdered Pruning WasConfirmed
//	                                                                            OtherOwner
//	reading ended, not listed           -                                    MayHold Verified OtherOwner
//	lost or changed by others           Changed                              Verified Reported
//	session ended                       -                                    all but Desired Reported RemovalOrdered
//	                                                                            WasConfirmed OtherOwner
type rowFlags uint16

const (
	flagDesired        rowFlags = 1 << iota // the rule is to be installed
	flagRemovalOrdered                      // the entry is to be removed, and ruleset.Removed to be reported
	flagPruning                             // the entry is stale and to be removed
	flagMayHold                             // the switch may hold an entry of ours in the place
	flagVerified                            // it does, and the entry is the rule
	flagReported                            // ruleset.Installed was reported
	flagWasConfirmed                        // the switch has held the rule: a foreign entry in the place is newer
	flagQueued                              // in the queue
	flagInFlight                            // in the batch in flight
	flagAdding                              // the batch in flight adds the rule
	flagChanged                             // a message about the place was sent or received since the reading was requested
	flagListed                              // the listing has an entry in the place
	flagOtherOwner                          // the entry that the switch may hold may be of the place's previous owner
)

// class is the count of compactTable that a row is part of.
type class uint8

const (
	classNone      class = iota // free, or kept only until the audit ends
	classInstalled              // desired and reported
	classPending                // desired and not reported
	classRemoving               // removal ordered
	classStale                  // held and not desired
	classes
)

func (f rowFlags) class() class {
	switch {
	case f&(flagDesired|flagReported) == flagDesired|flagReported:
		return classInstalled
	case f&flagDesired != 0:
		return classPending
	case f&flagRemovalOrdered != 0:
		return classRemoving
	case f&(flagMayHold|flagPruning|flagInFlight) != 0:
		return classStale
	}
	return classNone
}

// staleMax bounds the stale entries kept of a switch: when they are removed it is read again.
const staleMax = 1 << 16

// failure is what is known of a row that was refused or lost.
type failure struct {
	fails     int // consecutive refusals
	losses    int // how often the switch lost the rule since lostSince
	lostSince time.Time
	retryAt   time.Time // zero if it does not wait
}

// set changes a row's flags and updates the counts.
func (t *compactTable) set(i uint32, set, clear rowFlags) {
	r := &t.rows[i]
	was := r.flags.class()
	r.flags = r.flags&^clear | set
	if is := r.flags.class(); is != was {
		t.count[was]--
		t.count[is]++
	}
}

// seed is for the hashes of places: users choose matches and must not be able to choose their
// hashes.
var seed = maphash.MakeSeed()

// place is where a rule is on its switch: what of an entry's key varies among rules of rule sets.
type place struct {
	match    []byte // canonical, without in_port
	in       uint32
	priority uint16
}

func placeOf(set *ruleset.Set, rule uint16) place {
	leg, hop := set.At(int(rule))
	return place{leg.Match, hop.In, set.Priority}
}

func (a place) hash() uint32 {
	const golden = 0x9e3779b97f4a7c15
	h := maphash.Bytes(seed, a.match) + (uint64(a.in)<<16|uint64(a.priority))*golden
	return uint32((h ^ h>>29) * golden >> 32)
}

func (a place) equal(b place) bool {
	return a.in == b.in && a.priority == b.priority && bytes.Equal(a.match, b.match)
}

// place returns where a row is.
func (r *compactRow) place() place { return placeOf(r.set, r.rule) }

// find is the row in a place; false if there is none.
func (t *compactTable) find(a place, hash uint32) (uint32, bool) {
	mask := uint32(len(t.index) - 1)
	for at := hash; len(t.index) > 0; at++ {
		slot := t.index[at&mask]
		if slot == 0 {
			break
		}
		if slot&^rowMask != hash&^rowMask {
			continue
		}
		if i := slot&rowMask - 1; t.rows[i].hash == hash && t.rows[i].place().equal(a) {
			return i, true
		}
	}
	return 0, false
}

// A slot of the index has the number of a row + 1 in its low bits, and the upper ones of the row's
// hash above: few searches look at a row that is not the one.
const (
	rowMask = 1<<24 - 1
	rowsMax = rowMask - 2*staleMax // of rules that are ordered at one switch; entries that nobody desires come on top
)

func slotOf(i, hash uint32) uint32 { return hash&^rowMask | (i + 1) }

// add makes a row in a place that has none.
func (t *compactTable) add(of *ruleset.Set, rule uint16, hash uint32) uint32 {
	used := len(t.rows) - len(t.free)
	if 4*(used+1) > 3*len(t.index) {
		t.grow()
	}
	row := compactRow{set: of, rule: rule, hash: hash}
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
func (t *compactTable) enter(i uint32) {
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
func (t *compactTable) grow() {
	t.index = make([]uint32, max(firstIndex, 2*len(t.index)))
	for i := range t.rows {
		if t.rows[i].set != nil {
			t.enter(uint32(i))
		}
	}
}

// drop forgets a row. It must be neither queued nor in flight.
func (t *compactTable) drop(i uint32) {
	mask := uint32(len(t.index) - 1)
	at := t.rows[i].hash & mask
	for t.index[at]&rowMask != i+1 {
		at = (at + 1) & mask
	}
	t.count[t.rows[i].flags.class()]--
	t.rows[i] = compactRow{}
	t.free = append(t.free, i)
	delete(t.failures, i)
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
func (t *compactTable) rowCount() int {
	if t == nil {
		return 0
	}
	return len(t.rows) - len(t.free)
}

// sameRule reports whether two rules in one place have one owner and do the same.
func sameRule(set *ruleset.Set, rule uint16, otherSet *ruleset.Set, other uint16) bool {
	if set == otherSet && rule == other {
		return true
	}
	if set.Kind != otherSet.Kind || set.Number != otherSet.Number {
		return false
	}
	_, a := set.At(int(rule))
	_, b := otherSet.At(int(other))
	return a == b || a.Equal(b)
}

// key returns the place as a key of other entries.
func (a place) key(table uint8) entryKey {
	return entryKey{table, a.priority, string(ruleset.AppendMatch(make([]byte, 0, 64), a.in, a.match))}
}

// placeIn returns the place that an entry's key names; false if no rule of a rule set can be there.
func (sw *switchState) placeIn(key entryKey) (place, bool) {
	if sw.ourKey(key).table != plan.ForwardingTable(sw.singleTable) {
		return place{}, false
	}
	in, match, ok := ruleset.CutInPort([]byte(key.match))
	return place{match, in, key.priority}, ok
}

// dpidOf returns the switch of an order.
func dpidOf(o *ruleset.Order) netview.DPID {
	_, hop := o.Rules.At(int(o.Rule))
	return hop.DPID
}

// converged reports whether nothing is queued, pending or being removed.
func (t *compactTable) converged() bool {
	return t == nil || len(t.queue) == 0 && t.count[classPending] == 0 && t.count[classRemoving] == 0
}
