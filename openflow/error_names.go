package openflow

import (
	"slices"
	"strconv"
)

// errorNames are the names of the error types and of their codes, indexed by their numbers in
// OpenFlow 1.3.
var errorNames = [...]struct {
	name  string
	codes []string
}{
	{"OFPET_HELLO_FAILED", []string{"OFPHFC_INCOMPATIBLE", "OFPHFC_EPERM"}},
	{"OFPET_BAD_REQUEST", []string{
		"OFPBRC_BAD_VERSION", "OFPBRC_BAD_TYPE", "OFPBRC_BAD_MULTIPART", "OFPBRC_BAD_EXPERIMENTER",
		"OFPBRC_BAD_EXP_TYPE", "OFPBRC_EPERM", "OFPBRC_BAD_LEN", "OFPBRC_BUFFER_EMPTY", "OFPBRC_BUFFER_UNKNOWN",
		"OFPBRC_BAD_TABLE_ID", "OFPBRC_IS_SLAVE", "OFPBRC_BAD_PORT", "OFPBRC_BAD_PACKET",
		"OFPBRC_MULTIPART_BUFFER_OVERFLOW",
	}},
	{"OFPET_BAD_ACTION", []string{
		"OFPBAC_BAD_TYPE", "OFPBAC_BAD_LEN", "OFPBAC_BAD_EXPERIMENTER", "OFPBAC_BAD_EXP_TYPE", "OFPBAC_BAD_OUT_PORT",
		"OFPBAC_BAD_ARGUMENT", "OFPBAC_EPERM", "OFPBAC_TOO_MANY", "OFPBAC_BAD_QUEUE", "OFPBAC_BAD_OUT_GROUP",
		"OFPBAC_MATCH_INCONSISTENT", "OFPBAC_UNSUPPORTED_ORDER", "OFPBAC_BAD_TAG", "OFPBAC_BAD_SET_TYPE",
		"OFPBAC_BAD_SET_LEN", "OFPBAC_BAD_SET_ARGUMENT",
	}},
	{"OFPET_BAD_INSTRUCTION", []string{
		"OFPBIC_UNKNOWN_INST", "OFPBIC_UNSUP_INST", "OFPBIC_BAD_TABLE_ID", "OFPBIC_UNSUP_METADATA",
		"OFPBIC_UNSUP_METADATA_MASK", "OFPBIC_BAD_EXPERIMENTER", "OFPBIC_BAD_EXP_TYPE", "OFPBIC_BAD_LEN",
		"OFPBIC_EPERM",
	}},
	{"OFPET_BAD_MATCH", []string{
		"OFPBMC_BAD_TYPE", "OFPBMC_BAD_LEN", "OFPBMC_BAD_TAG", "OFPBMC_BAD_DL_ADDR_MASK", "OFPBMC_BAD_NW_ADDR_MASK",
		"OFPBMC_BAD_WILDCARDS", "OFPBMC_BAD_FIELD", "OFPBMC_BAD_VALUE", "OFPBMC_BAD_MASK", "OFPBMC_BAD_PREREQ",
		"OFPBMC_DUP_FIELD", "OFPBMC_EPERM",
	}},
	{"OFPET_FLOW_MOD_FAILED", []string{
		"OFPFMFC_UNKNOWN", "OFPFMFC_TABLE_FULL", "OFPFMFC_BAD_TABLE_ID", "OFPFMFC_OVERLAP", "OFPFMFC_EPERM",
		"OFPFMFC_BAD_TIMEOUT", "OFPFMFC_BAD_COMMAND", "OFPFMFC_BAD_FLAGS",
	}},
	{"OFPET_GROUP_MOD_FAILED", []string{
		"OFPGMFC_GROUP_EXISTS", "OFPGMFC_INVALID_GROUP", "OFPGMFC_WEIGHT_UNSUPPORTED", "OFPGMFC_OUT_OF_GROUPS",
		"OFPGMFC_OUT_OF_BUCKETS", "OFPGMFC_CHAINING_UNSUPPORTED", "OFPGMFC_WATCH_UNSUPPORTED", "OFPGMFC_LOOP",
		"OFPGMFC_UNKNOWN_GROUP", "OFPGMFC_CHAINED_GROUP", "OFPGMFC_BAD_TYPE", "OFPGMFC_BAD_COMMAND",
		"OFPGMFC_BAD_BUCKET", "OFPGMFC_BAD_WATCH", "OFPGMFC_EPERM",
	}},
	{"OFPET_PORT_MOD_FAILED", []string{
		"OFPPMFC_BAD_PORT", "OFPPMFC_BAD_HW_ADDR", "OFPPMFC_BAD_CONFIG", "OFPPMFC_BAD_ADVERTISE", "OFPPMFC_EPERM",
	}},
	{"OFPET_TABLE_MOD_FAILED", []string{"OFPTMFC_BAD_TABLE", "OFPTMFC_BAD_CONFIG", "OFPTMFC_EPERM"}},
	{"OFPET_QUEUE_OP_FAILED", []string{"OFPQOFC_BAD_PORT", "OFPQOFC_BAD_QUEUE", "OFPQOFC_EPERM"}},
	{"OFPET_SWITCH_CONFIG_FAILED", []string{"OFPSCFC_BAD_FLAGS", "OFPSCFC_BAD_LEN", "OFPSCFC_EPERM"}},
	{"OFPET_ROLE_REQUEST_FAILED", []string{"OFPRRFC_STALE", "OFPRRFC_UNSUP", "OFPRRFC_BAD_ROLE"}},
	{"OFPET_METER_MOD_FAILED", []string{
		"OFPMMFC_UNKNOWN", "OFPMMFC_METER_EXISTS", "OFPMMFC_INVALID_METER", "OFPMMFC_UNKNOWN_METER",
		"OFPMMFC_BAD_COMMAND", "OFPMMFC_BAD_FLAGS", "OFPMMFC_BAD_RATE", "OFPMMFC_BAD_BURST", "OFPMMFC_BAD_BAND",
		"OFPMMFC_BAD_BAND_VALUE", "OFPMMFC_OUT_OF_METERS", "OFPMMFC_OUT_OF_BANDS",
	}},
	{"OFPET_TABLE_FEATURES_FAILED", []string{
		"OFPTFFC_BAD_TABLE", "OFPTFFC_BAD_METADATA", "OFPTFFC_BAD_TYPE", "OFPTFFC_BAD_LEN", "OFPTFFC_BAD_ARGUMENT",
		"OFPTFFC_EPERM",
	}},
}

