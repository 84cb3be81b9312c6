package flowsync

import (
	"errors"

	"github.com/weirnet/weir/openflow"
)

// ErrNoAnswer is the answer of a switch that refuses a multipart request, or leaves it unanswered though its session
// lives.
var ErrNoAnswer = errors.New("flowsync: the switch does not answer the question")

// Conn is flowsync's way to a switch in one session. No method blocks. Answers come on any goroutine,
// in the order of the wire: the errors of a batch are given to Loop.Refused, with the number of the
// batch and the index of the message, before the answer to the barrier that follows it.
type Conn interface {
	// Send queues messages of a batch, all or none. The first is that with the index, and so on.
	Send(batch uint64, index int, msgs ...openflow.Message) error
	// SendFrames queues count encoded messages, which are the whole batch, all or none. The bytes are
	// copied.
	SendFrames(batch uint64, frames []byte, count int) error
	// Gather has what is queued wait for Write, which writes as much as the switch takes at once, and leaves
	// the rest to another goroutine. Each Gather is followed by one Write.
	Gather()
	Write()
	// Barrier queues a barrier; answer is called once, when all before it is done, or with an
	// error. It is not called if Barrier itself returns one.
	Barrier(answer func(error)) error
	// Multipart queues a multipart request; answer is called once, with all parts merged, or with
	// an error: ErrNoAnswer, or that of the session's end. It is not called if Multipart itself returns one.
	Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error
	// MultipartParts is Multipart without merging: part gets the bytes of each reply's body, valid
	// during the call, on one goroutine with the answer after them. An error of part ends the
	// request with that error.
	MultipartParts(body openflow.RequestBody, part func(v openflow.Version, body []byte) error, answer func(error)) error
}

// send queues messages of a batch, the first of which has an index: all at once or, if they do not
// fit, one by one until one does not. It returns how many did.
func send(conn Conn, batch uint64, index int, messages []openflow.Message) int {
	if len(messages) == 0 || conn.Send(batch, index, messages...) == nil {
		return len(messages)
	}
	for i := range messages {
		if conn.Send(batch, index+i, messages[i:i+1]...) != nil {
			return i
		}
	}
	return len(messages)
}

// flowRequest returns the multipart request.
func (r *Request) flowRequest() *openflow.FlowRequest {
	return &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
		Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Cookie: r.Cookie, CookieMask: r.Mask,
	}}
}
