package ruleset

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// RulesMax is the largest number of rules of one set: orders name them by 16 bits.
const RulesMax = 1<<16 - 1

// A Hop is what one rule does at one switch: packets that come in by port In leave by the ports
// Out, in ascending order. Ports have the numbers of OpenFlow 1.3. Out may hold In: the packet goes
// back where it came from.
type Hop struct {
	DPID netview.DPID
	In   uint32
	ID   uint32 // of the caller's record of the hop; unused here
	Out  []uint32
}

// Equal reports whether two hops are the same, but for their IDs.
func (h *Hop) Equal(other *Hop) bool {
	return h == other || h.DPID == other.DPID && h.In == other.In && slices.Equal(h.Out, other.Out)
}

// A Route is a list of hops: of a path from its ingress to its egress, of a tree in an order in
// which a switch comes after those that packets pass before it. No two hops have the same switch
// and port in. Hops are immutable and shared by routes that pass the same links; two equal hops may
// be two values.
type Route struct {
	Hops []*Hop
	ID   uint32 // of the caller's record of the route; unused here
}

// Equal reports whether two routes have the same hops in the same order.
func (r *Route) Equal(other *Route) bool {
	return r == other || slices.EqualFunc(r.Hops, other.Hops, (*Hop).Equal)
}

// A Leg is the traffic that takes a route: Match is the canonical list of OXM TLVs
// (openflow.Match.Canonical), with all prerequisites and without in_port.
type Leg struct {
	Match []byte
	Route *Route
}

// A Set is the rules of one decision of an owner: one for each hop of each leg. The rules are
// numbered leg by leg, hop by hop.
type Set struct {
	Legs     []Leg
	Number   uint32 // the owner's
	Version  uint16 // the path version: which of the owner's decisions
	Priority uint16 // as the switch has it
	Kind     plan.Kind
}

// Len is the number of rules, at most RulesMax.
func (s *Set) Len() (n int) {
	for i := range s.Legs {
		n += len(s.Legs[i].Route.Hops)
	}
	return n
}

// At returns the leg and the hop of a rule. It panics if the number is out of range.
func (s *Set) At(rule int) (*Leg, *Hop) {
	for i := range s.Legs {
		hops := s.Legs[i].Route.Hops
		if rule < len(hops) {
			return &s.Legs[i], hops[rule]
		}
		rule -= len(hops)
	}
	panic("ruleset: no such rule")
}

// Cookie returns the cookie of the set's rules.
func (s *Set) Cookie(domain uint16) uint64 {
	return plan.Cookie{Domain: domain, Kind: s.Kind, Owner: s.Number, Version: s.Version}.Encode()
}

// SamePlace reports whether a switch holds at most one of two rules: they have the same switch,
// priority, port in and match.
func (s *Set) SamePlace(rule int, q *Set, other int) bool {
	a, ah := s.At(rule)
	b, bh := q.At(other)
	return ah.DPID == bh.DPID && ah.In == bh.In && s.Priority == q.Priority && bytes.Equal(a.Match, b.Match)
}

// FlowMod makes m the message that adds a rule. It reuses the memory of m's match, instructions and
// actions, which must be m's own, and does not allocate when that is enough.
func (s *Set) FlowMod(rule int, domain uint16, single bool, m *openflow.FlowMod) {
	leg, hop := s.At(rule)
	match, instructions := AppendMatch(m.Match.OXM[:0], hop.In, leg.Match), appendInstructions(m.Instructions[:0], hop)
	*m = openflow.FlowMod{
		Command: openflow.FlowAdd, Cookie: s.Cookie(domain), Table: plan.ForwardingTable(single), Priority: s.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: openflow.FlagSendFlowRemoved, Match: openflow.Match{OXM: match}, Instructions: instructions,
	}
}

// Removal makes m the message that removes the entry in a rule's place if the owner wrote it,
// whichever decision that was; byCookie: the version can restrict deletions to cookies.
// Memory is used as by FlowMod.
func (s *Set) Removal(rule int, domain uint16, single, byCookie bool, m *openflow.FlowMod) {
	leg, hop := s.At(rule)
	match, instructions := AppendMatch(m.Match.OXM[:0], hop.In, leg.Match), m.Instructions[:0]
	*m = openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, Table: plan.ForwardingTable(single), Priority: s.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Match: openflow.Match{OXM: match}, Instructions: instructions,
	}
	if byCookie {
		m.Cookie, m.CookieMask = s.Cookie(domain)&plan.OwnerMask, plan.OwnerMask
	}
}

// Rule returns a rule as a row of the view, in memory of its own, without Owner and State.
func (s *Set) Rule(rule int, domain uint16, single bool) netview.Rule {
	leg, hop := s.At(rule)
	return netview.Rule{
		DPID: hop.DPID, Table: plan.ForwardingTable(single), Priority: s.Priority, Cookie: s.Cookie(domain),
		Match: openflow.Match{OXM: AppendMatch(nil, hop.In, leg.Match)}, Instructions: appendInstructions(nil, hop),
	}
}

// inPort is the head of the OXM TLV of in_port: class OFPXMC_OPENFLOW_BASIC, field 0, no mask, 4
// bytes.
var inPort = [4]byte{0x80, 0x00, uint8(openflow.FieldInPort) << 1, 4}

// AppendMatch appends the canonical match of a rule, of its in_port and the leg's match: in_port is
// the field with the least number.
func AppendMatch(b []byte, in uint32, match []byte) []byte {
	b = binary.BigEndian.AppendUint32(append(b, inPort[:]...), in)
	return append(b, match...)
}

// CutInPort undoes AppendMatch; false if a canonical match does not begin with in_port.
func CutInPort(oxm []byte) (in uint32, match []byte, ok bool) {
	rest, ok := bytes.CutPrefix(oxm, inPort[:])
	if !ok || len(rest) < 4 {
		return 0, nil, false
	}
	return binary.BigEndian.Uint32(rest), rest[4:], true
}

// appendInstructions appends the one instruction of a rule, none if it has no outputs. The room
// behind b may hold an instruction whose actions' memory is used again.
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
