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

// AnyPort is the port in of rules that do not match it. No port has this number.
const AnyPort uint32 = 0

// A Hop is what one rule does at one switch, to packets that come in by port In, or by any. Ports have the
// numbers of OpenFlow 1.3.
type Hop struct {
	DPID netview.DPID
	In   uint32
	ID   uint32 // of the caller's record of the hop; unused here
	Do   *Behaviour
	Tag  Tag // 0: its rules match what their legs do; else the tag, and nothing else of the packet
}

// HopTo returns a hop that outputs to ports, in ascending order, and does nothing else (Outputs).
func HopTo(dpid netview.DPID, in uint32, ports ...uint32) *Hop {
	return &Hop{DPID: dpid, In: in, Do: Outputs(in, ports...)}
}

// Out returns the ports that packets leave by, in ascending order. It is not to be changed.
func (h *Hop) Out() []uint32 { return h.Do.out }

// Equal reports whether two hops are the same, but for their IDs.
func (h *Hop) Equal(other *Hop) bool {
	return h == other || h.SamePlace(other) && h.Do.Equal(other.Do)
}

// SamePlace reports whether two hops have the same switch, port in and tag.
func (h *Hop) SamePlace(other *Hop) bool {
	return h.DPID == other.DPID && h.In == other.In && h.Tag == other.Tag
}

