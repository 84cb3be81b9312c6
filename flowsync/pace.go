package flowsync

import (
	"time"

	"github.com/weirnet/weir/beat"
)

// batchFirst is the size of the first batch to a switch, whose speed is unknown.
const batchFirst = 128

// adaptBatchSize adapts the size of batches to the time that a barrier took: n messages in d. A
// switch that takes longer than Config.Barrier gets fewer at a time, one that takes less than half
// of it more.
func (c *Core) adaptBatchSize(sw *switchState, n int, d time.Duration) {
	if sw.barrierTime == 0 {
		sw.barrierTime = d
	}
	sw.barrierTime = (3*sw.barrierTime + d) / 4
	switch {
	case d > c.config.Barrier:
		fewer := int(int64(sw.batchSize) * int64(c.config.Barrier) / int64(d))
		sw.batchSize = max(c.config.BatchMin, sw.batchSize/4, fewer)
	case d < c.config.Barrier/2 && n >= sw.batchSize:
		sw.batchSize = 2 * sw.batchSize
	}
	sw.batchSize = min(sw.batchSize, c.config.BatchMax)
}

// readInterval returns the time between two regular readings of a switch: long enough for all such
// readings to use no more than Config.ReadShare of a processor.
func (c *Core) readInterval() time.Duration {
	return max(c.config.ReadEvery, time.Duration(float64(c.readCosts)/c.config.ReadShare))
}

// scheduleRegularAudit schedules the next reading of a switch without a flow monitor. The first
// ones are spread over the interval by datapath id, since many switches connect at once.
func (c *Core) scheduleRegularAudit(sw *switchState, now time.Time, first bool) {
	if sw.watch != WatchReading || sw.phase != phaseReady {
		return
	}
	if sw.readCost == 0 {
		c.setReadCost(sw, c.config.ReadCost)
	}
	d := c.readInterval()
	if first {
		const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: multiples of it spread evenly
		d = d/2 + time.Duration(float64(d/2)*float64(uint64(sw.dpid)*golden>>11)/(1<<53))
	}
	sw.regularAuditAt = now.Add(d)
	sw.regularAuditAt = sw.regularAuditAt.Add(beat.Wait(sw.regularAuditAt))
	sw.scheduleAudit(sw.regularAuditAt)
}

// entryCost is the assumed cost of a reading per entry, if a switch holds many more than when the
// cost was measured.
const entryCost = 500 * time.Nanosecond

// readCostGrew reports whether a switch has so many more rules of rule sets than at the last
// reading that reading it costs far more; the next reading is then scheduled anew.
func (c *Core) readCostGrew(sw *switchState) bool {
	expected := time.Duration(sw.compact.rowCount()) * entryCost
	if expected < 2*sw.readCost {
		return false
	}
	c.setReadCost(sw, expected)
	return true
}

// setReadCost records the cost of reading a switch.
func (c *Core) setReadCost(sw *switchState, cost time.Duration) {
	c.readCosts += cost - sw.readCost
	sw.readCost = cost
}

// updateReadCost smooths the measured cost of a reading. A single measurement may have been
// interrupted: it counts for a quarter.
func (c *Core) updateReadCost(sw *switchState, cost time.Duration) {
	if sw.watch != WatchReading || cost <= 0 {
		return
	}
	if sw.readCost > 0 {
		cost = (3*sw.readCost + min(cost, 8*sw.readCost)) / 4
	}
	c.setReadCost(sw, cost)
}

// driftBound returns how long drift that the switch does not report stays undetected at most;
// negative if that is not known.
func (c *Core) driftBound(sw *switchState) time.Duration {
	switch {
	case sw.phase == phaseDown || sw.watch == WatchAsked || sw.watch == WatchPaused:
		return -1
	case sw.watch == WatchMonitor:
		return 0
	}
	return c.readInterval() + sw.readTook
}
