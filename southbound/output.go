package southbound

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/trace"
)

// queue is the one way into a session. What is written through it has transaction ids that rise in
// the order in which it leaves, whoever wrote it.
type queue struct {
	s      *session.Session
	v      openflow.Version
	master atomic.Bool // this instance may write to the switch

	mu      sync.Mutex // guards what follows, and what its outputs have sent
	buf     []byte     // appended, and not handed to the session yet
	outputs []*Output
}

// Output is one owner's way to a switch in one session. FlowMod and PacketOut collect what is
// appended, so that messages that belong together leave in one write, until Flush, Barrier or Send
// hands it to the session's queue; Send and SendFrames hand it over at once. Errors of the switch
// about what was written go to the owner.
type Output struct {
	q       *queue
	owner   string
	refused ErrorHandler // nil: errors are counted only
	app     int          // the owner's number; noApp: it is none
	contain *Containment // of the owner's application, for what it is answered; nil: none

	// q.mu guards these.
	sent    sentRanges
	rules   sentRules
	dropped bool // something collected was dropped since the last Barrier
}

// outputKeep is how large an empty buffer may stay, in bytes.
const outputKeep = 64 << 10

// outputMax is how much is collected before it is handed over without a Flush, in bytes.
const outputMax = 256 << 10

// outputSpare is how much of a session's queue FlowMod and PacketOut leave to Send and SendFrames, in
// bytes.
const outputSpare = 512 << 10

// newQueue makes the queue of a session to which this instance may not write yet.
func newQueue(s *session.Session) *queue { return &queue{s: s, v: s.Version()} }

// output makes an owner's output.
func (q *queue) output(owner string, refused ErrorHandler) *Output {
	o := &Output{q: q, owner: owner, refused: refused, app: noApp}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.outputs = append(q.outputs, o)
	return o
}

// FlowMod appends a flow-mod; session.ErrFull refuses this one, and nothing that was appended
// before; ErrNotMaster, here and below, all that was not handed over.
func (o *Output) FlowMod(m *openflow.FlowMod) error {
	o.q.mu.Lock()
	defer o.q.mu.Unlock()
	xid, err := o.append(m)
	if err == nil && m.Command == openflow.FlowAdd {
		o.rules.record(xid, m)
	}
	return err
}

// PacketOut appends a packet-out, or refuses it, as FlowMod does.
func (o *Output) PacketOut(m *openflow.PacketOut) error {
	o.q.mu.Lock()
	defer o.q.mu.Unlock()
	_, err := o.append(m)
	return err
}

// append appends a message, whose transaction id it returns, under the queue's lock.
func (o *Output) append(m openflow.Message) (xid uint32, err error) {
	q := o.q
	if err := q.refuses(); err != nil {
		return 0, err
	}
	xid = q.s.NextXID()
	b, err := openflow.Append(q.buf, q.v, xid, m)
	if err != nil {
		return 0, err
	}
	o.sent.add(xid, 1, 0, 0)
	trace.At(trace.Appended)
	q.appended(b)
	return xid, nil
}

// Send queues messages, behind what was appended: all or none. A Refusal of one has the number, and
// its index, which is that of the first for the first.
func (o *Output) Send(number uint64, index int, messages ...openflow.Message) error {
	q := o.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.hand(); err != nil {
		return err
	}
	first, err := q.s.Send(messages...)
	if err == nil {
		o.sent.add(first, uint32(len(messages)), number, uint32(index))
	}
	return err
}

// SendFrames is Send for count encoded messages, which get transaction ids of the session. The bytes
// are copied.
func (o *Output) SendFrames(number uint64, frames []byte, count int) error {
	q := o.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.hand(); err != nil {
		return err
	}
	first, err := q.s.SendFrames(frames, count)
	if err == nil {
		o.sent.add(first, uint32(count), number, 0)
	}
	return err
}

