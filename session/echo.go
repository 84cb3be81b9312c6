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

func (c *Core) startEcho(now time.Time) {
	if c.cfg.EchoInterval > 0 {
		c.echo.next = now.Add(c.cfg.EchoInterval)
	}
}

// tickEcho sends the next request, or ends the connection to a peer that has been silent for too
// many.
func (c *Core) tickEcho(in Input, now time.Time) {
	e := &c.echo
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
	case e.misses >= c.cfg.EchoMisses:
		c.close(ErrDead)
		return
	case e.stalls >= c.cfg.EchoMisses:
		c.close(ErrStuck)
		return
	}
	e.misses++
	if in.Waiting {
		e.stalls++
	}
	e.sent, e.next, e.xid = now, now.Add(c.cfg.EchoInterval), c.NextXID()
	c.send(e.xid, &openflow.EchoRequest{})
}

// measure takes an echo reply and reports whether it was for our own request.
func (c *Core) measure(xid uint32, now time.Time) bool {
	e := &c.echo
	if xid == 0 || xid != e.xid {
		return false
	}
	e.xid = 0
	e.rtt = max(now.Sub(e.sent), 1)
	e.history.add(e.rtt)
	return true
}

// answerEcho sends the peer's echo request back as a reply with the same transaction id and data.
func (c *Core) answerEcho(frame []byte) {
	at := len(c.out)
	c.out = append(c.out, frame...)
	c.out[at+1] = uint8(openflow.TypeEchoReply)
}
