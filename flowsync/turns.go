package flowsync

import "time"

// Switches are read for the first time in a session when their turn comes: what they list waits in memory until it is compared, and what is listed
// before it is ordered needs a row of a program that is made of it, of ten times the size.

const (
	// readingPatience is how long a switch that goes on listing keeps others from their turn.
	readingPatience = 2 * time.Second
	// holdMost is how long a loop that is held waits for Release.
	holdMost = 2 * time.Minute
	// listingMost is how many bytes of listings may wait for the loop; a reading that brings more is given up, and tried again.
	listingMost = 64 << 20
)

// Hold has no switch read, nor written to, until Release, or for holdMost if that does not come: for who starts with very many orders of an earlier
// life, so that he can give them first.
func (l *Loop) Hold() { l.answer(Hold{On: true}) }

// Release ends a Hold.
func (l *Loop) Release() { l.answer(Hold{}) }

// Reading reports whether what switches hold is being compared with rules that are many, or will be: then memory is needed that is free again soon.
func (l *Loop) Reading() bool { return l.reading.Load() }

// mayRead reports whether a switch can be read now; else it waits for its turn.
func (c *Core) mayRead(l *ledger) bool {
	c.readingEnds(l)
	if !c.heldUntil.IsZero() || len(c.unread) > 0 || !c.hasRoom(l) {
		if !l.waits {
			l.waits = true
			c.unread = append(c.unread, l)
		}
		return false
	}
	return true
}

func (c *Core) hasRoom(l *ledger) bool {
	return c.reading == 0 || c.reading+l.programs.used() <= c.config.ReadMost
}

// count takes a switch in among those that are being read.
func (c *Core) count(l *ledger, now time.Time) {
	l.weight, l.readSince = l.programs.used(), now
	c.reading += l.weight
}

// readingEnds takes a switch out of those that are being read.
func (c *Core) readingEnds(l *ledger) {
	c.reading -= l.weight
	l.weight = 0
}

// readMore begins with those that wait, in their order, as far as there is room.
func (c *Core) readMore(now time.Time) {
	if passed(c.heldUntil, now) {
		c.heldUntil = time.Time{}
	}
	n := 0
	for ; n < len(c.unread) && c.heldUntil.IsZero(); n++ {
		l := c.unread[n]
		waits := l.phase == phaseReading && l.answerBy.IsZero() && l.readAt.IsZero()
		if waits && !c.hasRoom(l) {
			break
		}
		if l.waits = false; waits {
			c.begin(l, now)
			c.wakeAt(l, l.answerBy)
		}
	}
	rest := copy(c.unread, c.unread[n:])
	clear(c.unread[rest:])
	if c.unread = c.unread[:rest]; rest == 0 {
		c.unread = nil
	}
}
