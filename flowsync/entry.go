package flowsync

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset/object"
)

// entryKey identifies an entry of one switch.
type entryKey struct {
	table    uint8
	priority uint16
	match    string // Match.Key
}

func (k entryKey) compare(l entryKey) int {
	// Later tables first: a switch that is filled from the end of its pipeline never sends a packet
	// into a table that is not there yet. Then higher priorities first.
	if by := cmp.Or(cmp.Compare(l.table, k.table), cmp.Compare(l.priority, k.priority)); by != 0 {
		return by
	}
	return strings.Compare(k.match, l.match)
}

// Entry is a flow entry that a switch holds. Foreign entries have no Instructions.
type Entry struct {
	Table        uint8
	Priority     uint16
	Cookie       uint64
	Match        openflow.Match
	Instructions []openflow.Instruction

	Idle, Hard uint16 // time-outs, in seconds; 0: none
}

// hash is the same for equal keys in this process.
func (k entryKey) hash() uint64 { return maphash.Comparable(placeSeed, k) }

var placeSeed = maphash.MakeSeed()

func (e *Entry) key() entryKey { return entryKey{e.Table, e.Priority, e.Match.Key()} }

// String returns the entry on one line.
func (e *Entry) String() string {
	return fmt.Sprintf("table=%d priority=%d cookie=0x%016x match=%s", e.Table, e.Priority, e.Cookie, e.Match.String())
}

func (e *SoftEntry) key() entryKey { return entryKey{e.Table, e.Priority, e.Match.Key()} }

// SoftEntry is a soft entry of ours from an earlier run, with the fields that its early removal
// takes.
type SoftEntry struct {
	Table    uint8
	Priority uint16
	Cookie   uint64
	Match    openflow.Match
	Ports    []uint32 // outputs, without reserved ports
	Idle     uint16   // idle timeout, in seconds
}

// Reading is a switch's listing, split by owner. The counts include entries that were not kept.
type Reading struct {
	Soft    []SoftEntry
	Foreign []Entry

	Ours Packed // firm ones of ours; most of a large listing comes before, as ListedPart

	SoftCount, ForeignCount int

	foreignPlaces []uint64 // entryKey.hash of foreign entries above Config.ForeignMax

	numbers    *object.Numbers // what numbers of groups and meters mean
	bytes      int             // of Soft and Foreign, about
	bytesMax   int             // 0: no limit
	incomplete bool            // some of Soft or Foreign were dropped
}

// classify adds a copy of an entry to the list that it belongs to.
func (c *Config) classify(r *Reading, s *openflow.FlowStats) {
	switch {
	case plan.Foreign(s.Cookie, c.Domain):
		r.ForeignCount++
		if len(r.Foreign) < c.ForeignMax && r.reserve(entrySize(&s.Match, nil)) {
			r.Foreign = append(r.Foreign,
				Entry{Table: s.Table, Priority: s.Priority, Cookie: s.Cookie, Match: cloneMatch(&s.Match)})
		} else if r.reserve(placeBytes) {
			r.foreignPlaces = append(r.foreignPlaces, entryKey{s.Table, s.Priority, s.Match.Key()}.hash())
		}
	case plan.Decode(s.Cookie).Kind.Soft():
		r.SoftCount++
		if len(r.Soft) < c.SoftMax && r.reserve(entrySize(&s.Match, nil)) {
			r.Soft = append(r.Soft,
				SoftEntry{s.Table, s.Priority, s.Cookie, cloneMatch(&s.Match), outPorts(s.Instructions), s.IdleTimeout})
		}
	default:
		r.Ours.pack(s, r.numbers)
	}
}

// cloneMatch copies the fields of a match out of the message that it points into.
func cloneMatch(m *openflow.Match) openflow.Match { return openflow.Match{OXM: bytes.Clone(m.OXM)} }

func cloneInstructions(in []openflow.Instruction) []openflow.Instruction {
	out := slices.Clone(in)
	for i := range out {
		out[i].Data = bytes.Clone(out[i].Data)
		out[i].Actions = slices.Clone(out[i].Actions)
		for j := range out[i].Actions {
			out[i].Actions[j].Data = bytes.Clone(out[i].Actions[j].Data)
		}
	}
	return out
}

// outPorts returns the ports that instructions output to, in order, without reserved ones.
func outPorts(instructions []openflow.Instruction) []uint32 {
	var ports []uint32
	for i := range instructions {
		for _, a := range instructions[i].Actions {
			out := a.Type == openflow.ActionOutput || a.Type == openflow.ActionEnqueue
			if out && a.Port < openflow.PortMax && !slices.Contains(ports, a.Port) {
				ports = append(ports, a.Port)
			}
		}
	}
	return ports
}
