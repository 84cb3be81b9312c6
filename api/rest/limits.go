package rest

import (
	"reflect"
	"time"
)

// Limits bound what requests can cost. A zero field means its default.
type Limits struct {
	BodyBytes         int64         // of a request's body
	IntentBytes       int64         // of a body with intents, in JSON
	BatchItems        int           // of one body with intents, or ids of some
	IntentStreams     int           // streams of requests about intents at a time
	StreamIdle        time.Duration // how long such a stream may be silent
	IntentWait        time.Duration // how long ?wait= may wait
	StoreAnswer       time.Duration // how long a request waits for the store, and a change for the audit log
	HeaderBytes       int           // of a request's header
	Connections       int           // open at a time
	SourceConnections int           // of them, from one source, that have shown no valid token
	Watchers          int           // event streams at a time
	TokenStreams      int           // of them, of one token
	FeedBytes         int           // of events that are kept for event streams that are behind
	PageRows          int           // most rows of one page
	KeptLists         int           // lists kept for paging
	KeptRows          int           // rows of all lists kept
	KeepFor           time.Duration // how long a list is kept for paging
	AtLeastWait       time.Duration // how long ?at_least= waits
	AskWait           time.Duration // how long a switch may take to answer
	ReadHeader        time.Duration // from the first byte of a request to the end of its header
	Read              time.Duration // of a whole request
	Write             time.Duration // of a whole answer; of an event stream, of one write
	Idle              time.Duration // of a connection between two requests
	KeepAlive         time.Duration // between two comments on a silent event stream
	ShutdownWait      time.Duration // for requests under way when Serve ends
}

// DefaultLimits are the limits of an instance whose configuration sets none.
var DefaultLimits = Limits{
	BodyBytes:         1 << 20,
	IntentBytes:       16 << 20,
	BatchItems:        100_000,
	IntentStreams:     256,
	StreamIdle:        10 * time.Minute,
	IntentWait:        50 * time.Second,
	StoreAnswer:       5 * time.Second,
	HeaderBytes:       32 << 10,
	Connections:       4096,
	SourceConnections: 1024,
	Watchers:          2048,
	TokenStreams:      1024,
	FeedBytes:         16 << 20,
	PageRows:          100_000,
	KeptLists:         64,
	KeptRows:          4 << 20,
	KeepFor:           60 * time.Second,
	AtLeastWait:       5 * time.Second,
	AskWait:           5 * time.Second,
	ReadHeader:        5 * time.Second,
	Read:              30 * time.Second,
	Write:             60 * time.Second,
	Idle:              120 * time.Second,
	KeepAlive:         15 * time.Second,
	ShutdownWait:      time.Second,
}

// orDefaults fills the zero fields.
func (l Limits) orDefaults() Limits {
	fields, defaults := reflect.ValueOf(&l).Elem(), reflect.ValueOf(DefaultLimits)
	for i := range fields.NumField() {
		if f := fields.Field(i); f.IsZero() {
			f.Set(defaults.Field(i))
		}
	}
	return l
}
