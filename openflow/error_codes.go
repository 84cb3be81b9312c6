package openflow

// ErrorCode is an error's type and code, the same for all versions: the type of OpenFlow 1.3 in the
// upper 16 bits, its code in the lower (enum ofp_error_type and the enum of codes of each type).
// OpenFlow 1.0 numbers some of them otherwise: see error_names.go. The two that only OpenFlow 1.0
// has are under numbers of ours.
type ErrorCode uint32

// Error codes with no name in a version.
const (
	// ErrorUnnamed is any pair of type and code that the version does not name; ErrorMsg.Wire then
	// holds it.
	ErrorUnnamed ErrorCode = 0xfffefffe
	// ErrorExperimenter is an experimenter's error, OFPET_EXPERIMENTER of OpenFlow 1.3.
	ErrorExperimenter ErrorCode = 0xffff0000
)

// Codes of OFPET_HELLO_FAILED.
const (
	HelloFailedIncompatible ErrorCode = 0<<16 + 0 // OFPHFC_INCOMPATIBLE
	HelloFailedEPerm        ErrorCode = 0<<16 + 1 // OFPHFC_EPERM
)

// Codes of OFPET_BAD_REQUEST.
const (
	BadRequestBadVersion              ErrorCode = 1<<16 + 0  // OFPBRC_BAD_VERSION
	BadRequestBadType                 ErrorCode = 1<<16 + 1  // OFPBRC_BAD_TYPE
	BadRequestBadMultipart            ErrorCode = 1<<16 + 2  // OFPBRC_BAD_MULTIPART
	BadRequestBadExperimenter         ErrorCode = 1<<16 + 3  // OFPBRC_BAD_EXPERIMENTER
	BadRequestBadExpType              ErrorCode = 1<<16 + 4  // OFPBRC_BAD_EXP_TYPE
	BadRequestEPerm                   ErrorCode = 1<<16 + 5  // OFPBRC_EPERM
	BadRequestBadLen                  ErrorCode = 1<<16 + 6  // OFPBRC_BAD_LEN
	BadRequestBufferEmpty             ErrorCode = 1<<16 + 7  // OFPBRC_BUFFER_EMPTY
	BadRequestBufferUnknown           ErrorCode = 1<<16 + 8  // OFPBRC_BUFFER_UNKNOWN
	BadRequestBadTableID              ErrorCode = 1<<16 + 9  // OFPBRC_BAD_TABLE_ID
	BadRequestIsSlave                 ErrorCode = 1<<16 + 10 // OFPBRC_IS_SLAVE
	BadRequestBadPort                 ErrorCode = 1<<16 + 11 // OFPBRC_BAD_PORT
	BadRequestBadPacket               ErrorCode = 1<<16 + 12 // OFPBRC_BAD_PACKET
	BadRequestMultipartBufferOverflow ErrorCode = 1<<16 + 13 // OFPBRC_MULTIPART_BUFFER_OVERFLOW
)

// Codes of OFPET_BAD_ACTION.
const (
	BadActionBadType           ErrorCode = 2<<16 + 0  // OFPBAC_BAD_TYPE
	BadActionBadLen            ErrorCode = 2<<16 + 1  // OFPBAC_BAD_LEN
	BadActionBadExperimenter   ErrorCode = 2<<16 + 2  // OFPBAC_BAD_EXPERIMENTER
	BadActionBadExpType        ErrorCode = 2<<16 + 3  // OFPBAC_BAD_EXP_TYPE
	BadActionBadOutPort        ErrorCode = 2<<16 + 4  // OFPBAC_BAD_OUT_PORT
	BadActionBadArgument       ErrorCode = 2<<16 + 5  // OFPBAC_BAD_ARGUMENT
	BadActionEPerm             ErrorCode = 2<<16 + 6  // OFPBAC_EPERM
	BadActionTooMany           ErrorCode = 2<<16 + 7  // OFPBAC_TOO_MANY
	BadActionBadQueue          ErrorCode = 2<<16 + 8  // OFPBAC_BAD_QUEUE
	BadActionBadOutGroup       ErrorCode = 2<<16 + 9  // OFPBAC_BAD_OUT_GROUP
	BadActionMatchInconsistent ErrorCode = 2<<16 + 10 // OFPBAC_MATCH_INCONSISTENT
	BadActionUnsupportedOrder  ErrorCode = 2<<16 + 11 // OFPBAC_UNSUPPORTED_ORDER
	BadActionBadTag            ErrorCode = 2<<16 + 12 // OFPBAC_BAD_TAG
	BadActionBadSetType        ErrorCode = 2<<16 + 13 // OFPBAC_BAD_SET_TYPE
	BadActionBadSetLen         ErrorCode = 2<<16 + 14 // OFPBAC_BAD_SET_LEN
	BadActionBadSetArgument    ErrorCode = 2<<16 + 15 // OFPBAC_BAD_SET_ARGUMENT
)

