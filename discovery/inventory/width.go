package inventory

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// WidthTest is what is known of whether a link carries long probes.
type WidthTest struct {
	Width      netview.LinkWidth
	LongDue    time.Duration // since the core's start: from then on a round of its source sends one
	LongMissed int           // sent since one was last heard, as far as that is evidence
	LongSent   time.Time     // when the last one was
	LongAlone  bool          // that one was sent in place of a short one
	Named      bool          // it is narrow, and an alarm names it
}

// CountLongMiss counts a long probe sent over the links from a port, which is missed until it is heard.
func (e *LinkEnds) CountLongMiss(now time.Time, alone bool) {
	for _, e := range e.Out {
		if e.BothConnected() {
			e.LongMissed++
			e.LongSent, e.LongAlone = now, alone
		}
	}
}
