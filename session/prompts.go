package session

import (
	"net"
	"sync/atomic"
	"time"
)

// prompts are what others want of the session's reader: each is left here first, then the reader is woken, which
// looks at all of them.
type prompts struct {
	conn           net.Conn
	closing        atomic.Pointer[error] // why the session is to end; the first reason counts
	admission      atomic.Pointer[Admission]
	checkDuplicate atomic.Bool // a duplicate check is to start
}

// pastDeadline as a read deadline has always passed.
var pastDeadline = time.Unix(1, 0)

// wake makes the reader return from its present or next read.
func (p *prompts) wake() { _ = p.conn.SetReadDeadline(pastDeadline) }

// close has the session end.
func (p *prompts) close(reason error) {
	p.closing.CompareAndSwap(nil, &reason)
	p.wake()
}

// ending is why the session is to end; nil: it is not.
func (p *prompts) ending() error {
	if reason := p.closing.Load(); reason != nil {
		return *reason
	}
	return nil
}

// admit gives the session its admission.
func (p *prompts) admit(v *Admission) {
	p.admission.Store(v)
	p.wake()
}

// check asks for a duplicate check.
func (p *prompts) check() {
	p.checkDuplicate.Store(true)
	p.wake()
}