// Codes of OFPET_BAD_INSTRUCTION.
const (
	BadInstructionUnknownInst       ErrorCode = 3<<16 + 0 // OFPBIC_UNKNOWN_INST
	BadInstructionUnsupInst         ErrorCode = 3<<16 + 1 // OFPBIC_UNSUP_INST
	BadInstructionBadTableID        ErrorCode = 3<<16 + 2 // OFPBIC_BAD_TABLE_ID
	BadInstructionUnsupMetadata     ErrorCode = 3<<16 + 3 // OFPBIC_UNSUP_METADATA
	BadInstructionUnsupMetadataMask ErrorCode = 3<<16 + 4 // OFPBIC_UNSUP_METADATA_MASK
	BadInstructionBadExperimenter   ErrorCode = 3<<16 + 5 // OFPBIC_BAD_EXPERIMENTER
	BadInstructionBadExpType        ErrorCode = 3<<16 + 6 // OFPBIC_BAD_EXP_TYPE
	BadInstructionBadLen            ErrorCode = 3<<16 + 7 // OFPBIC_BAD_LEN
	BadInstructionEPerm             ErrorCode = 3<<16 + 8 // OFPBIC_EPERM
)

// Codes of OFPET_BAD_MATCH.
const (
	BadMatchBadType       ErrorCode = 4<<16 + 0  // OFPBMC_BAD_TYPE
	BadMatchBadLen        ErrorCode = 4<<16 + 1  // OFPBMC_BAD_LEN
	BadMatchBadTag        ErrorCode = 4<<16 + 2  // OFPBMC_BAD_TAG
	BadMatchBadDLAddrMask ErrorCode = 4<<16 + 3  // OFPBMC_BAD_DL_ADDR_MASK
	BadMatchBadNWAddrMask ErrorCode = 4<<16 + 4  // OFPBMC_BAD_NW_ADDR_MASK
	BadMatchBadWildcards  ErrorCode = 4<<16 + 5  // OFPBMC_BAD_WILDCARDS
	BadMatchBadField      ErrorCode = 4<<16 + 6  // OFPBMC_BAD_FIELD
	BadMatchBadValue      ErrorCode = 4<<16 + 7  // OFPBMC_BAD_VALUE
	BadMatchBadMask       ErrorCode = 4<<16 + 8  // OFPBMC_BAD_MASK
	BadMatchBadPrereq     ErrorCode = 4<<16 + 9  // OFPBMC_BAD_PREREQ
	BadMatchDupField      ErrorCode = 4<<16 + 10 // OFPBMC_DUP_FIELD
	BadMatchEPerm         ErrorCode = 4<<16 + 11 // OFPBMC_EPERM
)

