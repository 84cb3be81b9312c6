package vswitch

import (
	"slices"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/tenant"
)

// checks refuse what the tables would take, and the physical switch must not have.
type checks struct {
	*physical
	gone bool // outputs to ports that are not the tenant's are taken: they do nothing
}

// check refuses what the tables would take, and the physical switch must not have.
func (s *Switch) check(v openflow.Version, m *openflow.FlowMod) error {
	if m.Command == openflow.FlowDelete || m.Command == openflow.FlowDeleteStrict {
		return nil
	}
	if err := s.cfg.Space.Writable(m.Match); err != nil {
		return &flowtable.Error{Code: openflow.FlowModFailedEPerm, Reason: err.Error()}
	}
	if s.cfg.Rows.full() {
		return &flowtable.Error{Code: openflow.FlowModFailedTableFull, Reason: "the tenant has no more rows"}
	}
	if value, mask, ok := metadataOf(&m.Match); ok && value&mask&plan.MetadataTenant != 0 {
		return &flowtable.Error{Code: openflow.BadMatchBadValue, Reason: "metadata beyond its 54 bits"}
	}
	if v == openflow.V10 && s.cfg.Version != openflow.V10 {
		if _, err := in13(m.Match, m.Instructions); err != nil {
			return err
		}
	}
	checks := checks{physical: &s.physical}
	if err := checks.place(v, m); err != nil {
		return err
	}
	for i := range m.Instructions {
		if err := checks.instruction(&m.Match, &m.Instructions[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s checks) instruction(match *openflow.Match, in *openflow.Instruction) error {
	when := tenant.AtTheEnd
	switch in.Type {
	case openflow.InstructionWriteMetadata:
		if in.MetadataMask&plan.MetadataTenant != 0 {
			return &flowtable.Error{Code: openflow.BadInstructionUnsupMetadataMask, Reason: "metadata beyond its 54 bits"}
		}
		return nil
	case openflow.InstructionApplyActions:
		when, s.gone = tenant.AtOnce, s.replaying // entries stay whose outputs have lost their ports
	}
	return s.actions(*match, in.Actions, when)
}

// actions checks a list of actions of packets that a match selects.
func (s checks) actions(match openflow.Match, list []openflow.Action, when tenant.Applied) error {
	for k := range list {
		if err := s.action(&list[k]); err != nil {
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

func (s checks) action(a *openflow.Action) error {
	switch a.Type {
	case openflow.ActionOutput, openflow.ActionEnqueue:
		switch _, own := s.ports[a.Port]; {
		case own:
		case a.Port == openflow.PortInPort, a.Port == openflow.PortController, a.Port == openflow.PortFlood,
			a.Port == openflow.PortAll:
		case s.gone && a.Type == openflow.ActionOutput && a.Port <= openflow.PortMax:
		default:
			return &flowtable.Error{Code: openflow.BadActionBadOutPort, Reason: "no port of the tenant's"}
		}
	}
	return nil
}

// place refuses an entry that the physical switch could not have above or below another one, as it is in the tables.
func (s checks) place(v openflow.Version, m *openflow.FlowMod) error {
	if s.cfg.Single {
		return s.oneTable(v, m)
	}
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
