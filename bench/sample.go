package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// sample is what one run measured.
type sample struct {
	elapsed   time.Duration
	counts    tally // of the run; answered: within elapsed
	missing   int   // packets that had no answer in the end
	unsent    int   // packets that were not sent because too many waited
	latency   *hdrhistogram.Histogram
	lateness  *hdrhistogram.Histogram // of the generator, at a set rate
	cpu       time.Duration           // of the controller; 0 if it is not known
	generator time.Duration           // CPU time of the generator
	rss       int64                   // of the controller at the end, bytes; 0 if it is not known
	paths     paths                   // if packets were followed
}

// Reasons for which there is no result.
var (
	errNothing = errors.New("nothing was answered")
	errMissing = errors.New("answers are missing")
	errLate    = errors.New("the generator was late")
	errAstray  = errors.New("packets went astray")
)

// lateLimit is how late one packet in a hundred may be sent.
const lateLimit = 10 * time.Millisecond

func newSample() *sample { return &sample{latency: newLatency(), lateness: newLatency()} }

// count sets the counts of a run from those before it, at its end, and after the last answers.
func (s *sample) count(before, end, drained tally) {
	s.counts = tally{
		sent: drained.sent - before.sent, answered: end.answered - before.answered,
		again: drained.again - before.again, messages: end.messages - before.messages,
	}
}

// follow sets what became of the packets that were followed. Those that did not arrive are no answers.
func (s *sample) follow(before, after paths) {
	s.paths = after.minus(before)
	s.counts.answered -= min(s.counts.answered, uint64(s.paths.second+s.paths.astray))
}

// check says why a run is no result.
func (s *sample) check(c *Reactive) error {
	switch p99 := time.Duration(s.lateness.ValueAtQuantile(99)); {
	case s.counts.answered == 0:
		return fmt.Errorf("%w: %d packet-ins sent in %v", errNothing, s.counts.sent, s.elapsed.Round(time.Millisecond))
	case s.missing > 0:
		return fmt.Errorf("%w: %d of %d packet-ins, %v after the last was sent", errMissing, s.missing, s.counts.sent, drainLimit)
	case s.unsent > 0:
		return fmt.Errorf("%w: %d packet-ins were not sent, as %d of a switch waited", errLate, s.unsent, maxWindow)
	case s.paths.astray > 0:
		return fmt.Errorf("%w: %d of %d packets went another way than to their host over %d switches", errAstray, s.paths.astray, s.counts.sent, c.Hops)
	case c.Rate > 0 && p99 > lateLimit:
		return fmt.Errorf("%w: one packet in a hundred by %v or more, allowed are %v", errLate, p99, lateLimit)
	}
	return nil
}

// rate is answers a second.
func (s *sample) rate() float64 { return float64(s.counts.answered) / s.elapsed.Seconds() }

// at is a percentile of the time from when a packet was meant to be sent to its answer.
func (s *sample) at(percentile float64) time.Duration {
	return time.Duration(s.latency.ValueAtQuantile(percentile))
}

// each is CPU time per answer.
func (s *sample) each(d time.Duration) time.Duration {
	if s.counts.answered == 0 {
		return 0
	}
	return d / time.Duration(s.counts.answered)
}
