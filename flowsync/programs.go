package flowsync

import (
	"bytes"
	"hash/maphash"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// programs are the rules of programs at one switch: what is ordered there, and what the switch holds of the owners of programs. A rule
// is a row of 16 bytes in a slab, found by its place through an index of 4 bytes a slot; what is rare stands in side tables.
type programs struct {
	rows  []programRow
	index []uint32 // by hash of the place, open addressing: slotOf the row; 0 is free
	free  []uint32 // numbers of rows that are free
	count [classes]int

	queue   []uint32 // to be looked at, in the order in which they changed
	flights programFlight

	troubles map[uint32]*trouble // of rows that failed or were lost
	retries  []uint32            // to be looked at again at trouble.retryAt
	retryAt  time.Time           // the earliest of them; zero if there is none

	unpruned bool      // there are entries that nobody wants, and that are not on their way out
	pruneAt  time.Time // when they may go, once discovery has settled
	unkept   int       // of them: above staleMax
	full     bool      // the switch's table is full
	lost     int       // rows lost in this step
	lostBy   Source
}

// programRow is one rule of a program in its place.
type programRow struct {
	program *program.Program // of the last order for the place; of an entry that nobody ordered, made of the listing; nil: free
	hash    uint32           // of the place
	rule    uint16           // of the program
	flags   rowFlags
}

// rowFlags say what is known of a program's rule.
type rowFlags uint16

const (
	rowWanted  rowFlags = 1 << iota // the program's rule is wanted in the place
	rowRemoval                      // a removal was ordered, and is to be told of
	rowGoing                        // nobody wants the entry, and it is to go
	rowHeld                         // the switch may hold an entry of ours in the place
	rowSure                         // and it is known to be the program's rule
	rowTold                         // Installed was told
	rowOurs                         // the switch was known to hold the rule: whatever stands in its place now came later
	rowWaits                        // in the queue
	rowFlies                        // in the batch under way
	rowAdds                         // which adds its rule
	rowMoved                        // something was sent or told of the place since the reading under way began
	rowSeen                         // the listing had an entry in the place
	rowAlien                        // what the switch may hold is perhaps another owner's, in whose place the program came
)

// class says which of the counts of programs a row is in.
type class uint8

const (
	classNone      class = iota // free, or kept only until the reading under way ends
	classInstalled              // wanted and told so
	classPending                // wanted
	classRemoving               // on its way out by an order
	classStale                  // an entry that nobody wants
	classes
)

func (f rowFlags) class() class {
	switch {
	case f&(rowWanted|rowTold) == rowWanted|rowTold:
		return classInstalled
	case f&rowWanted != 0:
		return classPending
	case f&rowRemoval != 0:
		return classRemoving
	case f&(rowHeld|rowGoing|rowFlies) != 0:
		return classStale
	}
	return classNone
}

// staleMax is how many entries that nobody ordered are kept of a switch: when those are removed it is read again.
const staleMax = 1 << 16

// trouble is what is known of a row that failed or was lost.
type trouble struct {
	fails     int // in a row
	losses    int // how often the switch lost the rule since
	lostSince time.Time
	retryAt   time.Time // zero if it does not wait
}

// set changes a row's flags and keeps the counts.
func (p *programs) set(i uint32, set, clear rowFlags) {
	r := &p.rows[i]
	was := r.flags.class()
	r.flags = r.flags&^clear | set
	if is := r.flags.class(); is != was {
		p.count[was]--
		p.count[is]++
	}
}

// seed is of the hashes of places: who names matches cannot choose their hashes.
var seed = maphash.MakeSeed()

// place is where a rule stands at its switch.
type place struct {
	match    []byte // canonical, without in_port
	in       uint32
	priority uint16
}

func placeOf(p *program.Program, rule uint16) place {
	leg, hop := p.At(int(rule))
	return place{leg.Match, hop.In, p.Priority}
}

func (a place) hash() uint32 {
	const golden = 0x9e3779b97f4a7c15
	h := maphash.Bytes(seed, a.match) + (uint64(a.in)<<16|uint64(a.priority))*golden
	return uint32((h ^ h>>29) * golden >> 32)
}

func (a place) is(b place) bool {
	return a.in == b.in && a.priority == b.priority && bytes.Equal(a.match, b.match)
}

// place is where a row stands.
func (r *programRow) place() place { return placeOf(r.program, r.rule) }

// find is the row in a place; false if there is none.
func (p *programs) find(a place, hash uint32) (uint32, bool) {
	mask := uint32(len(p.index) - 1)
	for at := hash; len(p.index) > 0; at++ {
		slot := p.index[at&mask]
		if slot == 0 {
			break
		}
		if slot&^rowMask != hash&^rowMask {
			continue
		}
		if i := slot&rowMask - 1; p.rows[i].hash == hash && p.rows[i].place().is(a) {
			return i, true
		}
	}
	return 0, false
}

// A slot of the index has the number of a row + 1 in its low bits, and the upper ones of the row's hash above: few searches look at
// a row that is not the one.
const (
	rowMask = 1<<24 - 1
	rowsMax = rowMask - 2*staleMax // of rules that are ordered at one switch; entries that nobody wants come on top
)

func slotOf(i, hash uint32) uint32 { return hash&^rowMask | (i + 1) }

// add makes a row in a place that has none.
func (p *programs) add(of *program.Program, rule uint16, hash uint32) uint32 {
	used := len(p.rows) - len(p.free)
	if 4*(used+1) > 3*len(p.index) {
		p.grow()
	}
	row := programRow{program: of, rule: rule, hash: hash}
	var i uint32
	if last := len(p.free) - 1; last >= 0 {
		i = p.free[last]
		p.free = p.free[:last]
		p.rows[i] = row
	} else {
		i = uint32(len(p.rows))
		p.rows = append(p.rows, row)
	}
	p.count[classNone]++
	p.enter(i)
	return i
}

// enter puts a row into the index.
func (p *programs) enter(i uint32) {
	mask := uint32(len(p.index) - 1)
	at := p.rows[i].hash & mask
	for p.index[at] != 0 {
		at = (at + 1) & mask
	}
	p.index[at] = slotOf(i, p.rows[i].hash)
}

// firstIndex is the size of the first index; sizes are powers of two.
const firstIndex = 16

// grow doubles the index.
func (p *programs) grow() {
	p.index = make([]uint32, max(firstIndex, 2*len(p.index)))
	for i := range p.rows {
		if p.rows[i].program != nil {
			p.enter(uint32(i))
		}
	}
}

// drop forgets a row. It must neither wait nor fly.
func (p *programs) drop(i uint32) {
	mask := uint32(len(p.index) - 1)
	at := p.rows[i].hash & mask
	for p.index[at]&rowMask != i+1 {
		at = (at + 1) & mask
	}
	p.count[p.rows[i].flags.class()]--
	p.rows[i] = programRow{}
	p.free = append(p.free, i)
	delete(p.troubles, i)
	p.index[at] = 0
	for next := (at + 1) & mask; p.index[next] != 0; next = (next + 1) & mask {
		home := p.rows[p.index[next]&rowMask-1].hash & mask
		if (next-home)&mask >= (next-at)&mask { // it was pushed aside over the slot that is free now
			p.index[at], p.index[next] = p.index[next], 0
			at = next
		}
	}
}

// used is how many rows there are.
func (p *programs) used() int {
	if p == nil {
		return 0
	}
	return len(p.rows) - len(p.free)
}

// same says whether two rules in one place have one owner and do the same.
func same(p *program.Program, rule uint16, q *program.Program, other uint16) bool {
	if p == q && rule == other {
		return true
	}
	if p.Kind != q.Kind || p.Number != q.Number {
		return false
	}
	_, a := p.At(int(rule))
	_, b := q.At(int(other))
	return a == b || a.Equal(b)
}

// key is the place as rows of other kinds have it.
func (a place) key(table uint8) entryKey {
	b := make([]byte, 0, inPortLen+len(a.match))
	b = append(b, inPort[:]...)
	b = append(b, uint8(a.in>>24), uint8(a.in>>16), uint8(a.in>>8), uint8(a.in))
	return entryKey{table, a.priority, string(append(b, a.match...))}
}

// placeIn is the place that an entry's key names; false if no rule of a program can stand there.
func (l *ledger) placeIn(key entryKey) (place, bool) {
	if l.place(key).table != program.Table(l.single) {
		return place{}, false
	}
	in, match, ok := cutInPort([]byte(key.match))
	return place{match, in, key.priority}, ok
}

// inPort is the head of the OXM TLV of in_port: class OFPXMC_OPENFLOW_BASIC, field 0, no mask, 4 bytes. In a canonical match it is first.
var inPort = [4]byte{0x80, 0, 0, 4}

const inPortLen = 8

// cutInPort takes in_port off a canonical match.
func cutInPort(oxm []byte) (in uint32, match []byte, ok bool) {
	if len(oxm) < inPortLen || !bytes.Equal(oxm[:4], inPort[:]) {
		return 0, nil, false
	}
	return uint32(oxm[4])<<24 | uint32(oxm[5])<<16 | uint32(oxm[6])<<8 | uint32(oxm[7]), oxm[inPortLen:], true
}

// dpidOf is the switch of an order.
func dpidOf(o *Order) netview.DPID {
	_, hop := o.Program.At(int(o.Rule))
	return hop.DPID
}

// settled says whether nothing is left to do.
func (p *programs) settled() bool {
	return p == nil || len(p.queue) == 0 && p.count[classPending] == 0 && p.count[classRemoving] == 0
}
