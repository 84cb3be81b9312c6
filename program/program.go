package program

import (
	"bytes"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// RulesMax is the most rules of one program: orders name them by 16 bits.
const RulesMax = 1<<16 - 1

// A Hop is what one rule does at one switch: packets that come in by port In leave by the ports Out, in ascending order. Ports
// have the numbers of OpenFlow 1.3. Out may hold In: the packet goes back where it came from.
type Hop struct {
	DPID netview.DPID
	In   uint32
	Out  []uint32
}

// Equal says whether two hops are the same.
func (h *Hop) Equal(o *Hop) bool {
	return h == o || h.DPID == o.DPID && h.In == o.In && slices.Equal(h.Out, o.Out)
}

// A Route is a list of hops: of a path from its ingress to its egress, of a tree in an order in which a switch comes after those
// that packets pass before it. No two hops have the same switch and port in. Hops do not change and may be those of many routes, which pass the same links;
// two that are the same are not always one.
type Route struct {
	Hops []*Hop
	ID   uint32 // for who keeps routes, to find what it knows of one
}

// Equal says whether two routes have the same hops in the same order.
func (r *Route) Equal(o *Route) bool {
	return r == o || slices.EqualFunc(r.Hops, o.Hops, (*Hop).Equal)
}

// A Leg is what of the traffic takes a route: Match is the canonical list of OXM TLVs (openflow.Match.Canonical), with all
// prerequisites and without in_port.
type Leg struct {
	Match []byte
	Route *Route
}

// A Program is the rules of one decision of an owner: one for each hop of each leg. The rules are numbered leg by leg, hop by hop.
type Program struct {
	Legs     []Leg
	Number   uint32 // the owner's
	Version  uint16 // the path version: which of the owner's decisions
	Priority uint16 // as the switch has it
	Kind     plan.Kind
}

// Len is the number of rules, at most RulesMax.
func (p *Program) Len() (n int) {
	for i := range p.Legs {
		n += len(p.Legs[i].Route.Hops)
	}
	return n
}

// At is the leg and the hop of a rule. A number that is out of range panics.
func (p *Program) At(rule int) (*Leg, *Hop) {
	for i := range p.Legs {
		hops := p.Legs[i].Route.Hops
		if rule < len(hops) {
			return &p.Legs[i], hops[rule]
		}
		rule -= len(hops)
	}
	panic("program: no such rule")
}

// Cookie is the cookie of the program's rules.
func (p *Program) Cookie(domain uint16) uint64 {
	return plan.Cookie{Domain: domain, Kind: p.Kind, Owner: p.Number, Version: p.Version}.Encode()
}

// SamePlace says whether a switch holds at most one of two rules: they have the same switch, priority, port in and match.
func (p *Program) SamePlace(rule int, q *Program, other int) bool {
	a, ah := p.At(rule)
	b, bh := q.At(other)
	return ah.DPID == bh.DPID && ah.In == bh.In && p.Priority == q.Priority && bytes.Equal(a.Match, b.Match)
}

// SameRule says whether two rules have the same place and owner and do the same, so that one need not be written over the other.
func (p *Program) SameRule(rule int, q *Program, other int) bool {
	if p.Kind != q.Kind || p.Number != q.Number || !p.SamePlace(rule, q, other) {
		return false
	}
	_, a := p.At(rule)
	_, b := q.At(other)
	return slices.Equal(a.Out, b.Out)
}

// Table is the table of the rules, in the single-table form of the switch plan or not.
func Table(single bool) uint8 {
	if single {
		return plan.TableSingle
	}
	return plan.TableForwarding
}

// FlowMod makes m the message that adds a rule. It reuses the memory of m's match, instructions and actions, which must be m's own, and
// does not allocate when that is enough.
func (p *Program) FlowMod(rule int, domain uint16, single bool, m *openflow.FlowMod) {
	leg, hop := p.At(rule)
	match, instructions := appendMatch(m.Match.OXM[:0], leg, hop), appendInstructions(m.Instructions[:0], hop)
	*m = openflow.FlowMod{
		Command: openflow.FlowAdd, Cookie: p.Cookie(domain), Table: Table(single), Priority: p.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: openflow.FlagSendFlowRemoved, Match: openflow.Match{OXM: match}, Instructions: instructions,
	}
}

// Removal makes m the message that removes the entry in a rule's place if the owner wrote it, whichever decision that was; byCookie says whether
// the version can restrict deletions to cookies. Memory is used as by FlowMod.
func (p *Program) Removal(rule int, domain uint16, single, byCookie bool, m *openflow.FlowMod) {
	leg, hop := p.At(rule)
	match, instructions := appendMatch(m.Match.OXM[:0], leg, hop), m.Instructions[:0]
	*m = openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, Table: Table(single), Priority: p.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Match: openflow.Match{OXM: match}, Instructions: instructions,
	}
	if byCookie {
		m.Cookie, m.CookieMask = p.Cookie(domain)&plan.OwnerMask, plan.OwnerMask
	}
}

// Rule is a rule as a row, in memory of its own, without Owner and State.
func (p *Program) Rule(rule int, domain uint16, single bool) netview.Rule {
	leg, hop := p.At(rule)
	return netview.Rule{
		DPID: hop.DPID, Table: Table(single), Priority: p.Priority, Cookie: p.Cookie(domain),
		Match: openflow.Match{OXM: appendMatch(nil, leg, hop)}, Instructions: appendInstructions(nil, hop),
	}
}

// inPort is the head of the OXM TLV of in_port: class OFPXMC_OPENFLOW_BASIC, field 0, no mask, 4 bytes.
var inPort = [4]byte{0x80, 0x00, uint8(openflow.FieldInPort) << 1, 4}

// appendMatch appends the canonical match of a rule: in_port is the field with the least number.
func appendMatch(b []byte, leg *Leg, hop *Hop) []byte {
	b = append(b, inPort[:]...)
	b = append(b, uint8(hop.In>>24), uint8(hop.In>>16), uint8(hop.In>>8), uint8(hop.In))
	return append(b, leg.Match...)
}

// appendInstructions appends the one instruction of a rule, none if it has no outputs. The room behind b may hold an instruction
// whose actions' memory is used again.
func appendInstructions(b []openflow.Instruction, hop *Hop) []openflow.Instruction {
	if len(hop.Out) == 0 {
		return b
	}
	var actions []openflow.Action
	if n := len(b); n < cap(b) {
		actions = b[:n+1][n].Actions[:0]
	}
	for _, port := range hop.Out {
		if port == hop.In {
			port = openflow.PortInPort
		}
		actions = append(actions, openflow.Output(port))
	}
	return append(b, openflow.Instruction{Type: openflow.InstructionApplyActions, Actions: actions})
}
