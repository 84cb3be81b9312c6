package stamp

import (
	"errors"
	"time"
)

// Session is what a sender has sent, and what came of it. Nothing is believed that does not fit
// what was sent.
type Session struct {
	ID uint16 // of its requests; not 0

	asked  []asked // by number
	unsent bool    // a request could not be sent: the kernel may number those after it differently
	bad    Bad
}

// asked is a request, and its reply if there was one.
type asked struct {
	request  Request
	left     time.Time // by the kernel; zero: it has not said
	answered bool
	reply    Reply
	came     time.Time
}

// Bad are replies that count for nothing.
type Bad struct {
	Short      int // no STAMP
	Foreign    int // of another session
	Unasked    int // to what was not sent
	Replayed   int // that came again
	Impossible int // by which the reflector took less than no time, or more than the round trip
}

// Sum is how many there are.
func (b Bad) Sum() int { return b.Short + b.Foreign + b.Unasked + b.Replayed + b.Impossible }

// Next is the next request, with the sender's time and what its clock is worth.
func (s *Session) Next(at time.Time, own Accuracy) Request {
	r := Request{Seq: uint32(len(s.asked)), Sent: at, Accuracy: own, Session: s.ID}
	s.asked = append(s.asked, asked{request: r})
	return r
}

// Unsent takes note that a request could not be sent. Whether the kernel has counted it depends on
// why, and on the kernel.
func (s *Session) Unsent() { s.unsent = true }

// Left takes note of when a request left, by its number at the kernel. A time that does not fit the
// request of that number is another's: from before it was made, or, after one that could not be sent,
// from after the next one was.
func (s *Session) Left(seq uint32, at time.Time) {
	if int64(seq) >= int64(len(s.asked)) || !s.asked[seq].left.IsZero() || at.Before(s.asked[seq].request.Sent) {
		return
	}
	if next := int64(seq) + 1; s.unsent && next < int64(len(s.asked)) && !at.Before(s.asked[next].request.Sent) {
		return
	}
	s.asked[seq].left = at
}

// Came takes a datagram that came.
func (s *Session) Came(b []byte, at time.Time) {
	r, err := ParseReply(b)
	switch {
	case errors.Is(err, ErrShort):
		s.bad.Short++
	case r.Session != s.ID && r.Session != 0: // 0: a reflector that knows no sessions
		s.bad.Foreign++
	case int64(r.Request.Seq) >= int64(len(s.asked)) || !r.Request.Sent.Equal(s.asked[r.Request.Seq].request.Sent):
		s.bad.Unasked++
	case s.asked[r.Request.Seq].answered:
		s.bad.Replayed++
	default:
		e := &s.asked[r.Request.Seq]
		e.answered, e.reply, e.came = true, r, at
	}
}

// Answered is how many requests were.
func (s *Session) Answered() (n int) {
	for i := range s.asked {
		if s.asked[i].answered {
			n++
		}
	}
	return n
}

// Outcome is what came of a session.
type Outcome struct {
	Samples []Sample // in the order of their requests
	Sent    int
	Lost    int // requests without an answer, wherever it was lost
	// Unstamped are samples of which the kernel did not say when the request left: it is when the
	// sender had begun to send it.
	Unstamped int
	Bad       Bad
}

// Outcome sums the session up. Requests whose answer is impossible are neither samples nor lost.
func (s *Session) Outcome() Outcome {
	o := Outcome{Sent: len(s.asked), Bad: s.bad}
	for i := range s.asked {
		e := &s.asked[i]
		if !e.answered {
			o.Lost++
			continue
		}
		left := e.left
		if left.IsZero() {
			left = e.request.Sent
		}
		sample := e.reply.Sample(left, e.came)
		if sample.Residence < 0 || sample.Path < 0 {
			o.Bad.Impossible++
			continue
		}
		if e.left.IsZero() {
			o.Unstamped++
		}
		o.Samples = append(o.Samples, sample)
	}
	return o
}
