package vswitch

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// metadataOf returns the metadata that a match asks for; without a mask, it asks for all bits.
func metadataOf(m *openflow.Match) (value, mask uint64, ok bool) {
	if o := m.OXM; len(o) >= 20 && [4]byte(o) == oxmInPort && [4]byte(o[8:]) == oxmMetadata { // as in packet-ins
		return binary.BigEndian.Uint64(o[12:]), ^uint64(0), true
	}
	v, k, ok := m.Lookup(openflow.FieldMetadata)
	if !ok || len(v) != 8 {
		return 0, 0, false
	}
	mask = ^uint64(0)
	if k != nil {
		mask = binary.BigEndian.Uint64(k)
	}
	return binary.BigEndian.Uint64(v), mask, true
}

// oxmInPort and oxmMetadata are what their fields begin with, without a mask: the class, the field, the length.
var (
	oxmInPort   = [4]byte{0x80, 0, byte(openflow.FieldInPort) << 1, 4}
	oxmMetadata = [4]byte{0x80, 0, byte(openflow.FieldMetadata) << 1, 8}
)

// priorityOf is an entry's priority in the physical switch: one more, for below all entries stands what shows misses. The
// two highest have the same, and place keeps their entries apart.
func priorityOf(virtual uint16) uint16 { return min(virtual, 0xfffe) + 1 }

// rulesOf returns what the physical switch is to have of an entry, with the ports, groups and meters that there are.
func (s *physical) rulesOf(r *row) (list []rule) {
	t := &r.told
	switch {
	case s.cfg.Single:
		return s.singleRules(t)
	case !t.v10:
		if r.whole == nil {
			r.whole = s.ruleAt(t, t.match)
			r.whole.at = r.whole.place()
		}
		x := *r.whole
		x.do = s.behaviour(x.in, t.instructions)
		return append(s.scratch[:0], x)
	}
	for _, v := range s.variants(true, t.match, t.instructions) {
		x := s.ruleAt(t, v.match)
		x.do = s.behaviour(x.in, v.do)
		list = append(list, *x)
	}
	return list
}

// ruleAt is the rule of an entry's packets that a match selects, which does nothing yet.
func (s *physical) ruleAt(t *entryCopy, m openflow.Match) *rule {
	priority := priorityOf(t.priority)
	if t.shows {
		priority = 0
	}
	in, match := s.translate(m)
	return &rule{table: plan.TableTenantFirst + t.table, priority: priority, in: in, match: match}
}

// variants returns the entries that do together what one does, in the version of the physical switch.
func (s *physical) variants(v10 bool, m openflow.Match, list []openflow.Instruction) []variant {
	if !v10 || s.cfg.Version == openflow.V10 {
		return []variant{{m, list}}
	}
	both, err := in13(m, list)
	if err != nil { // check has seen that there is none
		panic(err)
	}
	return both
}

// translate makes of an entry's match what the physical switch is to match: the port in, and the rest.
func (s *physical) translate(m openflow.Match) (in uint32, match []byte) {
	in, rest := ruleset.CutInPort(m.OXM)
	value, mask, _ := metadataOf(&m)
	physical := openflow.Match{OXM: slices.Clone(rest)}
	physical.SetUintMasked(openflow.FieldMetadata, value&^plan.MetadataTenant|plan.TenantMetadata(s.cfg.Tenant),
		mask|plan.MetadataTenant)
	return in, physical.Canonical().OXM
}

// behaviour is what the physical switch is to do for instructions, with packets from a port, or any.
func (s *physical) behaviour(in uint32, list []openflow.Instruction) *ruleset.Behaviour {
	own := make([]openflow.Instruction, len(list))
	for i := range list {
		own[i] = list[i]
		switch o := &own[i]; o.Type {
		case openflow.InstructionGotoTable:
			o.Table += plan.TableTenantFirst
		case openflow.InstructionApplyActions:
			o.Actions = s.ports.outputs(o.Actions)
		}
	}
	objects := s.contents.named(own)
	if len(objects) == 0 {
		return ruleset.Do(in, own)
	}
	do, err := ruleset.Use(in, own, objects...)
	if err != nil { // the places are those of objects
		panic(err)
	}
	return do
}

func isFlood(a openflow.Action) bool {
	return a.Type == openflow.ActionOutput && (a.Port == openflow.PortFlood || a.Port == openflow.PortAll)
}

// ports are the tenant's, with their configuration.
type ports map[uint32]uint32

// outputs replaces outputs to all ports by outputs to each of the tenant's, and leaves out those to ports that are not the
// tenant's any more.
func (p ports) outputs(list []openflow.Action) (own []openflow.Action) {
	if !slices.ContainsFunc(list, p.another) {
		return list
	}
	for _, a := range list {
		_, has := p[a.Port]
		switch {
		case isFlood(a):
			for _, port := range p.flooded(a.Port) {
				own = append(own, openflow.Output(port))
			}
		case a.Type == openflow.ActionOutput && a.Port <= openflow.PortMax && !has:
		default:
			own = append(own, a)
		}
	}
	return own
}

// another reports whether an action is not done as it is: it outputs to all ports, or to one that is not there.
func (p ports) another(a openflow.Action) bool {
	_, has := p[a.Port]
	return isFlood(a) || a.Type == openflow.ActionOutput && a.Port <= openflow.PortMax && !has
}

// flooded are the ports to which FLOOD or ALL goes. The physical switch leaves out the one that a packet came in by.
func (p ports) flooded(to uint32) (list []uint32) {
	for _, port := range slices.Sorted(maps.Keys(p)) {
		if to == openflow.PortAll || p[port]&openflow.PortConfigNoFlood == 0 {
			list = append(list, port)
		}
	}
	return list
}

// writesTo reports whether instructions write an output to a port. Such an output takes the place of others in the action
// set: it cannot be left out.
func writesTo(list []openflow.Instruction, port uint32) bool {
	return slices.ContainsFunc(list, func(in openflow.Instruction) bool {
		return in.Type == openflow.InstructionWriteActions && slices.ContainsFunc(in.Actions, func(a openflow.Action) bool {
			return a.Type == openflow.ActionOutput && a.Port == port
		})
	})
}
