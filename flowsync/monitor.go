package flowsync

import (
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// readingFactor is the cost of a whole reading (receiving, decoding, sorting, comparing) in units
// of decoding and sorting (BenchmarkReading).
const readingFactor = 3

// monitorID is the number of our flow monitor; there is one per connection.
const monitorID = 1

// Updates takes a report of a switch's flow monitor. Nothing of list is kept.
func (l *Loop) Updates(at Address, list *openflow.FlowUpdateList) {
	count, size := 0, inputBytes
	for i := range list.Updates {
		if u := &list.Updates[i]; l.relevant(u) {
			size += entrySize(&u.Match, u.Instructions)
			count++
		}
	}
	if count == 0 {
		return
	}
	l.inbox.postNotice(at, size, func() Input {
		changes := make([]Change, 0, count)
		for i := range list.Updates {
			if u := &list.Updates[i]; l.relevant(u) {
				changes = append(changes, changeOf(u))
			}
		}
		return Changed{at, changes}
	})
}

// relevant reports whether an update matters: our own changes do not, nor do soft entries of this
// run.
func (l *Loop) relevant(u *openflow.FlowUpdate) bool {
	switch {
	case u.Event == openflow.FlowAbbreviated:
		return false
	case plan.Foreign(u.Cookie, l.config.Domain) || !plan.Decode(u.Cookie).Kind.Soft():
		return true
	}
	return u.Event == openflow.FlowDeleted && l.leftover.Load() > 0
}

func changeOf(u *openflow.FlowUpdate) Change {
	return Change{
		Event: u.Event, Match: u.Match.Key(),
		Entry: Entry{u.Table, u.Priority, u.Cookie, cloneMatch(&u.Match), cloneInstructions(u.Instructions)},
	}
}

// MonitorPaused takes a notice that a switch's flow monitor omits changes or, if not on, no longer
// does.
func (l *Loop) MonitorPaused(at Address, on bool) {
	l.inbox.postNotice(at, inputBytes, func() Input { return Paused{at, on} })
}

// readingCost returns about the processor time of a reading.
func readingCost(sorting time.Duration) time.Duration {
	return max(sorting*readingFactor, time.Microsecond)
}
