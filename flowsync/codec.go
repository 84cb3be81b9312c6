package flowsync

import (
	"bytes"
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// codec predicts how a switch will list an entry: it encodes the flow-mod in the switch's version
// and decodes it again. So no code here depends on what a version omits or fills in.
type codec struct {
	buf []byte
	mod openflow.FlowMod
}

// roundTrip returns the flow-mod as version v expresses it, valid until the next call.
func (f *codec) roundTrip(v openflow.Version, mod *openflow.FlowMod) (*openflow.FlowMod, error) {
	var err error
	if f.buf, err = mod.Append(f.buf[:0], v); err != nil {
		return nil, err
	}
	if len(f.buf)+openflow.HeaderLen > 1<<16-1 {
		return nil, openflow.ErrTooLong
	}
	if err = f.mod.Parse(v, f.buf); err != nil {
		return nil, err
	}
	return &f.mod, nil
}

// rejects returns why the switch's version cannot express a rule, "" if it can: its match might be wider than desired.
// OpenFlow 1.3 can express all but those that are too long.
func (f *codec) rejects(v openflow.Version, m *openflow.FlowMod) string {
	if !v.FixedMatch() {
		return ""
	}
	said, err := f.roundTrip(v, m)
	switch {
	case err != nil:
		return err.Error()
	case said.Table != m.Table:
		return fmt.Sprintf("OpenFlow %s cannot name table %d", v, m.Table)
	case said.Match.Exact10():
		return "OpenFlow 1.0 gives a match without wildcards the highest priority"
	case said.Match.Key() != string(m.Match.OXM):
		return fmt.Sprintf("OpenFlow %s would match %s instead", v, said.Match.String())
	}
	return ""
}

// does reports whether an entry in the place of a rule is its owner's, and does what the rule does, for whatever time.
func (s *session) does(e *packedEntry, set *ruleset.Set, rule uint16) bool {
	return e.matches(set, rule) || s.version.FixedMatch() && e.writtenFor(set) && s.listsAs(set, rule, e.do)
}

// listsAs reports whether the switch would list a rule with instructions of this key (ruleset.AppendKey).
func (s *session) listsAs(set *ruleset.Set, rule uint16, key []byte) bool {
	set.FlowMod(int(rule), s.config.Domain, s.singleTable, &s.mod)
	said, err := s.codec.roundTrip(s.version, &s.mod)
	if err != nil {
		return false
	}
	s.key = ruleset.AppendKey(s.key[:0], said.Instructions)
	return bytes.Equal(s.key, key)
}

// hasCookieMasks reports whether a version can restrict flow-mods and readings by cookie.
func (f *codec) hasCookieMasks(v openflow.Version) bool {
	_, err := f.roundTrip(v, &openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, CookieMask: plan.ExactMask,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
	})
	return err == nil
}

// refusalText returns an error as the version's specification names it: "OFPET_FLOW_MOD_FAILED
// OFPFMFC_TABLE_FULL".
func refusalText(e *openflow.ErrorMsg, v openflow.Version) string {
	switch e.Code {
	case openflow.ErrorUnnamed:
		return fmt.Sprintf("error of type %d, code %d", e.Wire>>16, e.Wire&0xffff)
	case openflow.ErrorExperimenter:
		return fmt.Sprintf("error of experimenter 0x%x, type %d", e.Experimenter, e.ExpType)
	}
	typ, code := e.Code.Names(v)
	return typ + " " + code
}

// mayPass reports whether a refusal may be temporary: the table may get room, the port or group may
// appear, the right to write may return.
func mayPass(code openflow.ErrorCode) bool {
	switch code {
	case openflow.FlowModFailedTableFull, openflow.FlowModFailedEPerm, openflow.FlowModFailedUnknown,
		openflow.BadRequestEPerm, openflow.BadRequestIsSlave,
		openflow.BadActionBadOutPort, openflow.BadActionBadOutGroup,
		openflow.ErrorUnnamed, openflow.ErrorExperimenter:
		return true
	}
	return false
}

// mayConcernMeter reports whether the refusal of a rule with a meter may be due to the meter: the
// switch knows no such meter, or no meters at all.
func mayConcernMeter(code openflow.ErrorCode) bool {
	return code == openflow.BadInstructionUnknownInst || code == openflow.BadInstructionUnsupInst ||
		code>>16 == openflow.MeterModFailedUnknown>>16
}
