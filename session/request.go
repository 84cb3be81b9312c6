package session

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
)

// request is one message of ours that waits for its answer.
type request struct {
	xid       uint32
	want      openflow.Type // of the answer
	multipart bool
	deadline  time.Time
	whole     *openflow.MultipartReply // the parts so far
	parts     int
	bytes     int // of all parts
	answered  bool
	own       bool                                        // of the core: answered within the step
	part      func(v openflow.Version, body []byte) error // takes the parts, nil if they are merged
	answer    func(m openflow.Message, err error)
}

// requests are those of a session that wait, by transaction id and in the order in which they were
// sent. Each is answered once: by an event, or at once if the core itself asked.
type requests struct {
	cfg *Config
	out *outbox

	open     map[uint32]*request // nil while there are none
	order    []*request          // answered ones are dropped lazily
	deadline time.Time           // not later than that of any open request; zero if none is open
	holds    atomic.Int64        // bytes of incomplete answers, as Config.MaxHeld counts them; the reader looks without the lock
}

// keepRequests is the room for requests that a session keeps while none is open.
const keepRequests = 64

// answerType is the type of the answer to a message of type t. In the numbers of OpenFlow 1.3 it
// follows its request.
func answerType(t openflow.Type) (openflow.Type, bool) {
	switch t {
	case openflow.TypeEchoRequest, openflow.TypeFeaturesRequest, openflow.TypeGetConfigRequest,
		openflow.TypeMultipartRequest, openflow.TypeBarrierRequest, openflow.TypeQueueGetConfigRequest,
		openflow.TypeRoleRequest, openflow.TypeGetAsyncRequest:
		return t + 1, true
	case openflow.TypeExperimenter:
		return t, true
	}
	return 0, false
}

// enter enters a request that is about to be sent. The message must have an answer (else ErrNoReply) and
// not be one too many (else ErrFull).
func (q *requests) enter(xid uint32, t openflow.Type, now time.Time, answer func(openflow.Message, error)) error {
	want, ok := answerType(t)
	switch {
	case !ok:
		return ErrNoReply
	case len(q.open) >= MaxRequests:
		return ErrFull
	}
	q.add(&request{xid: xid, want: want, answer: answer}, now)
	return nil
}

func (q *requests) add(r *request, now time.Time) {
	r.multipart = r.want == openflow.TypeMultipartReply
	r.deadline = now.Add(q.cfg.RequestTimeout)
	if r.multipart {
		r.deadline = now.Add(q.cfg.MultipartTimeout)
	}
	if q.open == nil {
		q.open = make(map[uint32]*request)
	}
	q.open[r.xid] = r
	q.order = append(q.order, r)
	q.deadline = earlier(q.deadline, r.deadline)
}

// ask sends a request of the core itself, whose transaction id it returns; answer is called within a later step.
func (q *requests) ask(m openflow.Message, now time.Time, answer func(openflow.Message, error)) (xid uint32) {
	want, _ := answerType(m.Type())
	xid = q.out.nextXID()
	q.out.message(xid, m)
	q.add(&request{xid: xid, want: want, answer: answer, own: true}, now)
	return xid
}

// forget drops a request: it will not be answered.
func (q *requests) forget(xid uint32) {
	if r := q.find(xid); r != nil {
		q.remove(r)
		q.holds.Add(-heldFactor * int64(r.bytes))
	}
}

func (q *requests) find(xid uint32) *request { return q.open[xid] }

// remove takes a request out. Those at the front of the order that are answered go with it.
func (q *requests) remove(r *request) {
	r.answered = true
	delete(q.open, r.xid)
	n := 0
	for n < len(q.order) && q.order[n].answered {
		q.order[n] = nil
		n++
	}
	q.order = q.order[n:]
	if len(q.order) > 2*len(q.open)+keepRequests { // one that waits long does not hold up the memory of those after it
		q.order = slices.DeleteFunc(q.order, func(r *request) bool { return r.answered })
	}
	if len(q.open) > 0 {
		return
	}
	q.deadline = time.Time{}
	if cap(q.order) > keepRequests {
		q.open, q.order = nil, nil
	}
}

// end ends a request: its event is delivered after this step, or at once if the core itself asked.
func (q *requests) end(r *request, m openflow.Message, err error) {
	q.remove(r)
	if r.own { // the answer is held until the handshake is done
		r.answer(m, err)
		return
	}
	q.holds.Add(-heldFactor * int64(r.bytes))
	q.out.deliver(Event{Kind: EventAnswer, Message: m, answer: r.answer, err: err})
}

// expire answers the requests whose deadline has passed, in their order.
func (q *requests) expire(now time.Time) {
	if q.deadline.IsZero() || now.Before(q.deadline) {
		return
	}
	var next time.Time
	var late []*request
	for _, r := range q.order {
		switch {
		case r.answered:
		case now.Before(r.deadline):
			next = earlier(next, r.deadline)
		default:
			late = append(late, r)
		}
	}
	q.deadline = next
	for _, r := range late {
		q.end(r, nil, ErrTimeout)
	}
}

// fail answers all open requests, in their order.
func (q *requests) fail(err error) {
	for _, r := range slices.Clone(q.order) { // answering changes the order
		if !r.answered {
			q.end(r, nil, err)
		}
	}
}

// reply takes a message that may be the answer to a request, and its length, and reports whether it was.
func (q *requests) reply(h openflow.Header, m openflow.Message, length int) bool {
	r := q.find(h.XID)
	if r == nil || r.want != m.Type() {
		return false
	}
	if part, ok := m.(*openflow.MultipartReply); ok {
		q.addPart(r, part, length)
	} else {
		q.end(r, m, nil)
	}
	return true
}
