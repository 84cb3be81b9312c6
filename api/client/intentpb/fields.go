package intentpb

import (
	_ "embed" // for File
	"slices"
)

// File is intents.proto.
//
//go:embed intents.proto
var File string

// ContentType is what a stream of these messages is called. ContentTypeAlso is taken too.
const (
	ContentType     = "application/x-protobuf"
	ContentTypeAlso = "application/protobuf"
)

// Fields of Point, Host, Hop and Field.
const (
	PointDPID  = 1
	PointPort  = 2
	HostMAC    = 1
	HostVLAN   = 2
	HopDPID    = 1
	HopIn      = 2
	HopOut     = 3
	FieldName  = 1
	FieldValue = 2
)

// Fields of IntentRequest.
const (
	RequestOp          = 1
	RequestID          = 2
	RequestKind        = 3
	RequestPriority    = 4
	RequestSrc         = 5
	RequestDst         = 6
	RequestSrcHost     = 7
	RequestDstHost     = 8
	RequestHops        = 9
	RequestSelector    = 10
	RequestSelectorOXM = 11
	RequestIfMatch     = 12
	RequestKey         = 13
	RequestWide        = 14
)

// Values of Op.
const (
	OpCreate   = 0
	OpPut      = 1
	OpWithdraw = 2
)

// Fields of IntentAnswer.
const (
	AnswerIndex    = 1
	AnswerID       = 2
	AnswerStatus   = 3
	AnswerState    = 4
	AnswerDetail   = 5
	AnswerETag     = 6
	AnswerRevision = 7
)

// StatusNames are the values of Status as JSON writes them, by number.
var StatusNames = []string{"", "accepted", "existing", "not-found", "conflict", "invalid", "mismatched", "abandoned", "failed"}

// StatusFailed is the status of a request of which the store failed.
const StatusFailed = 8

// StateNames are the values of State as JSON writes them, by number.
var StateNames = []string{"", "submitted", "waiting", "installing", "installed", "rerouting", "degraded", "failed", "withdrawing"}

// KindNames are the values of Kind as JSON writes them, by number.
var KindNames = []string{"", "host-to-host", "point-to-point", "multipoint-to-point", "point-to-multipoint", "path"}

// NumberOf is the place of a name in one of the lists; false if it is not there.
func NumberOf(names []string, name string) (uint64, bool) {
	i := max(slices.Index(names, name), 0)
	return uint64(i), i > 0
}
