package openflow

import "strconv"

// errorTypes are the names of the error types, indexed by their OpenFlow 1.3 number.
var errorTypes = [...]string{
	"OFPET_HELLO_FAILED", "OFPET_BAD_REQUEST", "OFPET_BAD_ACTION", "OFPET_BAD_INSTRUCTION", "OFPET_BAD_MATCH",
	"OFPET_FLOW_MOD_FAILED", "OFPET_GROUP_MOD_FAILED", "OFPET_PORT_MOD_FAILED", "OFPET_TABLE_MOD_FAILED",
	"OFPET_QUEUE_OP_FAILED", "OFPET_SWITCH_CONFIG_FAILED", "OFPET_ROLE_REQUEST_FAILED", "OFPET_METER_MOD_FAILED",
	"OFPET_TABLE_FEATURES_FAILED",
}

// errorNames13 are the codes of OpenFlow 1.3; on its wire they have the numbers that they have
// here.
var errorNames13 = [...]struct {
	code ErrorCode
	name string
}{
	// OFPET_HELLO_FAILED
	{HelloFailedIncompatible, "OFPHFC_INCOMPATIBLE"},
	{HelloFailedEPerm, "OFPHFC_EPERM"},
	// OFPET_BAD_REQUEST
	{BadRequestBadVersion, "OFPBRC_BAD_VERSION"},
	{BadRequestBadType, "OFPBRC_BAD_TYPE"},
	{BadRequestBadMultipart, "OFPBRC_BAD_MULTIPART"},
	{BadRequestBadExperimenter, "OFPBRC_BAD_EXPERIMENTER"},
	{BadRequestBadExpType, "OFPBRC_BAD_EXP_TYPE"},
	{BadRequestEPerm, "OFPBRC_EPERM"},
	{BadRequestBadLen, "OFPBRC_BAD_LEN"},
	{BadRequestBufferEmpty, "OFPBRC_BUFFER_EMPTY"},
	{BadRequestBufferUnknown, "OFPBRC_BUFFER_UNKNOWN"},
	{BadRequestBadTableID, "OFPBRC_BAD_TABLE_ID"},
	{BadRequestIsSlave, "OFPBRC_IS_SLAVE"},
	{BadRequestBadPort, "OFPBRC_BAD_PORT"},
	{BadRequestBadPacket, "OFPBRC_BAD_PACKET"},
	{BadRequestMultipartBufferOverflow, "OFPBRC_MULTIPART_BUFFER_OVERFLOW"},
	// OFPET_BAD_ACTION
	{BadActionBadType, "OFPBAC_BAD_TYPE"},
	{BadActionBadLen, "OFPBAC_BAD_LEN"},
	{BadActionBadExperimenter, "OFPBAC_BAD_EXPERIMENTER"},
	{BadActionBadExpType, "OFPBAC_BAD_EXP_TYPE"},
	{BadActionBadOutPort, "OFPBAC_BAD_OUT_PORT"},
	{BadActionBadArgument, "OFPBAC_BAD_ARGUMENT"},
	{BadActionEPerm, "OFPBAC_EPERM"},
	{BadActionTooMany, "OFPBAC_TOO_MANY"},
	{BadActionBadQueue, "OFPBAC_BAD_QUEUE"},
	{BadActionBadOutGroup, "OFPBAC_BAD_OUT_GROUP"},
	{BadActionMatchInconsistent, "OFPBAC_MATCH_INCONSISTENT"},
	{BadActionUnsupportedOrder, "OFPBAC_UNSUPPORTED_ORDER"},
	{BadActionBadTag, "OFPBAC_BAD_TAG"},
	{BadActionBadSetType, "OFPBAC_BAD_SET_TYPE"},
	{BadActionBadSetLen, "OFPBAC_BAD_SET_LEN"},
	{BadActionBadSetArgument, "OFPBAC_BAD_SET_ARGUMENT"},
	// OFPET_BAD_INSTRUCTION
	{BadInstructionUnknownInst, "OFPBIC_UNKNOWN_INST"},
	{BadInstructionUnsupInst, "OFPBIC_UNSUP_INST"},
	{BadInstructionBadTableID, "OFPBIC_BAD_TABLE_ID"},
	{BadInstructionUnsupMetadata, "OFPBIC_UNSUP_METADATA"},
	{BadInstructionUnsupMetadataMask, "OFPBIC_UNSUP_METADATA_MASK"},
	{BadInstructionBadExperimenter, "OFPBIC_BAD_EXPERIMENTER"},
	{BadInstructionBadExpType, "OFPBIC_BAD_EXP_TYPE"},
	{BadInstructionBadLen, "OFPBIC_BAD_LEN"},
	{BadInstructionEPerm, "OFPBIC_EPERM"},
	// OFPET_BAD_MATCH
	{BadMatchBadType, "OFPBMC_BAD_TYPE"},
	{BadMatchBadLen, "OFPBMC_BAD_LEN"},
	{BadMatchBadTag, "OFPBMC_BAD_TAG"},
	{BadMatchBadDLAddrMask, "OFPBMC_BAD_DL_ADDR_MASK"},
	{BadMatchBadNWAddrMask, "OFPBMC_BAD_NW_ADDR_MASK"},
	{BadMatchBadWildcards, "OFPBMC_BAD_WILDCARDS"},
	{BadMatchBadField, "OFPBMC_BAD_FIELD"},
	{BadMatchBadValue, "OFPBMC_BAD_VALUE"},
	{BadMatchBadMask, "OFPBMC_BAD_MASK"},
	{BadMatchBadPrereq, "OFPBMC_BAD_PREREQ"},
	{BadMatchDupField, "OFPBMC_DUP_FIELD"},
	{BadMatchEPerm, "OFPBMC_EPERM"},
	// OFPET_FLOW_MOD_FAILED
	{FlowModFailedUnknown, "OFPFMFC_UNKNOWN"},
	{FlowModFailedTableFull, "OFPFMFC_TABLE_FULL"},
	{FlowModFailedBadTableID, "OFPFMFC_BAD_TABLE_ID"},
	{FlowModFailedOverlap, "OFPFMFC_OVERLAP"},
	{FlowModFailedEPerm, "OFPFMFC_EPERM"},
	{FlowModFailedBadTimeout, "OFPFMFC_BAD_TIMEOUT"},
	{FlowModFailedBadCommand, "OFPFMFC_BAD_COMMAND"},
	{FlowModFailedBadFlags, "OFPFMFC_BAD_FLAGS"},
	// OFPET_GROUP_MOD_FAILED
	{GroupModFailedGroupExists, "OFPGMFC_GROUP_EXISTS"},
	{GroupModFailedInvalidGroup, "OFPGMFC_INVALID_GROUP"},
	{GroupModFailedWeightUnsupported, "OFPGMFC_WEIGHT_UNSUPPORTED"},
	{GroupModFailedOutOfGroups, "OFPGMFC_OUT_OF_GROUPS"},
	{GroupModFailedOutOfBuckets, "OFPGMFC_OUT_OF_BUCKETS"},
	{GroupModFailedChainingUnsupported, "OFPGMFC_CHAINING_UNSUPPORTED"},
	{GroupModFailedWatchUnsupported, "OFPGMFC_WATCH_UNSUPPORTED"},
	{GroupModFailedLoop, "OFPGMFC_LOOP"},
	{GroupModFailedUnknownGroup, "OFPGMFC_UNKNOWN_GROUP"},
	{GroupModFailedChainedGroup, "OFPGMFC_CHAINED_GROUP"},
	{GroupModFailedBadType, "OFPGMFC_BAD_TYPE"},
	{GroupModFailedBadCommand, "OFPGMFC_BAD_COMMAND"},
	{GroupModFailedBadBucket, "OFPGMFC_BAD_BUCKET"},
	{GroupModFailedBadWatch, "OFPGMFC_BAD_WATCH"},
	{GroupModFailedEPerm, "OFPGMFC_EPERM"},
	// OFPET_PORT_MOD_FAILED
	{PortModFailedBadPort, "OFPPMFC_BAD_PORT"},
	{PortModFailedBadHWAddr, "OFPPMFC_BAD_HW_ADDR"},
	{PortModFailedBadConfig, "OFPPMFC_BAD_CONFIG"},
	{PortModFailedBadAdvertise, "OFPPMFC_BAD_ADVERTISE"},
	{PortModFailedEPerm, "OFPPMFC_EPERM"},
	// OFPET_TABLE_MOD_FAILED
	{TableModFailedBadTable, "OFPTMFC_BAD_TABLE"},
	{TableModFailedBadConfig, "OFPTMFC_BAD_CONFIG"},
	{TableModFailedEPerm, "OFPTMFC_EPERM"},
	// OFPET_QUEUE_OP_FAILED
	{QueueOpFailedBadPort, "OFPQOFC_BAD_PORT"},
	{QueueOpFailedBadQueue, "OFPQOFC_BAD_QUEUE"},
	{QueueOpFailedEPerm, "OFPQOFC_EPERM"},
	// OFPET_SWITCH_CONFIG_FAILED
	{SwitchConfigFailedBadFlags, "OFPSCFC_BAD_FLAGS"},
	{SwitchConfigFailedBadLen, "OFPSCFC_BAD_LEN"},
	{SwitchConfigFailedEPerm, "OFPSCFC_EPERM"},
	// OFPET_ROLE_REQUEST_FAILED
	{RoleRequestFailedStale, "OFPRRFC_STALE"},
	{RoleRequestFailedUnsup, "OFPRRFC_UNSUP"},
	{RoleRequestFailedBadRole, "OFPRRFC_BAD_ROLE"},
	// OFPET_METER_MOD_FAILED
	{MeterModFailedUnknown, "OFPMMFC_UNKNOWN"},
	{MeterModFailedMeterExists, "OFPMMFC_METER_EXISTS"},
	{MeterModFailedInvalidMeter, "OFPMMFC_INVALID_METER"},
	{MeterModFailedUnknownMeter, "OFPMMFC_UNKNOWN_METER"},
	{MeterModFailedBadCommand, "OFPMMFC_BAD_COMMAND"},
	{MeterModFailedBadFlags, "OFPMMFC_BAD_FLAGS"},
	{MeterModFailedBadRate, "OFPMMFC_BAD_RATE"},
	{MeterModFailedBadBurst, "OFPMMFC_BAD_BURST"},
	{MeterModFailedBadBand, "OFPMMFC_BAD_BAND"},
	{MeterModFailedBadBandValue, "OFPMMFC_BAD_BAND_VALUE"},
	{MeterModFailedOutOfMeters, "OFPMMFC_OUT_OF_METERS"},
	{MeterModFailedOutOfBands, "OFPMMFC_OUT_OF_BANDS"},
	// OFPET_TABLE_FEATURES_FAILED
	{TableFeaturesFailedBadTable, "OFPTFFC_BAD_TABLE"},
	{TableFeaturesFailedBadMetadata, "OFPTFFC_BAD_METADATA"},
	{TableFeaturesFailedBadType, "OFPTFFC_BAD_TYPE"},
	{TableFeaturesFailedBadLen, "OFPTFFC_BAD_LEN"},
	{TableFeaturesFailedBadArgument, "OFPTFFC_BAD_ARGUMENT"},
	{TableFeaturesFailedEPerm, "OFPTFFC_EPERM"},
}