// A Route is a list of hops: of a path from its ingress to its egress, of a tree in an order in
// which a switch comes after those that packets pass before it. No two hops have the same switch,
// port in and tag. Hops are immutable and shared by routes that pass the same links; two equal hops may
// be two values.
type Route struct {
	Hops []*Hop
	ID   uint32 // of the caller's record of the route; unused here
	// Entries is 0 if no hop has a tag; else how many have none: those by which packets enter, which come first.
	Entries uint32
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

// A Set is the rules of one decision of an owner: one for each hop of each leg (HopsOf). The rules are
// numbered leg by leg, hop by hop.
type Set struct {
	Legs     []Leg
	Number   uint32 // the owner's
	Version  uint16 // the path version: which of the owner's decisions
	Priority uint16 // as the switch has it
	Kind     plan.Kind
	Table    uint8 // in the form with several tables; of what the view desires, in the form that the switch has
	Policy   Policy
	Anew     bool   // the entry's counters begin anew, whatever stood in its place: it is written even where the same rule does
	Idle     uint16 // seconds without a packet after which the switch ends an entry; 0: never. Only of Mortal sets
	Hard     uint16 // seconds after which it does in any case, likewise
}

// Mortal reports whether the switch ends the set's entries by itself, by a time-out.
func (s *Set) Mortal() bool { return s.Idle|s.Hard != 0 }

// SameTimes reports whether the entries of two sets have the same time-outs.
func (s *Set) SameTimes(other *Set) bool { return s.Idle == other.Idle && s.Hard == other.Hard }

// Tagged reports whether packets of a set, which may be nil, carry tags on their way.
func (s *Set) Tagged() bool {
	return s != nil && slices.ContainsFunc(s.Legs, func(l Leg) bool { return l.Route.Entries > 0 })
}

// Len is the number of rules, at most RulesMax.
func (s *Set) Len() (n int) {
	for i := range s.Legs {
		n += len(s.HopsOf(i))
	}
	return n
}

// HopsOf returns the hops at which a leg has rules: those of its route, but where packets are known by a tag only the
// first leg along the route has any, since these match nothing of a leg. They are not to be changed.
func (s *Set) HopsOf(leg int) []*Hop {
	r := s.Legs[leg].Route
	if r.Entries > 0 && leg > 0 && s.Legs[leg-1].Route == r {
		return r.Hops[:r.Entries]
	}
	return r.Hops
}

// At returns the leg and the hop of a rule. It panics if the number is out of range.
func (s *Set) At(rule int) (*Leg, *Hop) {
	for i := range s.Legs {
		hops := s.HopsOf(i)
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

// TableIn returns the number of the table in which a rule is, in the single-table form or in the other.
func (p *Place) TableIn(single bool) uint8 {
	if single && !p.Exact {
		return plan.TableSingle
	}
	return p.Table
}

// SamePlace reports whether a switch holds at most one of two rules: they have the same switch,
// table, priority, port in and match.
func (s *Set) SamePlace(rule int, q *Set, other int) bool {
	a, ah := s.At(rule)
	b, bh := q.At(other)
	return ah.SamePlace(bh) &&
		(ah.Tag != 0 || s.Table == q.Table && s.Priority == q.Priority && bytes.Equal(a.Match, b.Match))
}

// FlowMod makes m the message that adds a rule. It reuses the memory of m's match, which must be m's own; the
// instructions are the behaviour's, which are not to be changed: one with objects is to be rendered.
func (s *Set) FlowMod(rule int, domain uint16, single bool, m *openflow.FlowMod) {
	leg, hop := s.At(rule)
	at := s.place(leg, hop)
	match := AppendMatch(m.Match.OXM[:0], at.In, at.Match)
	*m = openflow.FlowMod{
		Command: openflow.FlowAdd, Cookie: s.Cookie(domain), Table: at.TableIn(single), Priority: at.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: openflow.FlagSendFlowRemoved, Match: openflow.Match{OXM: match}, Instructions: hop.Do.instructions,
		IdleTimeout: s.Idle, HardTimeout: s.Hard,
	}
	if s.Anew {
		m.Flags |= openflow.FlagResetCounts // in OpenFlow 1.0, which does not have it, every ADD does
	}
}

// Removal makes m the message that removes the entry in a rule's place if its cookie equals the rule's in the bits of
// mask: plan.OwnerMask is the owner's, whichever decision wrote it. Mask is 0 where the version cannot restrict
// deletions. Memory is used as by FlowMod.
func (s *Set) Removal(rule int, domain uint16, single bool, mask uint64, m *openflow.FlowMod) {
	at := s.Place(rule)
	match := AppendMatch(m.Match.OXM[:0], at.In, at.Match)
	*m = openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, Table: at.TableIn(single), Priority: at.Priority,
		Cookie: s.Cookie(domain) & mask, CookieMask: mask,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Match: openflow.Match{OXM: match},
	}
}

// Rule returns a rule as a row of the view, without Owner and State. The instructions are not to be changed.
func (s *Set) Rule(rule int, domain uint16, single bool) netview.Rule {
	leg, hop := s.At(rule)
	at := s.place(leg, hop)
	return netview.Rule{
		DPID: hop.DPID, Table: at.TableIn(single), Priority: at.Priority, Cookie: s.Cookie(domain),
		Match: openflow.Match{OXM: AppendMatch(nil, at.In, at.Match)}, Instructions: hop.Do.instructions,
	}
}

// inPort is the head of the OXM TLV of in_port: class OFPXMC_OPENFLOW_BASIC, field 0, no mask, 4
// bytes.
var inPort = [4]byte{0x80, 0x00, uint8(openflow.FieldInPort) << 1, 4}

// AppendMatch appends the canonical match of a rule, of its in_port, unless it is AnyPort, and the leg's match:
// in_port is the field with the least number.
func AppendMatch(b []byte, in uint32, match []byte) []byte {
	if in == AnyPort {
		return append(b, match...)
	}
	b = binary.BigEndian.AppendUint32(append(b, inPort[:]...), in)
	return append(b, match...)
}

// CutInPort undoes AppendMatch of a canonical match.
func CutInPort(oxm []byte) (in uint32, match []byte) {
	rest, ok := bytes.CutPrefix(oxm, inPort[:])
	if !ok || len(rest) < 4 {
		return AnyPort, oxm
	}
	if in = binary.BigEndian.Uint32(rest); in == AnyPort { // a number that no port has, and that a match may have
		return AnyPort, oxm
	}
	return in, rest[4:]
}
