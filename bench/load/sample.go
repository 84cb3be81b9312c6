package load

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/bench/window"
)

// Sample is what one run measured.
type Sample struct {
	from, to time.Duration // the part of the run that counts, by the load's clock
	Counts   tally         // counted: of that part; all others of the whole run
	Missing  int           // packets that had no answer in the end
	unsent   int           // packets that were not sent because too many waited
	Latency  report.Histogram
	Lateness report.Histogram // of the generator, at a set rate
	Paths    PathCounts       // if packets were followed

	process *target.Process
	began   target.CPUTimes
	Usage   target.Usage
	Mallocs float64 // of an instance of ours, from before the run to after its last answer
}

func newSample(p *target.Process) *Sample {
	return &Sample{process: p, Latency: report.NewHistogram(), Lateness: report.NewHistogram()}
}

// begin and end bound what counts.
func (s *Sample) begin(now time.Duration) { s.from, s.began = now, target.ReadCPUTimes(s.process) }
func (s *Sample) end(now time.Duration)   { s.to, s.Usage = now, target.UsageSince(s.began, s.process) }

// count sets the counts of a run from those before it and after the last answers.
func (s *Sample) count(before, after tally) {
	s.Missing = after.waiting
	s.Counts = tally{Sent: after.Sent - before.Sent, Answered: after.Answered - before.Answered,
		Counted: after.Counted - before.Counted, Again: after.Again - before.Again, Messages: after.Messages - before.Messages}
}

// follow sets what became of the packets that were followed. Those that did not arrive are no
// answers.
func (s *Sample) follow(before, after PathCounts) {
	s.Paths = after.minus(before)
	s.Counts.Counted -= min(s.Counts.Counted, uint64(s.Paths.Repeated+s.Paths.misforwarded))
}

// Check tells why a run is no result.
func (s *Sample) Check(c *Config) error {
	switch p99 := time.Duration(s.Lateness.ValueAtQuantile(99)); {
	case s.Counts.Answered == 0:
		return fmt.Errorf("%w: %s packet-ins were sent, and waited for until %v after the last", report.ErrNothing,
			report.Thousands(s.Counts.Sent), c.Drain)
	case s.unsent > 0:
		return fmt.Errorf("%w: %s packet-ins could not be sent, as %s of a switch waited for answers", report.ErrSlow,
			report.Thousands(s.unsent), report.Thousands(window.Max))
	case s.Paths.misforwarded > 0:
		return fmt.Errorf("%w: %d of %d packets went another way than to their host over %d switches", report.ErrMisforwarded,
			s.Paths.misforwarded, s.Counts.Sent, c.Hops)
	case s.Missing > 0:
		return fmt.Errorf("%w: %s of %s packet-ins had none, and %v went by without any%s", report.ErrMissing,
			report.Thousands(s.Missing), report.Thousands(s.Counts.Sent), c.Drain, s.unexpectedReplies())
	case s.Counts.Counted == 0:
		return fmt.Errorf("%w: none of %s answers came within the run of %v", report.ErrSlow,
			report.Thousands(s.Counts.Answered), s.elapsed())
	case c.Rate > 0 && p99 > c.LateLimit:
		return fmt.Errorf("%w: one packet in a hundred by %v or more, allowed are %v", report.ErrLate, p99, c.LateLimit)
	}
	return nil
}

// unexpectedReplies says how many messages named no packet that waited: wrong answers, and what
// follows a first answer.
func (s *Sample) unexpectedReplies() string {
	if s.Counts.Again == 0 {
		return ""
	}
	return fmt.Sprintf("; %s more messages named packets that did not wait, or were never sent",
		report.Thousands(s.Counts.Again))
}

func (s *Sample) elapsed() time.Duration { return s.to - s.from }

// Rate is answers a second.
func (s *Sample) Rate() float64 { return float64(s.Counts.Counted) / s.elapsed().Seconds() }

// At is a percentile of the time from when a packet was meant to be sent to its answer.
func (s *Sample) At(percentile float64) time.Duration {
	return time.Duration(s.Latency.ValueAtQuantile(percentile))
}

// Work is how many answers CPU time was taken over: the clocks are read a moment after the part
// that counts begins and ends.
func (s *Sample) Work() float64 { return s.Rate() * s.Usage.Elapsed.Seconds() }
