package intentpb

import _ "embed" // for File

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