// Barrier asks for what was written before it to be confirmed.
func (o *Output) Barrier(done func(error)) error {
	if c := o.contain; c != nil {
		inner := done
		done = func(err error) { c.Do(func() { inner(err) }) }
	}
	q := o.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.hand(); err != nil {
		return err
	}
	if o.dropped {
		o.dropped = false
		return ErrNotMaster
	}
	last, ask := o.rules.due()
	if !ask {
		return q.s.Barrier(done)
	}
	err := q.s.Barrier(func(err error) {
		o.settled(last, err)
		done(err)
	})
	if err != nil {
		o.rules.asked = false
	}
	return err
}

// settled takes the end of a barrier behind the rules up to last.
func (o *Output) settled(last uint32, err error) {
	o.q.mu.Lock()
	defer o.q.mu.Unlock()
	o.rules.asked = false
	if err == nil {
		o.rules.confirmed(last)
	}
}

// Multipart asks the switch, as session.Session.Multipart does. What was appended stays where it is.
func (o *Output) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	if c := o.contain; c != nil {
		inner := answer
		answer = func(reply openflow.ReplyBody, err error) { c.Do(func() { inner(reply, err) }) }
	}
	return o.q.s.Multipart(body, answer)
}

// MultipartParts asks the switch, as session.Session.MultipartParts does.
func (o *Output) MultipartParts(body openflow.RequestBody, part func(v openflow.Version, body []byte) error,
	answer func(error)) error {
	if c := o.contain; c != nil {
		innerPart, inner := part, answer
		part = func(v openflow.Version, body []byte) (err error) {
			err = errPanicked
			c.Do(func() { err = innerPart(v, body) })
			return err
		}
		answer = func(err error) { c.Do(func() { inner(err) }) }
	}
	return o.q.s.MultipartParts(body, part, answer)
}

// Queue is how many bytes wait for the switch.
func (o *Output) Queue() int { return o.q.s.Queue() }

// Gather has what is handed over to the session's queue wait for Write, which writes what the switch takes at
// once, without waiting. Each call is followed by one of Write, by the same goroutine, soon.
func (o *Output) Gather() { o.q.s.Gather() }

// Write ends what Gather began.
func (o *Output) Write() { o.q.s.Write() }

// Flush hands over what was appended, whoever appended it.
func (o *Output) Flush() { o.q.flush() }

func (q *queue) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	_ = q.hand() // an ended session is told to applications by SwitchDown
}

// refuses says why a message is not taken: this instance may not write to the switch, or it would be too
// much for the session's queue; q.mu is held. What is left free is for those who fill the queue at
// the same time.
func (q *queue) refuses() error {
	switch {
	case !q.master.Load():
		return ErrNotMaster
	case q.s.Queue()+len(q.buf) > session.DefaultMaxQueue-outputSpare:
		return session.ErrFull
	}
	return nil
}

// appended keeps what was encoded; q.mu is held.
func (q *queue) appended(b []byte) {
	q.buf = b
	if len(b) > outputMax {
		_ = q.hand() // what does not fit now stays for the next try
	}
}

// hand gives the session what was gathered; q.mu is held. What does not fit stays, and is tried
// again with the next call; what is appended to a session that has ended is lost, as its barriers
// say; so is what this instance may not write any more.
func (q *queue) hand() error {
	if !q.master.Load() {
		if len(q.buf) > 0 {
			q.buf = nil
			for _, o := range q.outputs {
				o.dropped = true
			}
		}
		return ErrNotMaster
	}
	if len(q.buf) == 0 {
		return nil
	}
	err := q.s.SendBytes(q.buf)
	if errors.Is(err, session.ErrFull) {
		return err
	}
	if q.buf = q.buf[:0]; cap(q.buf) > outputKeep {
		q.buf = nil
	}
	return err
}

// refused finds whose message an error refuses, and fills in the rest of r; nil: nobody's.
func (q *queue) refused(r *Refusal) *Output {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range q.outputs {
		if r.Match, r.Cookie, r.Known = o.rules.find(r.XID); r.Known {
			r.Number, r.Index = 0, 0
			return o
		}
		var ok bool
		if r.Number, r.Index, ok = o.sent.find(r.XID); ok {
			return o
		}
	}
	return nil
}
