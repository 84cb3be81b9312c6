package flowsync

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/program"
)

// Packed are entries of the kind that programs have, as much of them as it takes to compare them with rules, one after the other in one piece of
// memory: a switch may hold a hundred thousand.
type Packed struct {
	bytes []byte
	Count int
}

// A packed entry is: cookie 8 bytes, in_port 4, priority 2, length of the match without in_port 2, number of outputs 2 or otherContent, then
// that match, then 4 bytes for each output.
const (
	packedHeader = 18
	otherContent = 1<<16 - 1 // it does something else than to output to ports
)

// packedEntry is one of them: a view.
type packedEntry struct {
	cookie  uint64
	place   place
	other   bool
	outputs []byte // 4 bytes each
}

// pack adds an entry, if a program's rule can stand in its place: it is of that kind, in the table of the form, and names a port.
func (p *Packed) pack(s *openflow.FlowStats, single bool) bool {
	if plan.Decode(s.Cookie).Kind != plan.KindIntent || !single && s.Table != program.Table(false) {
		return false
	}
	start := len(p.bytes)
	b := append(p.bytes, make([]byte, packedHeader)...)
	b = s.Match.AppendCanonical(b)
	in, match, ok := cutInPort(b[start+packedHeader:])
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

// appendOutputs appends the ports that instructions output to, in their order, and says how many: otherContent if they do anything else. The port in
// is named as such: its number is no output.
func appendOutputs(b []byte, in uint32, instructions []openflow.Instruction) ([]byte, int) {
	start, n := len(b), 0
	for i := range instructions {
		do := &instructions[i]
		if empty(do) {
			continue
		}
		if do.Type != openflow.InstructionApplyActions || n > 0 {
			return b[:start], otherContent
		}
		for j := range do.Actions {
			a := &do.Actions[j]
			if a.Type != openflow.ActionOutput || a.Port == openflow.PortController || a.Port == in || n == otherContent-1 {
				return b[:start], otherContent
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

// next takes the first packed entry of b.
func nextPacked(b []byte) (e packedEntry, rest []byte) {
	e.cookie = binary.BigEndian.Uint64(b)
	e.place.in, e.place.priority = binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint16(b[12:])
	match, outputs := int(binary.BigEndian.Uint16(b[14:])), int(binary.BigEndian.Uint16(b[16:]))
	b = b[packedHeader:]
	e.place.match, b = b[:match:match], b[match:]
	if e.other = outputs == otherContent; e.other {
		return e, b
	}
	e.outputs = b[:4*outputs]
	return e, b[4*outputs:]
}

// is says whether the entry is a program's rule: whichever decision wrote it.
func (e *packedEntry) is(p *program.Program, rule uint16) bool {
	_, hop := p.At(int(rule))
	if e.other || !e.owned(p) || len(e.outputs) != 4*len(hop.Out) {
		return false
	}
	for i, port := range hop.Out {
		if e.port(i) != port {
			return false
		}
	}
	return true
}

// owned says whether the entry is of a program's owner.
func (e *packedEntry) owned(p *program.Program) bool {
	c := plan.Decode(e.cookie)
	return c.Kind == p.Kind && c.Owner == p.Number
}

// port is the number of an output.
func (e *packedEntry) port(i int) uint32 { return binary.BigEndian.Uint32(e.outputs[4*i:]) }

// program makes a program of the entry, in memory of its own; its rule 0 has the entry's place.
func (e *packedEntry) program(l *ledger) *program.Program {
	c := plan.Decode(e.cookie)
	hop := &program.Hop{DPID: l.dpid, In: e.place.in}
	for i := range len(e.outputs) / 4 {
		hop.Out = append(hop.Out, e.port(i))
	}
	return &program.Program{
		Kind: c.Kind, Number: c.Owner, Version: c.Version, Priority: e.place.priority,
		Legs: []program.Leg{{Match: append([]byte(nil), e.place.match...), Route: &program.Route{Hops: []*program.Hop{hop}}}},
	}
}

// packOne is an entry that a switch told of, in the same form; false if no program's rule can stand in its place.
func packOne(e *Entry, single bool, keep *Packed) (packedEntry, bool) {
	*keep = Packed{bytes: keep.bytes[:0]}
	s := openflow.FlowStats{Table: e.Table, Priority: e.Priority, Cookie: e.Cookie, Match: e.Match, Instructions: e.Instructions}
	if !keep.pack(&s, single) {
		return packedEntry{}, false
	}
	packed, _ := nextPacked(keep.bytes)
	return packed, true
}

// ruleIs says whether an entry in a rule's place is that rule.
func (l *ledger) ruleIs(p *program.Program, rule uint16, e *Entry) bool {
	var keep Packed
	packed, ok := packOne(e, l.single, &keep)
	return ok && packed.is(p, rule)
}
