package session

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// echo finds out whether the peer is alive, and measures the round trip with one echo request each
// interval. A peer that sends anything is alive, unless it reads nothing of what is queued for it.
type echo struct {
	next    time.Time     // of the next request; zero if none are sent
	sent    time.Time     // of the last request
	xid     uint32        // of the last request, 0 if it is answered
	misses  int           // requests since anything was heard
	read    uint64        // bytes read when the last request was sent
	stalls  int           // intervals in a row in which the peer read nothing of what was queued
	written uint64        // bytes written when the last request was sent
	rtt     time.Duration // measured by the last answer; 0 before the first
	history roundTrips    // the last ones
}

// start begins with the first request after an interval; negative sends none.
func (e *echo) start(interval time.Duration, now time.Time) {
	if interval > 0 {
		e.next = now.Add(interval)
	}
}

// tick sends the next request, or ends the connection to a peer that has been silent for too many.
func (e *echo) tick(out *outbox, cfg *Config, in Input, now time.Time) {
	if e.next.IsZero() || now.Before(e.next) {
		return
	}
	if in.Read != e.read {
		e.misses, e.read = 0, in.Read
	}
	if !in.Waiting || in.Written != e.written {
		e.stalls, e.written = 0, in.Written
	}
	switch {
	case e.misses >= cfg.EchoMisses:
		out.close(ErrDead)
		return
	case e.stalls >= cfg.EchoMisses:
		out.close(ErrStuck)
		return
	}
	e.misses++
	if in.Waiting {
		e.stalls++
	}
	e.sent, e.next, e.xid = now, now.Add(cfg.EchoInterval), out.nextXID()
	out.message(e.xid, &openflow.EchoRequest{})
}

// measure takes an echo reply and reports whether it was for our own request.
func (e *echo) measure(xid uint32, now time.Time) bool {
	if xid == 0 || xid != e.xid {
		return false
	}
	e.xid = 0
	e.rtt = max(now.Sub(e.sent), 1)
	e.history.add(e.rtt)
	return true
}
