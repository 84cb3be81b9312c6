package flowsync

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// entryKey names an entry of one switch.
type entryKey struct {
	table    uint8
	priority uint16
	match    string // Match.Key
}

func (k entryKey) compare(l entryKey) int {
	// Later tables first: a switch that is filled from the end of its pipeline never sends a packet into a table that is
	// not there yet. Then higher priorities first.
	if k.table != l.table {
		return int(l.table) - int(k.table)
	}
	if k.priority != l.priority {
		return int(l.priority) - int(k.priority)
	}
	return bytes.Compare([]byte(k.match), []byte(l.match))
}

// Entry is a flow entry that a switch was found to hold. Foreign entries have no Instructions.
type Entry struct {
	Table        uint8
	Priority     uint16
	Cookie       uint64
	Match        openflow.Match
	Instructions []openflow.Instruction
}

func (e *Entry) key() entryKey { return entryKey{e.Table, e.Priority, e.Match.Key()} }

// String is the entry on one line.
func (e *Entry) String() string {
	return fmt.Sprintf("table=%d priority=%d cookie=0x%016x match=%s", e.Table, e.Priority, e.Cookie, e.Match.String())
}

func (e *SoftEntry) key() entryKey { return entryKey{e.Table, e.Priority, e.Match.Key()} }

// SoftEntry is a soft entry of ours from an earlier life: as much of it as it takes to remove it early.
type SoftEntry struct {
	Table    uint8
	Priority uint16
	Cookie   uint64
	Match    openflow.Match
	Ports    []uint32 // that it outputs to, reserved ones left out
	Idle     uint16   // idle time-out, in seconds
}

// Reading is what a switch answered, sorted by whose it is. The counts include what was not kept.
type Reading struct {
	Firm    []Entry
	Soft    []SoftEntry
	Foreign []Entry

	Programs Packed // firm ones that may be rules of programs; most of a large listing comes before, as Listed

	SoftCount, ForeignCount int
}

// Read sorts the entries that a switch listed, and copies what is kept of them; single says whether the switch has the single-table form of
// the plan.
func (c *Config) Read(stats []openflow.FlowStats, single bool) (r Reading) {
	for i := range stats {
		c.sort(&r, &stats[i], single)
	}
	return r
}

// sort puts an entry where it belongs, and copies what is kept of it.
func (c *Config) sort(r *Reading, s *openflow.FlowStats, single bool) {
	switch {
	case plan.Foreign(s.Cookie, c.Domain):
		r.ForeignCount++
		if len(r.Foreign) < c.ForeignMax {
			r.Foreign = append(r.Foreign, Entry{s.Table, s.Priority, s.Cookie, cloneMatch(&s.Match), nil})
		}
	case plan.Decode(s.Cookie).Kind.Soft():
		r.SoftCount++
		if len(r.Soft) < c.SoftMax {
			r.Soft = append(r.Soft, SoftEntry{s.Table, s.Priority, s.Cookie, cloneMatch(&s.Match), outPorts(s.Instructions), s.IdleTimeout})
		}
	case r.Programs.pack(s, single):
	default:
		r.Firm = append(r.Firm, Entry{s.Table, s.Priority, s.Cookie, cloneMatch(&s.Match), cloneInstructions(s.Instructions)})
	}
}

// cloneMatch copies a match out of the message that it is a view into. What counts of it are the fields.
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

// outPorts are the ports that instructions output to, in order and without the reserved ones.
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
