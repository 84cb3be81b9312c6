package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

// Overflow reports that unsolicited messages of a switch were dropped: errors, removed and changed
// entries.
type Overflow struct{ Address }

// inputBytes is about the size of an input in the inbox, with its share of the growing inbox.
const inputBytes = 128

// unsolicitedShare: a switch may use this part of the free bytes of the inbox; unsolicitedFloor
// bytes are always allowed.
const (
	unsolicitedShare = 8
	unsolicitedFloor = 2 << 10
)

// deferredMax bounds the bytes of flow monitor reports that are kept during a reading; with more
// the switch is read again.
const deferredMax = 1 << 18

// admit reports whether size more bytes of unsolicited messages may wait in the inbox; if not, they
// are dropped and the switch is read instead. Each switch may use a share of what is free at the
// moment, so that one which floods leaves most of it to others, and many leave something (after
// Choudhury and Hahne, Dynamic queue length thresholds, 1998). b.mu is held.
func (b *inbox) admit(dpid netview.DPID, c connection, size int) bool {
	switch {
	case c.overflowed || b.closed:
		return false
	case c.round != b.rounds:
		c.round, c.unsolicitedBytes = b.rounds, 0
	}
	c.unsolicitedBytes += size
	c.overflowed = c.unsolicitedBytes > max(unsolicitedFloor, (b.unsolicitedMax-b.unsolicitedBytes)/unsolicitedShare)
	if c.overflowed {
		b.overflowed = true
		b.bell.Ring()
	} else {
		b.unsolicitedBytes += size
	}
	b.sessions[dpid] = c
	return !c.overflowed
}

// takeOverflows adds an Overflow for each switch of which messages were dropped, and resets the
// counts of the inbox, which is taken. b.mu is held.
func (b *inbox) takeOverflows(inputs []Input) []Input {
	b.unsolicitedBytes, b.packedBytes, b.entriesBytes = 0, 0, 0
	b.rounds++
	if !b.overflowed {
		return inputs
	}
	b.overflowed = false
	for dpid, c := range b.sessions {
		if c.overflowed {
			c.overflowed = false
			b.sessions[dpid] = c
			inputs = append(inputs, Overflow{Address{dpid, c.epoch}})
		}
	}
	return inputs
}

// onMissed schedules a reading, since notices were lost. The batch in flight may have been refused
// without a notice: its barrier reply proves nothing.
func (c *Core) onMissed(sw *switchState, now time.Time) {
	c.counters.Overflows++
	c.raiseLimit("limits.switch_news",
		fmt.Sprintf("switch %s tells of errors and of entries faster than they are taken: it is read instead", sw.dpid))
	if sw.phase == phaseReading {
		sw.deferredOverflow = true
		return
	}
	if sw.inflight != nil {
		sw.inflight.errorsDropped = true
	}
	if sw.watch == WatchPaused { // the notice that it resumed may be lost too
		sw.watch = WatchMonitor
	}
	sw.resyncDue = true
	sw.scheduleAudit(now.Add(c.config.RetryFirst))
}
