package tenants

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Sample is what one run measured.
type Sample struct {
	Tenants  []Tenant
	Latency  report.Histogram // of all tenants
	Lateness report.Histogram // of the generator, at a set rate
	Usage    target.Usage
	FlowMods float64 // that switches got, for each message that was answered; both of the whole run

	from, to time.Duration // the part of the run that counts, by the load's clock
	before   []tally
	process  *target.Process
	began    target.CPUTimes
}

// Tenant is what was measured of one.
type Tenant struct {
	// The times of its messages that were meant for the run, in microseconds.
	Mean, P50, P95, P99, Max float64
	Rate                     float64 // messages that were answered in the run, a second
	tally                    tally
	missing                  int
}

func newSample(p *target.Process) *Sample {
	return &Sample{process: p, Latency: report.NewHistogram(), Lateness: report.NewHistogram()}
}

// begin and end bound what counts.
func (s *Sample) begin(now time.Duration) { s.from, s.began = now, target.ReadCPUTimes(s.process) }
func (s *Sample) end(now time.Duration)   { s.to, s.Usage = now, target.UsageSince(s.began, s.process) }

// take adds a tenant, whose lock is held.
func (s *Sample) take(t *tenant) {
	h := t.latency
	at := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / 1e3 }
	x := Tenant{Mean: h.Mean() / 1e3, P50: at(50), P95: at(95), P99: at(99), Max: float64(h.Max()) / 1e3,
		tally: t.tally.minus(s.before[t.number]), missing: t.window.Waiting()}
	if d := s.to - s.from; d > 0 {
		x.Rate = float64(x.tally.counted) / d.Seconds()
	}
	s.Tenants = append(s.Tenants, x)
	s.Latency.Merge(h)
}

// Rate is how many messages of all tenants were answered in the run, a second.
func (s *Sample) Rate() (sum float64) {
	for i := range s.Tenants {
		sum += s.Tenants[i].Rate
	}
	return sum
}

// answered is how many messages of all tenants were answered, of the whole run.
func (s *Sample) answered() (n uint64) {
	for i := range s.Tenants {
		n += s.Tenants[i].tally.answered
	}
	return n
}

// Work is how many messages CPU time was taken over.
func (s *Sample) Work() float64 { return s.Rate() * s.Usage.Elapsed.Seconds() }

// Check tells why a run is no result.
func (s *Sample) Check(c *Config) error {
	var all tally
	missing, worst := 0, 0
	for i := range s.Tenants {
		x := &s.Tenants[i]
		all.sent += x.tally.sent
		all.answered += x.tally.answered
		all.counted += x.tally.counted
		all.again += x.tally.again
		all.foreign += x.tally.foreign
		all.unsent += x.tally.unsent
		if missing += x.missing; x.missing > s.Tenants[worst].missing {
			worst = i
		}
	}
	what := c.Kind.Messages()
	switch p99 := time.Duration(s.Lateness.ValueAtQuantile(99)); {
	case all.foreign > 0:
		return fmt.Errorf("%w: %s %s came to another tenant's controller", report.ErrMisforwarded, report.Thousands(all.foreign),
			what)
	case all.answered == 0:
		return fmt.Errorf("%w: %s %s were sent, and waited for until %v after the last", report.ErrNothing,
			report.Thousands(all.sent), what, c.Drain)
	case all.unsent > 0:
		return fmt.Errorf("%w: %s %s could not be sent, as %s of a tenant waited", report.ErrSlow,
			report.Thousands(all.unsent), what, report.Thousands(c.slots()))
	case missing > 0:
		return fmt.Errorf("%w: %s of %s %s did not come through, and %v went by without any; %s of them are tenant %d's",
			report.ErrMissing, report.Thousands(missing), report.Thousands(all.sent), what, c.Drain,
			report.Thousands(s.Tenants[worst].missing), worst+1)
	case all.again > 0:
		return fmt.Errorf("%w: %s %s came more than once", report.ErrMisforwarded, report.Thousands(all.again), what)
	case all.counted == 0:
		return fmt.Errorf("%w: none of %s %s came through within the run of %v", report.ErrSlow,
			report.Thousands(all.answered), what, s.to-s.from)
	case c.Rate > 0 && p99 > c.LateLimit:
		return fmt.Errorf("%w: one message in a hundred by %v or more, allowed are %v", report.ErrLate, p99, c.LateLimit)
	}
	return nil
}

// Jain is Jain's index of fairness of some figures: 1 if all are the same, and one in so many if all but one are 0.
func Jain(figures []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range figures {
		sum += x
		squares += x * x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(figures)) * squares)
}