// errorNames10 are the codes of OpenFlow 1.0 with the type and code on its wire and the name in its
// specification.
var errorNames10 = [...]struct {
	code ErrorCode
	wire uint32
	name string
}{
	{HelloFailedIncompatible, 0<<16 + 0, "OFPHFC_INCOMPATIBLE"},
	{HelloFailedEPerm, 0<<16 + 1, "OFPHFC_EPERM"},
	{BadRequestBadVersion, 1<<16 + 0, "OFPBRC_BAD_VERSION"},
	{BadRequestBadType, 1<<16 + 1, "OFPBRC_BAD_TYPE"},
	{BadRequestBadMultipart, 1<<16 + 2, "OFPBRC_BAD_STAT"},
	{BadRequestBadExperimenter, 1<<16 + 3, "OFPBRC_BAD_VENDOR"},
	{BadRequestBadExpType, 1<<16 + 4, "OFPBRC_BAD_SUBTYPE"},
	{BadRequestEPerm, 1<<16 + 5, "OFPBRC_EPERM"},
	{BadRequestBadLen, 1<<16 + 6, "OFPBRC_BAD_LEN"},
	{BadRequestBufferEmpty, 1<<16 + 7, "OFPBRC_BUFFER_EMPTY"},
	{BadRequestBufferUnknown, 1<<16 + 8, "OFPBRC_BUFFER_UNKNOWN"},
	{BadActionBadType, 2<<16 + 0, "OFPBAC_BAD_TYPE"},
	{BadActionBadLen, 2<<16 + 1, "OFPBAC_BAD_LEN"},
	{BadActionBadExperimenter, 2<<16 + 2, "OFPBAC_BAD_VENDOR"},
	{BadActionBadExpType, 2<<16 + 3, "OFPBAC_BAD_VENDOR_TYPE"},
	{BadActionBadOutPort, 2<<16 + 4, "OFPBAC_BAD_OUT_PORT"},
	{BadActionBadArgument, 2<<16 + 5, "OFPBAC_BAD_ARGUMENT"},
	{BadActionEPerm, 2<<16 + 6, "OFPBAC_EPERM"},
	{BadActionTooMany, 2<<16 + 7, "OFPBAC_TOO_MANY"},
	{BadActionBadQueue, 2<<16 + 8, "OFPBAC_BAD_QUEUE"},
	{FlowModFailedTableFull, 3<<16 + 0, "OFPFMFC_ALL_TABLES_FULL"},
	{FlowModFailedOverlap, 3<<16 + 1, "OFPFMFC_OVERLAP"},
	{FlowModFailedEPerm, 3<<16 + 2, "OFPFMFC_EPERM"},
	{FlowModFailedBadEmergTimeout, 3<<16 + 3, "OFPFMFC_BAD_EMERG_TIMEOUT"},
	{FlowModFailedBadCommand, 3<<16 + 4, "OFPFMFC_BAD_COMMAND"},
	{FlowModFailedUnsupported, 3<<16 + 5, "OFPFMFC_UNSUPPORTED"},
	{PortModFailedBadPort, 4<<16 + 0, "OFPPMFC_BAD_PORT"},
	{PortModFailedBadHWAddr, 4<<16 + 1, "OFPPMFC_BAD_HW_ADDR"},
	{QueueOpFailedBadPort, 5<<16 + 0, "OFPQOFC_BAD_PORT"},
	{QueueOpFailedBadQueue, 5<<16 + 1, "OFPQOFC_BAD_QUEUE"},
	{QueueOpFailedEPerm, 5<<16 + 2, "OFPQOFC_EPERM"},
}

