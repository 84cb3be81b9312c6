package flowsync

import (
	"container/heap"
	"time"

	"github.com/weirnet/weir/netview"
)

// deadlines are the times at which switches want to be looked at again, earliest first. A switch has at most one that
// counts, ledger.wake; others are left over and do nothing.
type deadlines []deadline

type deadline struct {
	at   time.Time
	dpid netview.DPID
}

// Len, Less, Swap, Push and Pop make deadlines a heap.Interface.
func (d deadlines) Len() int { return len(d) }

// Less orders by time, then switch, so that equal times come in one order.
func (d deadlines) Less(i, j int) bool {
	if c := d[i].at.Compare(d[j].at); c != 0 {
		return c < 0
	}
	return d[i].dpid < d[j].dpid
}

// Swap swaps two deadlines.
func (d deadlines) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push appends a deadline.
func (d *deadlines) Push(x any) { *d = append(*d, x.(deadline)) }

// Pop takes the last deadline.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	*d = (*d)[:last]
	return x
}

// wakeAt sees to it that the switch is looked at no later than t.
func (c *Core) wakeAt(l *ledger, t time.Time) {
	if l.wake.IsZero() || t.Before(l.wake) {
		l.wake = t
		heap.Push(&c.deadlines, deadline{t, l.dpid})
	}
}

// due takes a switch whose time has come, nil if there is none.
func (c *Core) due(now time.Time) *ledger {
	for len(c.deadlines) > 0 && !c.deadlines[0].at.After(now) {
		d := heap.Pop(&c.deadlines).(deadline)
		if l := c.ledgers[d.dpid]; l != nil && l.wake.Equal(d.at) {
			l.wake = time.Time{}
			return l
		}
	}
	return nil
}

// next is the earliest deadline that counts, zero if there is none.
func (c *Core) next() time.Time {
	for len(c.deadlines) > 0 {
		d := c.deadlines[0]
		if l := c.ledgers[d.dpid]; l != nil && l.wake.Equal(d.at) {
			return d.at
		}
		heap.Pop(&c.deadlines)
	}
	return time.Time{}
}
