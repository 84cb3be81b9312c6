package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Requests is how many requests for single intents an instance answers, each when it is durable, on
// several connections that are kept: each connection installs an intent (POST), moves its end to
// another port (PUT) and withdraws it (DELETE), in turn. The zero value of a field means its
// default.
type Requests struct {
	Setup
	Conns    []int         // numbers of connections, each measured by itself; default 1, 8, 32
	Flows    int           // paths that are installed before; default 1,000
	Rate     int           // requests a second in all, each meant for its own time; 0: the next as soon as one is answered
	Duration time.Duration // of each measurement; default 3 s
	Warmup   time.Duration // of requests before it, which do not count; default 1 s
	// LateLimit is how late one request in a hundred may be handed to the connections at a set
	// rate; default 1 ms. A measurement in which the generator was later is done again, but no more
	// often than there are runs.
	LateLimit time.Duration
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Requests) Check() error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Conns) == 0 {
		c.Conns = []int{1, 8, 32}
	}
	c.Flows = cmp.Or(c.Flows, 1000)
	c.Duration = cmp.Or(c.Duration, 3*time.Second)
	c.Warmup = cmp.Or(c.Warmup, time.Second)
	c.LateLimit = cmp.Or(c.LateLimit, time.Millisecond)
	switch {
	case slices.Min(c.Conns) < 1 || slices.Max(c.Conns) > maxConns:
		return fmt.Errorf("%v connections given, want numbers from 1 to %d", c.Conns, maxConns)
	case c.Flows < 1 || c.Flows > paths.Max/2 || c.Rate < 0 || c.Duration < 0 || c.Warmup < 0 || c.LateLimit < 0:
		return fmt.Errorf("%d paths before, a rate of %d for %v given, want positive ones, and %d paths at most",
			c.Flows, c.Rate, c.Duration, paths.Max/2)
	}
	return nil
}

// maxConns is how many connections there may be at most.
const maxConns = 1024

func (c *Requests) plan(r *report.Report) (list []participant) {
	how := "the next when one is answered"
	if c.Rate > 0 {
		how = report.Thousands(c.Rate) + "/s sent"
	}
	c.about(r, "requests", fmt.Sprintf(
		"requests: POST, PUT and DELETE of one intent over %d switches in turn, %s, with %s installed", c.Hops, how,
		report.Thousands(c.Flows)))
	r.Load.Rate, r.Load.Seconds = c.Rate, c.Duration.Seconds()
	for _, setup := range c.variants() {
		list = append(list, c.score(r, setup))
	}
	return list
}

// requestsScore is what is measured of an instance.
type requestsScore struct {
	subject
	c        *Requests
	setup    Setup
	latency  map[int]report.Histogram // by connections, of all runs
	lateness report.Histogram
}

func (c *Requests) score(r *report.Report, setup Setup) *requestsScore {
	x := setup.addSubject(r)
	s := &requestsScore{c: c, setup: setup, subject: subject{x}, latency: map[int]report.Histogram{},
		lateness: report.NewHistogram()}
	since := "from the first byte of a request to the end of its answer, when it is durable"
	if c.Rate > 0 {
		since = "from when a request was meant to be sent to the end of its answer, when it is durable"
	}
	for _, n := range c.Conns {
		s.latency[n] = x.Distribution("answered, "+report.Plural(n, "connection", "connections"), since)
	}
	if c.Rate > 0 {
		s.lateness = x.Distribution("lateness",
			"from when a request was meant to be sent to when the generator gave it to a connection")
	}
	return s
}

// requestRun is one measurement.
type requestRun struct {
	conns             int
	answered          int // of them those that count
	usage             target.Usage
	latency, lateness report.Histogram
	behind            int // requests that were due at the end and had no connection
	mods              uint64
	syncs             float64 // of the store and the audit log; 0 if not known
	mallocs           float64
}

func (m *requestRun) rate() float64 { return float64(m.answered) / m.usage.Elapsed.Seconds() }

// check tells why a measurement is no result.
func (m *requestRun) check(c *Requests) error {
	p99 := time.Duration(m.lateness.ValueAtQuantile(99))
	switch {
	case m.answered == 0:
		return fmt.Errorf("%w: no request on %s within %v", report.ErrNothing,
			report.Plural(m.conns, "connection", "connections"), m.usage.Elapsed)
	case c.Rate > 0 && p99 > c.LateLimit:
		return fmt.Errorf("%w: one request in a hundred by %v or more, allowed are %v", report.ErrLate, p99, c.LateLimit)
	case c.Rate > 0 && float64(m.behind) > maxBehind*float64(c.Rate):
		return fmt.Errorf("%w: of %s requests a second on %s, %s were due at the end and had not been sent",
			report.ErrSlow, report.Thousands(c.Rate),
			report.Plural(m.conns, "connection", "connections"), report.Thousands(m.behind))
	}
	return nil
}

// maxBehind is, at a set rate, for how many seconds requests may wait for a connection at the end.
const maxBehind = 0.1

// take adds the measurements of a run, those of the most connections first.
func (s *requestsScore) take(list []*requestRun) {
	x := s.result
	slices.SortStableFunc(list, func(a, b *requestRun) int { return b.conns - a.conns })
	for i, m := range list {
		on := ", " + report.Plural(m.conns, "connection", "connections")
		n := float64(m.answered)
		x.Take("requests"+on, "/s", m.rate())
		x.Take("p50"+on, "ms", float64(m.latency.ValueAtQuantile(50))/1e6)
		x.Take("p99"+on, "ms", float64(m.latency.ValueAtQuantile(99))/1e6)
		if m.syncs > 0 {
			x.Take("synchronisations of store and audit log, each"+on, "", m.syncs/n)
		}
		if m.mallocs > 0 {
			x.Take(target.Allocations+on, "", m.mallocs/n)
		}
		x.Take("flow-mods received, each"+on, "", float64(m.mods)/n)
		x.Take("CPU of the instance, each"+on, "µs", report.Microseconds(m.usage.Target)/n)
		x.Take("CPU of switches and generator, each"+on, "µs", report.Microseconds(m.usage.Generator)/n)
		if i == 0 {
			m.usage.Take(x, "instance", "switches and generator", n)
		}
		s.latency[m.conns].Merge(m.latency)
		s.lateness.Merge(m.lateness)
	}
}