// errorCodeOf is the code that version v means by a type and code (type<<16 | code) on its wire, or
// ErrorUnnamed.
func errorCodeOf(v Version, wire uint32) ErrorCode {
	if v == V10 {
		for i := range errorNames10 {
			if errorNames10[i].wire == wire {
				return errorNames10[i].code
			}
		}
		return ErrorUnnamed
	}
	for i := range errorNames13 {
		if uint32(errorNames13[i].code) == wire {
			return errorNames13[i].code
		}
	}
	return ErrorUnnamed
}

// wireOf is the type and code (type<<16 | code) on the wire of version v; false if v has no such
// error.
func (c ErrorCode) wireOf(v Version) (uint32, bool) {
	if v == V10 {
		for i := range errorNames10 {
			if errorNames10[i].code == c {
				return errorNames10[i].wire, true
			}
		}
		return 0, false
	}
	for i := range errorNames13 {
		if errorNames13[i].code == c {
			return uint32(c), true
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
	typ = strconv.Itoa(int(c >> 16))
	if int(c>>16) < len(errorTypes) {
		typ = errorTypes[c>>16]
	}
	code = strconv.Itoa(int(c & 0xffff))
	for i := range errorNames13 {
		if errorNames13[i].code == c {
			code = errorNames13[i].name
		}
	}
	only10 := c == FlowModFailedBadEmergTimeout || c == FlowModFailedUnsupported
	if v != V10 && !only10 {
		return typ, code
	}
	for i := range errorNames10 {
		if errorNames10[i].code == c {
			code = errorNames10[i].name
		}
	}
	return typ, code
}

// String is the type and the code with the names of OpenFlow 1.3: "OFPET_BAD_REQUEST
// OFPBRC_BAD_LEN".
func (c ErrorCode) String() string {
	typ, code := c.Names(V13)
	return typ + " " + code
}
