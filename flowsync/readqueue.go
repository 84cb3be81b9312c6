package flowsync

import (
	"slices"
	"time"
)

// The first readings of sessions are queued, because they take memory: listings wait until they are
// compared, and an entry that is listed before it is ordered takes a row with a rule set of its
// own, ten times the size.

const (
	// readTurnMax is how long a switch that is still listing delays others.
	readTurnMax = 2 * time.Second
	// holdMax bounds a Hold without a Release.
	holdMax = 2 * time.Minute
	// packedMax bounds the bytes of packed listings that wait for the loop; a reading with more is
	// given up and retried.
	packedMax = 64 << 20
)

// Hold has no switch read, nor written to, until Release, for holdMax at most: a caller that starts
// with very many orders of an earlier run can give them first.
func (l *Loop) Hold() { l.inbox.post(Hold{On: true}) }

// Release ends a Hold.
func (l *Loop) Release() { l.inbox.post(Hold{}) }

// Reading reports whether listings are being compared with many rules, or will be: memory is then
// needed that is free again soon.
func (l *Loop) Reading() bool { return l.reading.Load() }

// mayRead reports whether a switch can be read now; else it is queued.
func (c *Core) mayRead(sw *switchState) bool {
	c.freeReadSlot(sw)
	if !c.holdUntil.IsZero() || len(c.readQueue) > 0 || !c.hasRoom(sw) {
		if !sw.inReadQueue {
			sw.inReadQueue = true
			c.readQueue = append(c.readQueue, sw)
		}
		return false
	}
	return true
}

func (c *Core) hasRoom(sw *switchState) bool {
	return c.readRules == 0 || c.readRules+sw.compact.rowCount() <= c.config.ReadRulesMax
}

// takeReadSlot counts a switch among those being read.
func (c *Core) takeReadSlot(sw *switchState, now time.Time) {
	sw.readWeight, sw.readSince = sw.compact.rowCount(), now
	c.readRules += sw.readWeight
}

// freeReadSlot ends that.
func (c *Core) freeReadSlot(sw *switchState) {
	c.readRules -= sw.readWeight
	sw.readWeight = 0
}

// readQueued begins the readings of queued switches, in order, as far as ReadRulesMax allows.
func (c *Core) readQueued(now time.Time) {
	if reached(c.holdUntil, now) {
		c.holdUntil = time.Time{}
	}
	n := 0
	for ; n < len(c.readQueue) && c.holdUntil.IsZero(); n++ {
		sw := c.readQueue[n]
		waits := sw.phase == phaseReading && sw.answerDeadline.IsZero() && sw.readAt.IsZero()
		if waits && !c.hasRoom(sw) {
			break
		}
		if sw.inReadQueue = false; waits {
			c.requestReading(sw, now)
			c.wakeAt(sw, sw.answerDeadline)
		}
	}
	if c.readQueue = slices.Delete(c.readQueue, 0, n); len(c.readQueue) == 0 {
		c.readQueue = nil
	}
}
