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

// start starts a check, unless one is running.
func (d *duplicateCheck) start(out *outbox, now time.Time) {
	if !d.due.IsZero() {
		return
	}
	*d = duplicateCheck{xid: out.nextXID(), due: now.Add(DuplicateTimeout / 2)}
	out.message(d.xid, &openflow.EchoRequest{})
}

// reply takes an echo reply and reports whether it was for the check.
func (d *duplicateCheck) reply(out *outbox, xid uint32) bool {
	if d.due.IsZero() || xid != d.xid {
		return false
	}
	d.alive(out)
	return true
}

// alive ends a check: the peer is.
func (d *duplicateCheck) alive(out *outbox) {
	*d = duplicateCheck{}
	out.deliver(Event{Kind: EventAlive})
}

// tick closes the connection if the check found no sign of life.
func (d *duplicateCheck) tick(out *outbox, read uint64, now time.Time) {
	if d.due.IsZero() || now.Before(d.due) {
		return
	}
	d.looks++
	switch {
	case d.looks == 1:
		d.read, d.due = read, now.Add(DuplicateTimeout/2)
	case read != d.read:
		d.alive(out)
	case d.looks == 2:
		d.due = now.Add(duplicateGrace)
	default:
		*d = duplicateCheck{}
		out.close(ErrReplaced)
	}
}
