package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

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
