package stats

import "time"

// What a question and its answer cost this instance: asking, reading, decoding, computing rates.
// Measured, and doubled (docs/benchmarks/stats.md).
const (
	costQuestion = 30 * time.Microsecond
	costKiB      = 8 * time.Microsecond
)

// budget keeps all questions together within a share of a core. It is a clock that each question
// pushes on by its cost over the share: while it is ahead of the time, nothing is asked.
type budget struct {
	share float64
	free  time.Time
}

// allows reports whether a question may be asked now. What was not used is kept for one slot only.
func (b *budget) allows(now time.Time) bool {
	if late := now.Add(-slot); b.free.Before(late) {
		b.free = late
	}
	return !b.free.After(now)
}

// spend takes the cost of a question whose answer will have about so many bytes.
func (b *budget) spend(bytes int) {
	cost := costQuestion + costKiB*time.Duration(bytes)/1024
	b.free = b.free.Add(time.Duration(float64(cost) / b.share))
}
