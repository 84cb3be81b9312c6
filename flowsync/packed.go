package flowsync

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
)

// Packed is a list of firm entries of ours in one allocation, with the fields that comparing them
// takes: a switch may hold a hundred thousand.
type Packed struct {
	bytes []byte
	Count int
}

// A packed entry is: cookie 8 bytes, in_port 4 (ruleset.AnyPort: none), priority 2, table 1, length of the match
// without in_port 2, length of the behaviour's key 2, then that match and that key. One with time-outs has
// packedMortal in the length of the match, and at the end both, idle first, and its age in milliseconds.
const (
	packedHeader = 19
	packedMortal = 1 << 15
	packedTimes  = 2 + 2 + 4 // bytes of time-outs and age
	packedKey    = 10        // bytes of the key of most entries, which output to one port
)

// packedEntry is one entry of a Packed; it points into it.
type packedEntry struct {
	cookie uint64
	place  place
	do     []byte // the key of its behaviour (ruleset.AppendKeyOf)
	times  []byte // time-outs and age; empty: it has no time-out
}

// pack adds an entry; false if it is too long to be one. numbers is what numbers of groups and meters mean.
func (p *Packed) pack(s *openflow.FlowStats, numbers *object.Numbers) bool {
	start := len(p.bytes)
	b := slices.Grow(p.bytes, packedHeader+len(s.Match.OXM)+packedKey)[:start+packedHeader]
	b = s.Match.AppendCanonical(b)
	in, match := ruleset.CutInPort(b[start+packedHeader:])
	h := b[start:]
	binary.BigEndian.PutUint64(h, s.Cookie)
	binary.BigEndian.PutUint32(h[8:], in)
	binary.BigEndian.PutUint16(h[12:], s.Priority)
	h[14] = s.Table
	n := copy(h[packedHeader:], match)
	end := start + packedHeader + n
	b = ruleset.AppendKeyOf(b[:end], s.Instructions, numbers)
	if n >= packedMortal || len(b)-end > 1<<16-1 {
		return false
	}
	binary.BigEndian.PutUint16(b[start+15:], uint16(n))
	binary.BigEndian.PutUint16(b[start+17:], uint16(len(b)-end))
	if s.IdleTimeout|s.HardTimeout != 0 {
		b[start+15] |= packedMortal >> 8
		age := min(uint64(s.DurationSec)*1000+uint64(s.DurationNsec)/1e6, 1<<32-1)
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, s.IdleTimeout), s.HardTimeout)
		b = binary.BigEndian.AppendUint32(b, uint32(age))
	}
	p.bytes = b
	p.Count++
	return true
}

// nextPacked splits the first entry off b.
func nextPacked(b []byte) (e packedEntry, rest []byte) {
	e.cookie = binary.BigEndian.Uint64(b)
	e.place.in, e.place.priority, e.place.table = binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint16(b[12:]), b[14]
	match, do := int(binary.BigEndian.Uint16(b[15:])), int(binary.BigEndian.Uint16(b[17:]))
	mortal := match&packedMortal != 0
	match &^= packedMortal
	b = b[packedHeader:]
	e.place.match, b = b[:match:match], b[match:]
	e.do, b = b[:do:do], b[do:]
	if mortal {
		e.times, b = b[:packedTimes:packedTimes], b[packedTimes:]
	}
	return e, b
}

// idle and hard return the time-outs in seconds, 0 for none.
func (e *packedEntry) idle() uint16 {
	if len(e.times) == 0 {
		return 0
	}
	return binary.BigEndian.Uint16(e.times)
}

func (e *packedEntry) hard() uint16 {
	if len(e.times) == 0 {
		return 0
	}
	return binary.BigEndian.Uint16(e.times[2:])
}

// age returns how long the switch has had an entry that has a time-out.
func (e *packedEntry) age() time.Duration {
	return time.Duration(binary.BigEndian.Uint32(e.times[4:])) * time.Millisecond
}

// matches reports whether the entry is the rule of a set.
func (e *packedEntry) matches(set *ruleset.Set, rule uint16) bool {
	_, hop := set.At(int(rule))
	return e.writtenFor(set) && string(e.do) == hop.Do.Key()
}

// writtenFor reports whether the entry belongs to the set's owner and, if that counts, is of this path version.
func (e *packedEntry) writtenFor(set *ruleset.Set) bool {
	c := plan.Decode(e.cookie)
	return c.Kind == set.Kind && c.Owner == set.Number && (c.Version == set.Version || !isExact(set))
}

// ownedBy reports whether the entry belongs to the set's owner.
func (e *packedEntry) ownedBy(set *ruleset.Set) bool {
	c := plan.Decode(e.cookie)
	return c.Kind == set.Kind && c.Owner == set.Number
}

// toSet returns a rule set with the entry as rule 0, in memory of its own; of has the objects that it names by content.
func (e *packedEntry) toSet(dpid netview.DPID, of *objects.Table) *ruleset.Set {
	c := plan.Decode(e.cookie)
	hop := &ruleset.Hop{DPID: dpid, In: e.place.in, Do: ruleset.OfKey(e.place.in, string(e.do), of.Content)}
	return &ruleset.Set{
		Kind: c.Kind, Number: c.Owner, Version: c.Version, Policy: ruleset.Found,
		Table: e.place.table, Priority: e.place.priority, Idle: e.idle(), Hard: e.hard(),
		Legs: []ruleset.Leg{{Match: append([]byte(nil), e.place.match...), Route: &ruleset.Route{Hops: []*ruleset.Hop{hop}}}},
	}
}

// foundSize returns about how many bytes such a set takes, with its row.
func foundSize(set *ruleset.Set) int {
	leg, hop := set.At(0)
	return sizeOf(len(leg.Match), hop.Do.Instructions())
}

// packEntry converts an entry to packed form, in keep's memory; false if it is too long to be one.
func packEntry(e *Entry, numbers *object.Numbers, keep *Packed) (packedEntry, bool) {
	*keep = Packed{bytes: keep.bytes[:0]}
	s := openflow.FlowStats{Table: e.Table, Priority: e.Priority, Cookie: e.Cookie, Match: e.Match, Instructions: e.Instructions,
		IdleTimeout: e.Idle, HardTimeout: e.Hard}
	if !keep.pack(&s, numbers) {
		return packedEntry{}, false
	}
	packed, _ := nextPacked(keep.bytes)
	return packed, true
}
