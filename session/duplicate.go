package session

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// duplicateCheck finds out whether the peer is alive, when another connection has come for its
// datapath id. It is alive if it answers the check's echo request, or if anything else arrives in
// the second half of DuplicateTimeout: what arrives in the first half may have been in our socket
// before. After the timeout it is checked once more, since the reader may have been delayed.
type duplicateCheck struct {
	xid   uint32    // of the echo request
	due   time.Time // the next look; zero if no check is running
	looks int       // looks taken
	read  uint64    // bytes read at the first look
}

// startDuplicateCheck starts a check, unless one is running.
func (c *Core) startDuplicateCheck(now time.Time) {
	if !c.duplicate.due.IsZero() || c.state < stateAdmit {
		return
	}
	c.duplicate = duplicateCheck{xid: c.NextXID(), due: now.Add(DuplicateTimeout / 2)}
	c.send(c.duplicate.xid, &openflow.EchoRequest{})
}

// duplicateReply takes an echo reply and reports whether it was for the check.
func (c *Core) duplicateReply(xid uint32) bool {
	if c.duplicate.due.IsZero() || xid != c.duplicate.xid {
		return false
	}
	c.endDuplicateCheck()
	return true
}

// endDuplicateCheck ends a check: the peer is alive.
func (c *Core) endDuplicateCheck() {
	c.duplicate = duplicateCheck{}
	c.events = append(c.events, Event{Kind: EventAlive})
}

// tickDuplicateCheck closes the connection if the check found no sign of life.
func (c *Core) tickDuplicateCheck(read uint64, now time.Time) {
	t := &c.duplicate
	if t.due.IsZero() || now.Before(t.due) {
		return
	}
	t.looks++
	switch {
	case t.looks == 1:
		t.read, t.due = read, now.Add(DuplicateTimeout/2)
	case read != t.read:
		c.endDuplicateCheck()
	case t.looks == 2:
		t.due = now.Add(duplicateGrace)
	default:
		c.duplicate = duplicateCheck{}
		c.close(ErrReplaced)
	}
}
