package flowsync

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// Packed is a list of entries of rule sets in one allocation, with the fields that comparing them
// takes: a switch may hold a hundred thousand.
type Packed struct {
	bytes []byte
	Count int
}

// A packed entry is: cookie 8 bytes, in_port 4, priority 2, length of the match without in_port 2,
// number of outputs 2 or notOutputs, then that match, then 4 bytes for each output.
const (
	packedHeader = 18
	notOutputs   = 1<<16 - 1 // the entry does something other than output to ports
)

// packedEntry is one entry of a Packed; it points into it.
type packedEntry struct {
	cookie     uint64
	place      place
	notOutputs bool
	outputs    []byte // 4 bytes each
}

// pack adds an entry if it can be a rule of a rule set: by its kind, its table, and its in_port.
func (p *Packed) pack(s *openflow.FlowStats, single bool) bool {
	if plan.Decode(s.Cookie).Kind != plan.KindIntent || !single && s.Table != plan.ForwardingTable(false) {
		return false
	}
	start := len(p.bytes)
	b := append(p.bytes, make([]byte, packedHeader)...)
	b = s.Match.AppendCanonical(b)
	in, match, ok := ruleset.CutInPort(b[start+packedHeader:])
	if !ok || len(match) > 1<<16-1 {
		return false
	}
	h := b[start:]
	binary.BigEndian.PutUint64(h, s.Cookie)
	binary.BigEndian.PutUint32(h[8:], in)
	binary.BigEndian.PutUint16(h[12:], s.Priority)
	binary.BigEndian.PutUint16(h[14:], uint16(len(match)))
	n := copy(h[packedHeader:], match)
	b = b[:start+packedHeader+n]
	b, outputs := appendOutputs(b, in, s.Instructions)
	binary.BigEndian.PutUint16(b[start+16:], uint16(outputs))
	p.bytes = b
	p.Count++
	return true
}

// appendOutputs appends the ports that instructions output to, in order, and returns how many, or
// notOutputs if they do anything else. OFPP_IN_PORT becomes the number of in; that number itself is
// no valid output.
func appendOutputs(b []byte, in uint32, instructions []openflow.Instruction) ([]byte, int) {
	start, n := len(b), 0
	for i := range instructions {
		do := &instructions[i]
		if empty(do) {
			continue
		}
		if do.Type != openflow.InstructionApplyActions || n > 0 {
			return b[:start], notOutputs
		}
		for j := range do.Actions {
			a := &do.Actions[j]
			if a.Type != openflow.ActionOutput || a.Port == openflow.PortController || a.Port == in || n == notOutputs-1 {
				return b[:start], notOutputs
			}
			port := a.Port
			if port == openflow.PortInPort {
				port = in
			}
			b = binary.BigEndian.AppendUint32(b, port)
			n++
		}
	}
	return b, n
}

// nextPacked splits the first entry off b.
func nextPacked(b []byte) (e packedEntry, rest []byte) {
	e.cookie = binary.BigEndian.Uint64(b)
	e.place.in, e.place.priority = binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint16(b[12:])
	match, outputs := int(binary.BigEndian.Uint16(b[14:])), int(binary.BigEndian.Uint16(b[16:]))
	b = b[packedHeader:]
	e.place.match, b = b[:match:match], b[match:]
	if e.notOutputs = outputs == notOutputs; e.notOutputs {
		return e, b
	}
	e.outputs = b[:4*outputs]
	return e, b[4*outputs:]
}

// matches reports whether the entry is the rule of a set, whichever decision wrote it.
func (e *packedEntry) matches(set *ruleset.Set, rule uint16) bool {
	_, hop := set.At(int(rule))
	if e.notOutputs || !e.ownedBy(set) || len(e.outputs) != 4*len(hop.Out) {
		return false
	}
	for i, port := range hop.Out {
		if e.port(i) != port {
			return false
		}
	}
	return true
}

// ownedBy reports whether the entry belongs to the set's owner.
func (e *packedEntry) ownedBy(set *ruleset.Set) bool {
	c := plan.Decode(e.cookie)
	return c.Kind == set.Kind && c.Owner == set.Number
}

// port returns the ith output.
func (e *packedEntry) port(i int) uint32 { return binary.BigEndian.Uint32(e.outputs[4*i:]) }

// toSet returns a rule set with the entry as rule 0, in memory of its own.
func (e *packedEntry) toSet(sw *switchState) *ruleset.Set {
	c := plan.Decode(e.cookie)
	hop := &ruleset.Hop{DPID: sw.dpid, In: e.place.in}
	for i := range len(e.outputs) / 4 {
		hop.Out = append(hop.Out, e.port(i))
	}
	return &ruleset.Set{
		Kind: c.Kind, Number: c.Owner, Version: c.Version, Priority: e.place.priority,
		Legs: []ruleset.Leg{{Match: append([]byte(nil), e.place.match...), Route: &ruleset.Route{Hops: []*ruleset.Hop{hop}}}},
	}
}

// packEntry converts an entry to packed form, in keep's memory; false if it cannot be a rule of a
// rule set.
func packEntry(e *Entry, single bool, keep *Packed) (packedEntry, bool) {
	*keep = Packed{bytes: keep.bytes[:0]}
	s := openflow.FlowStats{Table: e.Table, Priority: e.Priority, Cookie: e.Cookie, Match: e.Match, Instructions: e.Instructions}
	if !keep.pack(&s, single) {
		return packedEntry{}, false
	}
	packed, _ := nextPacked(keep.bytes)
	return packed, true
}

// entryIs reports whether an entry in a rule's place is that rule; single: the switch has one table.
func entryIs(single bool, set *ruleset.Set, rule uint16, e *Entry) bool {
	var keep Packed
	packed, ok := packEntry(e, single, &keep)
	return ok && packed.matches(set, rule)
}