// Codes of OFPET_FLOW_MOD_FAILED.
const (
	FlowModFailedUnknown         ErrorCode = 5<<16 + 0      // OFPFMFC_UNKNOWN
	FlowModFailedTableFull       ErrorCode = 5<<16 + 1      // OFPFMFC_TABLE_FULL
	FlowModFailedBadTableID      ErrorCode = 5<<16 + 2      // OFPFMFC_BAD_TABLE_ID
	FlowModFailedOverlap         ErrorCode = 5<<16 + 3      // OFPFMFC_OVERLAP
	FlowModFailedEPerm           ErrorCode = 5<<16 + 4      // OFPFMFC_EPERM
	FlowModFailedBadTimeout      ErrorCode = 5<<16 + 5      // OFPFMFC_BAD_TIMEOUT
	FlowModFailedBadCommand      ErrorCode = 5<<16 + 6      // OFPFMFC_BAD_COMMAND
	FlowModFailedBadFlags        ErrorCode = 5<<16 + 7      // OFPFMFC_BAD_FLAGS
	FlowModFailedBadEmergTimeout ErrorCode = 5<<16 + 0xff03 // OpenFlow 1.0: OFPFMFC_BAD_EMERG_TIMEOUT, (3, 3) on its wire
	FlowModFailedUnsupported     ErrorCode = 5<<16 + 0xff05 // OpenFlow 1.0: OFPFMFC_UNSUPPORTED, (3, 5) on its wire
)

// Codes of OFPET_GROUP_MOD_FAILED.
const (
	GroupModFailedGroupExists         ErrorCode = 6<<16 + 0  // OFPGMFC_GROUP_EXISTS
	GroupModFailedInvalidGroup        ErrorCode = 6<<16 + 1  // OFPGMFC_INVALID_GROUP
	GroupModFailedWeightUnsupported   ErrorCode = 6<<16 + 2  // OFPGMFC_WEIGHT_UNSUPPORTED
	GroupModFailedOutOfGroups         ErrorCode = 6<<16 + 3  // OFPGMFC_OUT_OF_GROUPS
	GroupModFailedOutOfBuckets        ErrorCode = 6<<16 + 4  // OFPGMFC_OUT_OF_BUCKETS
	GroupModFailedChainingUnsupported ErrorCode = 6<<16 + 5  // OFPGMFC_CHAINING_UNSUPPORTED
	GroupModFailedWatchUnsupported    ErrorCode = 6<<16 + 6  // OFPGMFC_WATCH_UNSUPPORTED
	GroupModFailedLoop                ErrorCode = 6<<16 + 7  // OFPGMFC_LOOP
	GroupModFailedUnknownGroup        ErrorCode = 6<<16 + 8  // OFPGMFC_UNKNOWN_GROUP
	GroupModFailedChainedGroup        ErrorCode = 6<<16 + 9  // OFPGMFC_CHAINED_GROUP
	GroupModFailedBadType             ErrorCode = 6<<16 + 10 // OFPGMFC_BAD_TYPE
	GroupModFailedBadCommand          ErrorCode = 6<<16 + 11 // OFPGMFC_BAD_COMMAND
	GroupModFailedBadBucket           ErrorCode = 6<<16 + 12 // OFPGMFC_BAD_BUCKET
	GroupModFailedBadWatch            ErrorCode = 6<<16 + 13 // OFPGMFC_BAD_WATCH
	GroupModFailedEPerm               ErrorCode = 6<<16 + 14 // OFPGMFC_EPERM
)

// Codes of OFPET_PORT_MOD_FAILED.
const (
	PortModFailedBadPort      ErrorCode = 7<<16 + 0 // OFPPMFC_BAD_PORT
	PortModFailedBadHWAddr    ErrorCode = 7<<16 + 1 // OFPPMFC_BAD_HW_ADDR
	PortModFailedBadConfig    ErrorCode = 7<<16 + 2 // OFPPMFC_BAD_CONFIG
	PortModFailedBadAdvertise ErrorCode = 7<<16 + 3 // OFPPMFC_BAD_ADVERTISE
	PortModFailedEPerm        ErrorCode = 7<<16 + 4 // OFPPMFC_EPERM
)

