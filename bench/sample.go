package bench

import (
	"fmt"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"time"
)

// sample is what one run measured.
type sample struct {
	from, to time.Duration // the part of the run that counts, by the load's clock
	counts   tally         // counted: of that part; all others of the whole run
	missing  int           // packets that had no answer in the end
	unsent   int           // packets that were not sent because too many waited
	latency  report.Histogram
	lateness report.Histogram // of the generator, at a set rate
	paths    pathCounts       // if packets were followed

	process   *target.Process
	began     target.CPUTimes
	ended     target.CPUTimes
	rss       int64   // of the controller at the end, bytes; 0 if it is not known
	mallocs   float64 // of an instance of ours, from before the run to after its last answer
	generator int64   // of the generator
}

func newSample(p *target.Process) *sample {
	return &sample{process: p, latency: report.NewHistogram(), lateness: report.NewHistogram()}
}

// begin and end bound what counts.
func (s *sample) begin(now time.Duration) { s.from, s.began = now, target.ReadCPUTimes(s.process) }

func (s *sample) end(now time.Duration) {
	s.to, s.ended = now, target.ReadCPUTimes(s.process)
	s.rss, s.generator = s.process.Memory(), target.OwnMemory()
}

// count sets the counts of a run from those before it and after the last answers.
func (s *sample) count(before, after tally) {
	s.missing = after.waiting
	s.counts = tally{sent: after.sent - before.sent, answered: after.answered - before.answered,
		counted: after.counted - before.counted,
		again:   after.again - before.again, messages: after.messages - before.messages}
}

// follow sets what became of the packets that were followed. Those that did not arrive are no
// answers.
func (s *sample) follow(before, after pathCounts) {
	s.paths = after.minus(before)
	s.counts.counted -= min(s.counts.counted, uint64(s.paths.repeated+s.paths.misforwarded))
}

// check tells why a run is no result.
func (s *sample) check(c *Reactive) error {
	switch p99 := time.Duration(s.lateness.ValueAtQuantile(99)); {
	case s.counts.answered == 0:
		return fmt.Errorf("%w: %s packet-ins were sent, and waited for until %v after the last", report.ErrNothing,
			report.Thousands(float64(s.counts.sent)), c.Drain)
	case s.unsent > 0:
		return fmt.Errorf("%w: %s packet-ins could not be sent, as %s of a switch waited for answers", report.ErrSlow,
			report.Thousands(float64(s.unsent)), report.Thousands(maxWindow))
	case s.paths.misforwarded > 0:
		return fmt.Errorf("%w: %d of %d packets went another way than to their host over %d switches", report.ErrMisforwarded,
			s.paths.misforwarded, s.counts.sent, c.Hops)
	case s.missing > 0:
		return fmt.Errorf("%w: %s of %s packet-ins had none, and %v went by without any%s", report.ErrMissing,
			report.Thousands(float64(s.missing)),
			report.Thousands(float64(s.counts.sent)), c.Drain, s.unexpectedReplies())
	case s.counts.counted == 0:
		return fmt.Errorf("%w: none of %s answers came within the run of %v", report.ErrSlow,
			report.Thousands(float64(s.counts.answered)), s.elapsed())
	case c.Rate > 0 && p99 > c.LateLimit:
		return fmt.Errorf("%w: one packet in a hundred by %v or more, allowed are %v", report.ErrLate, p99, c.LateLimit)
	}
	return nil
}

// unexpectedReplies says how many messages named no packet that waited: wrong answers, and what
// follows a first answer.
func (s *sample) unexpectedReplies() string {
	if s.counts.again == 0 {
		return ""
	}
	return fmt.Sprintf("; %s more messages named packets that did not wait, or were never sent",
		report.Thousands(float64(s.counts.again)))
}

func (s *sample) elapsed() time.Duration { return s.to - s.from }

// rate is answers a second.
func (s *sample) rate() float64 { return float64(s.counts.counted) / s.elapsed().Seconds() }

// at is a percentile of the time from when a packet was meant to be sent to its answer.
func (s *sample) at(percentile float64) time.Duration {
	return time.Duration(s.latency.ValueAtQuantile(percentile))
}

// work is how many answers CPU time was taken over: the clocks are read a moment after the part
// that counts begins and ends.
func (s *sample) work() float64 { return s.rate() * s.ended.At.Sub(s.began.At).Seconds() }
