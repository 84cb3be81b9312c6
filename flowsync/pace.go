package flowsync

import (
	"math/bits"
	"time"
)

// pace is how large batches to a switch may be. What somebody waits for is what lies at the switch already. So batches
// are as small as they can be without the switch doing less: the size is the smallest power of two at which a flow-mod
// takes hardly longer than in larger batches. In small ones it takes longer where the switch waits for the next batch,
// needs long for a barrier or writes in groups, or where this machine has too much to do.
type pace struct {
	*shared
	limit int                      // largest number of messages before a barrier
	each  [paceSizes]time.Duration // smoothed time of one of 1<<i flow-mods, by i; 0: not known
	same  int                      // batches since the limit changed
}

const (
	paceSizes = 17 // Config.BatchMax is at most 1<<15
	// batchFirst is the size of the first batch to a switch, whose speed is unknown.
	batchFirst = 128
	// batchTime is how short batches are not to be, since each takes its time here; where more than busyFew switches have
	// more to do than fits into a batch, it is longer in proportion.
	batchTime = 250 * time.Microsecond
	busyFew   = 4
	// paceSlack is which part longer flow-mods may take in smaller batches.
	paceSlack = 8
	// paceAgain is after how many full batches other sizes are tried again: a switch may have become another.
	paceAgain = 64
)

// begin begins a session.
func (p *pace) begin() { *p = pace{shared: p.shared, limit: min(batchFirst, p.config.BatchMax)} }

// measured takes the time that the switch took for a batch of n messages.
func (p *pace) measured(n int, d time.Duration) {
	switch {
	case d > p.config.Barrier:
		fewer := int(int64(p.limit) * int64(p.config.Barrier) / int64(d))
		p.set(max(p.limit/4, fewer))
	case n == p.limit:
		p.full(d)
	}
}

// full takes the time of a batch that was as large as it might be.
func (p *pace) full(d time.Duration) {
	i := bits.Len(uint(p.limit)) - 1
	each := max(d/time.Duration(p.limit), 1)
	if p.each[i] > 0 {
		each = (3*p.each[i] + each) / 4
	}
	p.each[i] = each
	least := each
	for _, other := range p.each {
		if other > 0 {
			least = min(least, other)
		}
	}
	enough := least + least/paceSlack
	larger := 2*p.limit <= p.config.BatchMax && 2*d <= p.config.Barrier
	short := batchTime * time.Duration(1+p.busy/busyFew)
	switch p.same++; {
	case larger && (p.each[i+1] == 0 || each > enough || d < short):
		p.set(2 * p.limit)
	case i > 0 && d >= 2*short && p.each[i-1] <= enough:
		p.set(p.limit / 2)
	case p.same >= paceAgain:
		p.same, p.each[i+1] = 0, 0
		if i > 0 {
			p.each[i-1] = 0
		}
	}
}

// halve has batches be smaller, which the session has no room for.
func (p *pace) halve() { p.set(p.limit / 2) }

// set sets the limit to the power of two below n.
func (p *pace) set(n int) {
	n = min(max(n, p.config.BatchMin, 1), p.config.BatchMax)
	n = 1 << (bits.Len(uint(n)) - 1)
	p.limit, p.same = max(n, p.config.BatchMin), 0
}
