package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// reasonOf is a refusal as the version's specification names it: "OFPET_FLOW_MOD_FAILED OFPFMFC_TABLE_FULL".
func reasonOf(e *openflow.ErrorMsg, v openflow.Version) string {
	switch e.Code {
	case openflow.ErrorUnnamed:
		return fmt.Sprintf("error of type %d, code %d", e.Wire>>16, e.Wire&0xffff)
	case openflow.ErrorExperimenter:
		return fmt.Sprintf("error of experimenter 0x%x, type %d", e.Experimenter, e.ExpType)
	}
	typ, code := e.Code.Names(v)
	return typ + " " + code
}

// passing says whether a refusal may pass without the rule changing: the table may get room, the port or group may come,
// the right to write may return.
func passing(code openflow.ErrorCode) bool {
	switch code {
	case openflow.FlowModFailedTableFull, openflow.FlowModFailedEPerm, openflow.FlowModFailedUnknown,
		openflow.BadRequestEPerm, openflow.BadRequestIsSlave,
		openflow.BadActionBadOutPort, openflow.BadActionBadOutGroup,
		openflow.ErrorUnnamed, openflow.ErrorExperimenter:
		return true
	}
	return false
}

// forMeter says whether a refusal of a rule with a meter may be about the meter: the switch knows no such meter, or no
// meters at all.
func forMeter(code openflow.ErrorCode) bool {
	return code == openflow.BadInstructionUnknownInst || code == openflow.BadInstructionUnsupInst ||
		code>>16 == openflow.MeterModFailedUnknown>>16
}