// Codes of OFPET_TABLE_MOD_FAILED.
const (
	TableModFailedBadTable  ErrorCode = 8<<16 + 0 // OFPTMFC_BAD_TABLE
	TableModFailedBadConfig ErrorCode = 8<<16 + 1 // OFPTMFC_BAD_CONFIG
	TableModFailedEPerm     ErrorCode = 8<<16 + 2 // OFPTMFC_EPERM
)

// Codes of OFPET_QUEUE_OP_FAILED.
const (
	QueueOpFailedBadPort  ErrorCode = 9<<16 + 0 // OFPQOFC_BAD_PORT
	QueueOpFailedBadQueue ErrorCode = 9<<16 + 1 // OFPQOFC_BAD_QUEUE
	QueueOpFailedEPerm    ErrorCode = 9<<16 + 2 // OFPQOFC_EPERM
)

// Codes of OFPET_SWITCH_CONFIG_FAILED.
const (
	SwitchConfigFailedBadFlags ErrorCode = 10<<16 + 0 // OFPSCFC_BAD_FLAGS
	SwitchConfigFailedBadLen   ErrorCode = 10<<16 + 1 // OFPSCFC_BAD_LEN
	SwitchConfigFailedEPerm    ErrorCode = 10<<16 + 2 // OFPSCFC_EPERM
)

// Codes of OFPET_ROLE_REQUEST_FAILED.
const (
	RoleRequestFailedStale   ErrorCode = 11<<16 + 0 // OFPRRFC_STALE
	RoleRequestFailedUnsup   ErrorCode = 11<<16 + 1 // OFPRRFC_UNSUP
	RoleRequestFailedBadRole ErrorCode = 11<<16 + 2 // OFPRRFC_BAD_ROLE
)

// Codes of OFPET_METER_MOD_FAILED.
const (
	MeterModFailedUnknown      ErrorCode = 12<<16 + 0  // OFPMMFC_UNKNOWN
	MeterModFailedMeterExists  ErrorCode = 12<<16 + 1  // OFPMMFC_METER_EXISTS
	MeterModFailedInvalidMeter ErrorCode = 12<<16 + 2  // OFPMMFC_INVALID_METER
	MeterModFailedUnknownMeter ErrorCode = 12<<16 + 3  // OFPMMFC_UNKNOWN_METER
	MeterModFailedBadCommand   ErrorCode = 12<<16 + 4  // OFPMMFC_BAD_COMMAND
	MeterModFailedBadFlags     ErrorCode = 12<<16 + 5  // OFPMMFC_BAD_FLAGS
	MeterModFailedBadRate      ErrorCode = 12<<16 + 6  // OFPMMFC_BAD_RATE
	MeterModFailedBadBurst     ErrorCode = 12<<16 + 7  // OFPMMFC_BAD_BURST
	MeterModFailedBadBand      ErrorCode = 12<<16 + 8  // OFPMMFC_BAD_BAND
	MeterModFailedBadBandValue ErrorCode = 12<<16 + 9  // OFPMMFC_BAD_BAND_VALUE
	MeterModFailedOutOfMeters  ErrorCode = 12<<16 + 10 // OFPMMFC_OUT_OF_METERS
	MeterModFailedOutOfBands   ErrorCode = 12<<16 + 11 // OFPMMFC_OUT_OF_BANDS
)

// Codes of OFPET_TABLE_FEATURES_FAILED.
const (
	TableFeaturesFailedBadTable    ErrorCode = 13<<16 + 0 // OFPTFFC_BAD_TABLE
	TableFeaturesFailedBadMetadata ErrorCode = 13<<16 + 1 // OFPTFFC_BAD_METADATA
	TableFeaturesFailedBadType     ErrorCode = 13<<16 + 2 // OFPTFFC_BAD_TYPE
	TableFeaturesFailedBadLen      ErrorCode = 13<<16 + 3 // OFPTFFC_BAD_LEN
	TableFeaturesFailedBadArgument ErrorCode = 13<<16 + 4 // OFPTFFC_BAD_ARGUMENT
	TableFeaturesFailedEPerm       ErrorCode = 13<<16 + 5 // OFPTFFC_EPERM
)
