package intent

import (
	"slices"
	"time"

	"github.com/weirnet/weir/intent/claims"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// admission decides which requests are accepted, and the answers to those that are not. Its inputs
// are requests, what exists under their ids, the accepted contents and the hosts of the view; its
// output is an answer. It knows nothing of batches, journals, rules or readers.
type admission struct {
	limits  limits
	content func(number uint32) string // the accepted content of an intent that holds claims
	claims  *claims.Claims

	buf []byte // scratch: one content
}

func newAdmission(l limits, view *netview.View, content func(uint32) string) *admission {
	return &admission{limits: l, content: content, claims: claims.New(view, content)}
}

// limits are how many intents there may be, and how many requests may wait for the journal.
type limits struct{ intents, inFlight int }

// existing is the intent that exists under the id of a request. The zero value is none.
type existing struct {
	number   uint32
	content  string
	state    State
	outdated bool // the state belongs to the previous content
	revision uint64
}

func (was *existing) etag() string { return etagOf(was.content) }

// matches reports whether the intent is the one that a request wants to change.
func (was *existing) matches(r *Request) bool {
	return r.IfMatch == "" || r.IfMatch == "*" || r.IfMatch == was.etag()
}

// overload returns why a batch is rejected as a whole, nil if it is not: inFlight is how many
// requests wait for the journal, intents how many intents there are.
func (adm *admission) overload(reqs []Request, inFlight, intents int) error {
	switch {
	case inFlight > 0 && inFlight+len(reqs) > adm.limits.inFlight:
		return &Overload{"requests that wait for the store", time.Second}
	case intents+len(reqs) > adm.limits.intents &&
		slices.ContainsFunc(reqs, func(r Request) bool { return r.Op != Withdraw }):
		return &Overload{"as many intents as the instance may hold", time.Minute}
	}
	return nil
}

// judge returns the answer to a request. s is the spec of a Create or Replace with its id, which is
// put in order unless it is checked. An accepted request has no effect before its claims are held, or released.
func (adm *admission) judge(r *Request, s *spec.Spec, was existing) Answer {
	if r.Op == Withdraw {
		return judgeWithdrawal(r, &was)
	}
	if !r.Checked {
		if err := s.Check(); err != nil {
			return Answer{ID: s.ID, Status: Invalid, Text: err.Error(), Err: err}
		}
	}
	if was.number == 0 && r.IfMatch != "" {
		return Answer{ID: s.ID, Status: Mismatched, Text: "there is no intent " + s.ID}
	}
	if was.number != 0 {
		if a := adm.judgeExisting(r, s, &was); a.Status != Accepted {
			return a
		}
	}
	if other := adm.claims.Other(s, was.number); other != 0 {
		return Answer{ID: s.ID, Status: Conflict,
			Text: "intent " + idOf(adm.content(other)) + " has the same packets in the same priority from the same place" +
				": give this one another priority, or withdraw that one"}
	}
	return Answer{Status: Accepted, State: Submitted} // was.state may belong to the previous content
}

// judgeExisting judges a Create or Replace by what exists under its id.
func (adm *admission) judgeExisting(r *Request, s *spec.Spec, was *existing) Answer {
	a := Answer{ID: s.ID, Number: was.number, State: was.state, ETag: was.etag(), Revision: was.revision}
	if was.outdated && was.state != Withdrawing {
		a.State = Submitted
	}
	adm.buf = s.Append(adm.buf[:0])
	switch {
	case was.state == Withdrawing:
		a.Status, a.Text = Conflict, "intent "+s.ID+" is being withdrawn: its id is free when its rules are gone"
	case !was.matches(r):
		a.Status, a.Text = Mismatched, "intent "+s.ID+" has another content now"
	case spec.SameForm(was.content, adm.buf):
		a.Status = Existing
	case r.Op == Create:
		a.Status, a.Text = Conflict, "intent "+s.ID+" has another content: replace it, or take another id"
	default:
		a.Status = Accepted
	}
	return a
}

func judgeWithdrawal(r *Request, was *existing) Answer {
	if was.number == 0 {
		return Answer{ID: r.ID, Status: NotFound}
	}
	a := Answer{ID: r.ID, Number: was.number, State: was.state, ETag: was.etag(), Revision: was.revision}
	switch {
	case was.state == Withdrawing:
		a.Status = Existing
	case !was.matches(r):
		a.Status, a.Text = Mismatched, "intent "+r.ID+" has another content now"
	default:
		a.Status, a.State = Accepted, Withdrawing
	}
	return a
}
