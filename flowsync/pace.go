package flowsync

import (
	"time"

	"github.com/weirnet/weir/beat"
)

// batchFirst is how many messages the first batch to a switch has at most: what the switch takes is not known yet.
const batchFirst = 128

// learn adapts the size of batches to the time that a barrier took: n messages in d. A switch that takes longer than
// Config.Barrier gets fewer at a time, one that takes less than half of it more.
func (c *Core) learn(l *ledger, n int, d time.Duration) {
	if l.barrier == 0 {
		l.barrier = d
	}
	l.barrier = (3*l.barrier + d) / 4
	switch {
	case d > c.config.Barrier:
		fewer := int(int64(l.batch) * int64(c.config.Barrier) / int64(d))
		l.batch = max(c.config.BatchMin, l.batch/4, fewer)
	case d < c.config.Barrier/2 && n >= l.batch:
		l.batch = 2 * l.batch
	}
	l.batch = min(l.batch, c.config.BatchMax)
}

// interval is the time between two readings of a switch that is watched by reading: as long as it takes for all such
// readings to cost no more than Config.ReadShare of a processor.
func (c *Core) interval() time.Duration {
	return max(c.config.ReadEvery, time.Duration(float64(c.costs)/c.config.ReadShare))
}

// pace sets the time of the next reading of a switch that is watched so. The first readings are spread over the interval, by
// datapath id: many switches connect at once.
func (c *Core) pace(l *ledger, now time.Time, first bool) {
	if l.watch != WatchReading || l.phase != phaseReady {
		return
	}
	if l.cost == 0 {
		c.costOf(l, c.config.ReadCost)
	}
	d := c.interval()
	if first {
		const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: multiples of it spread evenly
		d = d/2 + time.Duration(float64(d/2)*float64(uint64(l.dpid)*golden>>11)/(1<<53))
	}
	l.paceAt = now.Add(d)
	l.paceAt = l.paceAt.Add(beat.Wait(l.paceAt))
	l.auditBy(l.paceAt)
}

// entryCost is what a reading of a switch is thought to cost for each entry, where it holds many more than when it was measured.
const entryCost = 500 * time.Nanosecond

// grown says whether a switch has so many more rules of programs than when it was read last that reading it costs far more: then the time of the next
// reading is set anew.
func (c *Core) grown(l *ledger) bool {
	expected := time.Duration(l.programs.used()) * entryCost
	if expected < 2*l.cost {
		return false
	}
	c.costOf(l, expected)
	return true
}

// costOf notes what a reading of a switch costs.
func (c *Core) costOf(l *ledger, cost time.Duration) {
	c.costs += cost - l.cost
	l.cost = cost
}

// learnCost takes what a reading cost. A single measurement may have been interrupted: it counts for a quarter.
func (c *Core) learnCost(l *ledger, cost time.Duration) {
	if l.watch != WatchReading || cost <= 0 {
		return
	}
	if l.cost > 0 {
		cost = (3*l.cost + min(cost, 8*l.cost)) / 4
	}
	c.costOf(l, cost)
}

// bound is how long a drift that the switch does not tell of can stay unnoticed; negative if that is not known.
func (c *Core) bound(l *ledger) time.Duration {
	switch {
	case l.phase == phaseDown || l.watch == WatchAsked || l.watch == WatchPaused:
		return -1
	case l.watch == WatchMonitor:
		return 0
	}
	return c.interval() + l.took
}
