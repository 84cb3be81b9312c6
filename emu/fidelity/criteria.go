package fidelity

import (
	"fmt"
	"time"
)

// A second is bad, that is, promises were not kept, if more than one in lateShare of them were
// late, or if all together they were late by more than one part in excessShare of the time that was
// promised, and by more than excessLeast each. A second with less than enough promises says little
// by itself: then the window that it ends must be so too, and with two promises at least.
//
// So it is with waits for a turn; and of less than enough it counts how long they were, as one part
// in excessShare of the window: an engine whose every wait takes a second has few of them.
const (
	lateShare   = 100
	excessShare = 10
	excessLeast = 20 * time.Microsecond
	minPromises = 100
)

// criterion is what made a second bad.
type criterion int

const (
	nothing criterion = iota
	tooManyLate
	tooLateInAll
	tooLongWaits
)

// text is the criterion for people.
func (c criterion) text(tolerance time.Duration) string {
	switch c {
	case tooManyLate:
		return fmt.Sprintf("more than 1 in %d were late by more than %s", lateShare, short(tolerance))
	case tooLateInAll:
		return fmt.Sprintf("all together were late by more than 1/%d of the time promised", excessShare)
	case tooLongWaits:
		return fmt.Sprintf("waits for a turn were longer than %s", short(longWait*tolerance))
	}
	return ""
}

// fails returns what makes the second bad, as the last one of a window.
func (s *second) fails(window *second) criterion {
	judged := window
	if s.promises >= minPromises {
		judged = s
	}
	switch {
	case s.manyLate() && judged.late > 1 && judged.manyLate():
		return tooManyLate
	case s.lateInAll() && judged.promises > 1 && judged.lateInAll():
		return tooLateInAll
	}
	if judged = window; s.waits >= minPromises {
		judged = s
	}
	switch {
	case s.longWaits*lateShare <= s.waits:
	case judged.waits >= minPromises && judged.longWaits*lateShare > judged.waits,
		judged.held*excessShare > windowSeconds*time.Second:
		return tooLongWaits
	}
	return nothing
}

func (s *second) manyLate() bool { return s.late*lateShare > s.promises }

func (s *second) lateInAll() bool {
	return s.by*excessShare > s.promised && s.by > excessLeast*time.Duration(s.promises)
}
