package vswitch

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// check refuses what the tables would take, and the physical switch must not have.
func (s *Switch) check(v openflow.Version, m *openflow.FlowMod) error {
	if m.Command == openflow.FlowDelete || m.Command == openflow.FlowDeleteStrict {
		return nil
	}
	if s.cfg.Rows.full() {
		return &flowtable.Error{Code: openflow.FlowModFailedTableFull, Reason: "the tenant has no more rows"}
	}
	if value, mask, ok := metadataOf(&m.Match); ok && value&mask&plan.MetadataTenant != 0 {
		return &flowtable.Error{Code: openflow.BadMatchBadValue, Reason: "metadata beyond its 54 bits"}
	}
	if err := s.checkPlace(v, m); err != nil {
		return err
	}
	if v == openflow.V10 {
		if _, err := in13(m.Match, m.Instructions); err != nil {
			return err
		}
	}
	for i := range m.Instructions {
		if err := s.checkInstruction(&m.Match, &m.Instructions[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *physical) checkInstruction(match *openflow.Match, in *openflow.Instruction) error {
	when := tenant.AtTheEnd
	switch in.Type {
	case openflow.InstructionWriteMetadata:
		if in.MetadataMask&plan.MetadataTenant != 0 {
			return &flowtable.Error{Code: openflow.BadInstructionUnsupMetadataMask, Reason: "metadata beyond its 54 bits"}
		}
		return nil
	case openflow.InstructionApplyActions:
		when = tenant.AtOnce
	}
	return s.checkActions(*match, in.Actions, when)
}

// checkActions checks a list of actions of packets that a match selects.
func (s *physical) checkActions(match openflow.Match, list []openflow.Action, when tenant.Applied) error {
	for k := range list {
		if err := s.checkAction(&list[k]); err != nil {
			return err
		}
	}
	if when == tenant.AtTheEnd && slices.ContainsFunc(list, isFlood) {
		// an action set outputs once, and FLOOD would be the physical switch's
		return &flowtable.Error{Code: openflow.BadActionBadOutPort, Reason: "to all ports, in an action set: apply it"}
	}
	if err := s.cfg.Space.Keeps(match, list, when); err != nil {
		return &flowtable.Error{Code: openflow.BadActionBadSetArgument, Reason: err.Error()}
	}
	return nil
}

func (s *physical) checkAction(a *openflow.Action) error {
	switch a.Type {
	case openflow.ActionOutput, openflow.ActionEnqueue:
		switch _, own := s.ports[a.Port]; {
		case own:
		case a.Port == openflow.PortInPort, a.Port == openflow.PortController, a.Port == openflow.PortFlood,
			a.Port == openflow.PortAll:
		default:
			return &flowtable.Error{Code: openflow.BadActionBadOutPort, Reason: "no port of the tenant's"}
		}
	}
	return nil
}

// metadataOf returns the metadata that a match asks for; without a mask, it asks for all bits.
func metadataOf(m *openflow.Match) (value, mask uint64, ok bool) {
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

// priorityOf is an entry's priority in the physical switch: one more, for below all entries stands what shows misses. The
// two highest have the same, and checkPlace keeps their entries apart.
func priorityOf(virtual uint16) uint16 { return min(virtual, 0xfffe) + 1 }

// checkPlace refuses an entry that the physical switch could not have above or below another one, as it is in the tables.
func (s *physical) checkPlace(v openflow.Version, m *openflow.FlowMod) error {
	if m.Command != openflow.FlowAdd && v != openflow.V10 {
		return nil
	}
	priority := m.Priority
	if v == openflow.V10 && m.Match.Exact10() {
		priority = 0xffff
	}
	other := priority ^ 1
	if priority < 0xfffe || s.priorities[other] == 0 {
		return nil
	}
	for _, r := range s.byHandle {
		if t := &r.told; t.priority == other && t.table == m.Table && t.match.Overlaps(m.Match) {
			return &flowtable.Error{Code: openflow.FlowModFailedTableFull,
				Reason: "entries of priorities 65534 and 65535 that have packets in common"}
		}
	}
	return nil
}

// rulesOf returns what the physical switch is to have of an entry, with the ports, groups and meters that there are.
func (s *physical) rulesOf(t *entryCopy) (list []rule) {
	variants := []variant{{t.match, t.instructions}}
	if t.v10 {
		variants, _ = in13(t.match, t.instructions) // check has seen that there is no error
	}
	priority := priorityOf(t.priority)
	if t.shows {
		priority = 0
	}
	for _, v := range variants {
		in, match, do := s.translate(&v.match, v.do)
		list = append(list, rule{plan.TableTenantFirst + t.table, priority, in, match, do})
	}
	return list
}

// translate makes of an entry what the physical switch is to have: the port in, the match without it, and the behaviour.
func (s *physical) translate(m *openflow.Match, list []openflow.Instruction) (in uint32, match []byte, do *ruleset.Behaviour) {
	in, rest := ruleset.CutInPort(m.OXM)
	value, mask, _ := metadataOf(m)
	physical := openflow.Match{OXM: slices.Clone(rest)}
	physical.SetUintMasked(openflow.FieldMetadata, value&^plan.MetadataTenant|plan.TenantMetadata(s.cfg.Tenant),
		mask|plan.MetadataTenant)
	match = physical.Canonical().OXM
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
		return in, match, ruleset.Do(in, own)
	}
	do, err := ruleset.Use(in, own, objects...)
	if err != nil { // the places are those of objects
		panic(err)
	}
	return in, match, do
}

func isFlood(a openflow.Action) bool {
	return a.Type == openflow.ActionOutput && (a.Port == openflow.PortFlood || a.Port == openflow.PortAll)
}

// ports are the tenant's, with their configuration.
type ports map[uint32]uint32

// outputs replaces outputs to all ports by outputs to each of the tenant's, and leaves out those to ports that are not the
// tenant's any more.
func (p ports) outputs(list []openflow.Action) (own []openflow.Action) {
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