// codes10 are the codes of OpenFlow 1.0, indexed by the type and the code on its wire.
var codes10 = [...][]ErrorCode{
	{HelloFailedIncompatible, HelloFailedEPerm},
	{
		BadRequestBadVersion, BadRequestBadType, BadRequestBadMultipart, BadRequestBadExperimenter,
		BadRequestBadExpType, BadRequestEPerm, BadRequestBadLen, BadRequestBufferEmpty, BadRequestBufferUnknown,
	},
	{
		BadActionBadType, BadActionBadLen, BadActionBadExperimenter, BadActionBadExpType, BadActionBadOutPort,
		BadActionBadArgument, BadActionEPerm, BadActionTooMany, BadActionBadQueue,
	},
	{
		FlowModFailedTableFull, FlowModFailedOverlap, FlowModFailedEPerm, FlowModFailedBadEmergTimeout,
		FlowModFailedBadCommand, FlowModFailedUnsupported,
	},
	{PortModFailedBadPort, PortModFailedBadHWAddr},
	{QueueOpFailedBadPort, QueueOpFailedBadQueue, QueueOpFailedEPerm},
}

// errorNames10 are the names of codes that OpenFlow 1.0 alone has, or names otherwise than 1.3.
var errorNames10 = map[ErrorCode]string{
	BadRequestBadMultipart:       "OFPBRC_BAD_STAT",
	BadRequestBadExperimenter:    "OFPBRC_BAD_VENDOR",
	BadRequestBadExpType:         "OFPBRC_BAD_SUBTYPE",
	BadActionBadExperimenter:     "OFPBAC_BAD_VENDOR",
	BadActionBadExpType:          "OFPBAC_BAD_VENDOR_TYPE",
	FlowModFailedTableFull:       "OFPFMFC_ALL_TABLES_FULL",
	FlowModFailedBadEmergTimeout: "OFPFMFC_BAD_EMERG_TIMEOUT",
	FlowModFailedUnsupported:     "OFPFMFC_UNSUPPORTED",
}

// name is the name of the code in OpenFlow 1.3; empty if it has none.
func (c ErrorCode) name() string {
	t, n := int(c>>16), int(c&0xffff)
	if t < len(errorNames) && n < len(errorNames[t].codes) {
		return errorNames[t].codes[n]
	}
	return ""
}

// errorCodeOf is the code that version v means by a type and code (type<<16 | code) on its wire, or
// ErrorUnnamed.
func errorCodeOf(v Version, wire uint32) ErrorCode {
	t, n := int(wire>>16), int(wire&0xffff)
	switch {
	case v == V10 && t < len(codes10) && n < len(codes10[t]):
		return codes10[t][n]
	case v != V10 && ErrorCode(wire).name() != "":
		return ErrorCode(wire)
	}
	return ErrorUnnamed
}

// wireOf is the type and code (type<<16 | code) on the wire of version v; false if v has no such
// error.
func (c ErrorCode) wireOf(v Version) (uint32, bool) {
	if v != V10 {
		return uint32(c), c.name() != ""
	}
	for t, codes := range codes10 {
		if n := slices.Index(codes, c); n >= 0 {
			return uint32(t<<16 + n), true
		}
	}
	return 0, false
}

// Names are the names of the type and of the code as the specification of version v spells them,
// "OFPET_BAD_REQUEST" and "OFPBRC_BAD_LEN"; those of the other version where v has no such error,
// and numbers where neither has.
func (c ErrorCode) Names(v Version) (typ, code string) {
	if c == ErrorExperimenter {
		return "OFPET_EXPERIMENTER", "0"
	}
	typ, code = strconv.Itoa(int(c>>16)), c.name()
	if int(c>>16) < len(errorNames) {
		typ = errorNames[c>>16].name
	}
	if name10, ok := errorNames10[c]; ok && (v == V10 || code == "") {
		code = name10
	}
	if code == "" {
		code = strconv.Itoa(int(c & 0xffff))
	}
	return typ, code
}

// String is the type and the code with the names of OpenFlow 1.3: "OFPET_BAD_REQUEST
// OFPBRC_BAD_LEN".
func (c ErrorCode) String() string {
	typ, code := c.Names(V13)
	return typ + " " + code
}
