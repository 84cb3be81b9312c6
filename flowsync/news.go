package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Missed tells that some of what a switch told unasked was dropped: entries that went or changed, errors.
type Missed struct {
	DPID    netview.DPID
	Session uint64
}

func (Missed) input() {}

// What an input takes in the inbox, in bytes, about: itself, the inbox's share of it as it grows, and for a change what is copied of it.
const (
	inputBytes       = 128
	changeBytes      = 256
	instructionBytes = 96
)

// newsShare is what part of the bytes that are free in the inbox a switch may have; newsFloor are those that it may have in any case.
const (
	newsShare = 8
	newsFloor = 2 << 10
)

// lateBytes is how much of what a flow monitor tells while its switch is read is kept, in bytes; with more it is read again.
const lateBytes = 1 << 18

// admit reports whether so many bytes more of what a switch tells unasked may wait in the inbox; if not, they are dropped, and the switch is read
// instead. Each switch may have a share of those that are free then, so that one which tells without end leaves most of them to others, and many
// leave something (after Choudhury and Hahne, Dynamic queue length thresholds, 1998). l.mu is held.
func (l *Loop) admit(dpid netview.DPID, c connection, size int) bool {
	switch {
	case c.missed || l.over:
		return false
	case c.turn != l.turns:
		c.turn, c.held = l.turns, 0
	}
	c.held += size
	c.missed = c.held > max(newsFloor, (l.config.NewsMax-l.held)/newsShare)
	if c.missed {
		l.missed = true
		l.ring()
	} else {
		l.held += size
	}
	l.current[dpid] = c
	return !c.missed
}

// caughtUp tells the core of switches of which something was dropped. What waited is taken. l.mu is held.
func (l *Loop) caughtUp(inputs []Input) []Input {
	l.held, l.listing = 0, 0
	l.turns++
	if !l.missed {
		return inputs
	}
	l.missed = false
	for dpid, c := range l.current {
		if c.missed {
			c.missed = false
			l.current[dpid] = c
			inputs = append(inputs, Missed{dpid, c.session})
		}
	}
	return inputs
}

// missed has a switch read, so that nothing depends on what it told. What is under way to it may have been refused: the barrier's reply says
// nothing of that.
func (c *Core) missed(l *ledger, now time.Time) {
	c.counters.Missed++
	c.ready.Alarms = append(c.ready.Alarms, Alarm{
		Kind: netview.AlarmLimit, Object: "limits.switch_news",
		Text: fmt.Sprintf("switch %s tells of errors and of entries faster than they are taken: it is read instead", l.dpid),
	})
	if l.phase == phaseReading {
		l.overrun = true
		return
	}
	if l.flight != nil {
		l.flight.missed = true
	}
	if l.watch == WatchPaused { // whether it still is may have been told too
		l.watch = WatchMonitor
	}
	l.owed = true
	l.auditBy(now.Add(c.config.RetryFirst))
}

// sizeOf is what a change takes in memory, about.
func (ch *Change) sizeOf() int {
	n := changeBytes + len(ch.Match) + len(ch.Entry.Match.OXM)
	for i := range ch.Entry.Instructions {
		n += instructionBytes * (1 + len(ch.Entry.Instructions[i].Actions))
	}
	return n
}

// sizeOfUpdate is what the change will take that an update of a flow monitor tells of.
func sizeOfUpdate(u *openflow.FlowUpdate) int {
	ch := Change{Entry: Entry{Match: u.Match, Instructions: u.Instructions}}
	return ch.sizeOf() + len(u.Match.OXM)
}
