package session

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// echo finds out whether the peer lives, and how far away it is. A peer that sends anything lives, unless it takes
// nothing of what waits for it; each interval one echo request goes out to measure the round trip.
type echo struct {
	next   time.Time     // of the next request; zero if none are sent
	sent   time.Time     // of the last request
	xid    uint32        // of the last request, 0 if it is answered
	misses int           // requests since anything was heard
	read   uint64        // bytes read when the last request was sent
	stalls int           // intervals in a row in which the peer took nothing of what waited
	taken  uint64        // bytes the peer had taken when the last request was sent
	trip   time.Duration // measured by the last answer; 0 before the first
	past   trips         // the last ones
}

func (c *Core) startEcho(now time.Time) {
	if c.cfg.EchoInterval > 0 {
		c.echo.next = now.Add(c.cfg.EchoInterval)
	}
}

// tickEcho sends the next request, or ends the connection to a peer that has been silent for too many.
func (c *Core) tickEcho(in Input, now time.Time) {
	e := &c.echo
	if e.next.IsZero() || now.Before(e.next) {
		return
	}
	if in.Read != e.read {
		e.misses, e.read = 0, in.Read
	}
	if !in.Waiting || in.Written != e.taken {
		e.stalls, e.taken = 0, in.Written
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

// measure takes an echo reply and says whether it was for our own request.
func (c *Core) measure(xid uint32, now time.Time) bool {
	e := &c.echo
	if xid == 0 || xid != e.xid {
		return false
	}
	e.xid = 0
	e.trip = max(now.Sub(e.sent), 1)
	e.past.add(e.trip)
	return true
}

// answerEcho sends the peer's echo request back as a reply with the same transaction id and data.
func (c *Core) answerEcho(frame []byte) {
	at := len(c.out)
	c.out = append(c.out, frame...)
	c.out[at+1] = uint8(openflow.TypeEchoReply)
}
