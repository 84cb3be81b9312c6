package flowsync

import (
	"slices"
	"time"
)

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

// readQueue queues the first readings of sessions, because they take memory: listings wait until they are
// compared, and an entry that is listed before it is ordered takes a row with a rule set of its own, ten times
// the size. If switches wait, others are being read or a Hold is on.
type readQueue struct {
	until    time.Time     // of a Hold: until then no switch is read for the first time; zero: any may be
	waiting  []*switchCore // in order
	rules    int           // ordered rules at the switches being read, about: the sum of reading.weight
	rulesMax int
}

// hold begins or ends a Hold.
func (q *readQueue) hold(on bool, now time.Time) {
	q.until = time.Time{}
	if on {
		q.until = now.Add(holdMax)
	}
}

// heldUntil is when a Hold ends for which switches wait; zero if there is none.
func (q *readQueue) heldUntil() time.Time {
	if len(q.waiting) == 0 {
		return time.Time{}
	}
	return q.until
}

// busy reports whether switches with rules are being read, or will be.
func (q *readQueue) busy() bool { return len(q.waiting)+q.rules > 0 || !q.until.IsZero() }

// admits reports whether a switch can be read now; else it is queued.
func (q *readQueue) admits(sw *switchCore) bool {
	if q.until.IsZero() && len(q.waiting) == 0 && q.hasRoom(sw) {
		return true
	}
	if !sw.reading.queued {
		sw.reading.queued = true
		q.waiting = append(q.waiting, sw)
	}
	return false
}

func (q *readQueue) hasRoom(sw *switchCore) bool {
	return q.rules == 0 || q.rules+sw.rules.ordered() <= q.rulesMax
}

// begin begins the readings of queued switches, in order, as far as there is room.
func (q *readQueue) begin(now time.Time) {
	if reached(q.until, now) {
		q.until = time.Time{}
	}
	n := 0
	for ; n < len(q.waiting) && q.until.IsZero(); n++ {
		sw := q.waiting[n]
		waits := sw.phase == phaseReading && sw.health.answerDeadline.IsZero() && sw.reading.at.IsZero()
		if waits && !q.hasRoom(sw) {
			break
		}
		if sw.reading.queued = false; waits {
			sw.requestReading(now)
			sw.wakeAt(sw.health.answerDeadline)
		}
	}
	if q.waiting = slices.Delete(q.waiting, 0, n); len(q.waiting) == 0 {
		q.waiting = nil
	}
}
