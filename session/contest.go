package session

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// contest is a challenge to the peer to show that it lives, because another connection wants its datapath id. It lives
// if it answers the echo request of the challenge, or if anything else comes in the second half of the time: what comes
// in the first may have lain in our own socket since before. After the time there is one more look, since the reader may
// have been held up.
type contest struct {
	xid  uint32    // of the echo request
	next time.Time // when to look; zero if there is no challenge
	look int       // looks taken
	read uint64    // bytes read at the first look
}

// challenge begins a contest, unless one is going on.
func (c *Core) challenge(now time.Time) {
	if !c.contest.next.IsZero() || c.state < stateAdmit {
		return
	}
	c.contest = contest{xid: c.NextXID(), next: now.Add(ChallengeTimeout / 2)}
	c.send(c.contest.xid, &openflow.EchoRequest{})
}

// meet takes an echo reply and says whether it was for the challenge.
func (c *Core) meet(xid uint32) bool {
	if c.contest.next.IsZero() || xid != c.contest.xid {
		return false
	}
	c.live()
	return true
}

// live ends a contest: the peer lives.
func (c *Core) live() {
	c.contest = contest{}
	c.events = append(c.events, Event{Kind: EventLives})
}

// tickContest looks whether the peer lives, and ends the connection if it does not.
func (c *Core) tickContest(read uint64, now time.Time) {
	t := &c.contest
	if t.next.IsZero() || now.Before(t.next) {
		return
	}
	t.look++
	switch {
	case t.look == 1:
		t.read, t.next = read, now.Add(ChallengeTimeout/2)
	case read != t.read:
		c.live()
	case t.look == 2:
		t.next = now.Add(challengeGrace)
	default:
		c.contest = contest{}
		c.close(ErrReplaced)
	}
}
