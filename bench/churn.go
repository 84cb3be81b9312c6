package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Churn is how many paths an instance installs and withdraws a second for a time, while many are
// active, what that takes of memory and disk, and how it comes back when it is killed. The zero
// value of a field means its default.
type Churn struct {
	Setup
	Scenario string        // of the report; default "intents"
	Form     paths.Form    // default NDJSON
	Active   int           // paths; default 1,000,000
	Rate     int           // installs and withdrawals a second together; 0: as many as the instance keeps up with
	Duration time.Duration // default 1 min
	Warmup   time.Duration // of installing and withdrawing that does not count; default 5 s
	Restart  bool          // the instance is killed at the end and started again
	// Beyond has taken what the instance takes at rest, with all paths installed, so that what an
	// operation costs is told without it.
	Beyond bool
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Churn) Check() error {
	if err := c.check(); err != nil {
		return err
	}
	c.Scenario = cmp.Or(c.Scenario, "intents")
	c.Form = cmp.Or(c.Form, paths.FormNDJSON)
	c.Active = cmp.Or(c.Active, 1_000_000)
	c.Duration = cmp.Or(c.Duration, time.Minute)
	c.Warmup = cmp.Or(c.Warmup, 5*time.Second)
	switch {
	case c.Active < 1 || c.Active > paths.Max/2 || c.Rate < 0 || c.Duration < 0 || c.Warmup < 0:
		return fmt.Errorf("%d active paths, a rate of %d for %v given, want positive ones, and %d paths at most",
			c.Active, c.Rate, c.Duration, paths.Max/2)
	case c.Restart && c.Controller != "":
		return fmt.Errorf("the instance at %s is not killed: want none given", c.Controller)
	}
	return nil
}

func (c *Churn) plan(r *report.Report) (list []participant) {
	how := "as many as are kept up with"
	if c.Rate > 0 {
		how = report.Thousands(c.Rate) + "/s"
	}
	c.about(r, c.Scenario, fmt.Sprintf("%s: installed and withdrawn over %d switches each, %s, with %s active; %s",
		c.Scenario, c.Hops, how, report.Thousands(c.Active), c.Form))
	r.Load.Rate, r.Load.Seconds = c.Rate, c.Duration.Seconds()
	for _, setup := range c.variants() {
		x := setup.addSubject(r)
		s := &churnScore{subject: subject{x}, c: c, setup: setup, requestTimes: newRequestTimes(x, c.Rate > 0)}
		list = append(list, s)
	}
	return list
}

// requestTimes are those of requests that are meant to leave at times, of all runs.
type requestTimes struct{ requests, late report.Histogram }

// newRequestTimes adds the distributions to a result: how late requests left only at a set rate.
func newRequestTimes(x *report.Result, paced bool) requestTimes {
	t := requestTimes{late: report.NewHistogram(), requests: x.Distribution("request",
		"from when a request was meant to leave to the end of its answer, when all of it is durable")}
	if paced {
		t.late = x.Distribution("sent late",
			"from when a request was meant to leave to when it left: for want of time of the generator, or of an answer on its connection")
	}
	return t
}

// churnScore is what is measured of an instance.
type churnScore struct {
	subject
	c     *Churn
	setup Setup
	requestTimes
}

// run is one run.
func (x *churnScore) run(ctx context.Context, i int) error {
	s := &churnRun{churnScore: x}
	if err := s.measureAll(ctx); err != nil {
		return err
	}
	s.take(x.result)
	x.c.Note("run %d of %d: %s: %s paths/s, %s flow-mods/s; %s", i+1, x.c.Runs, x.result.Subject,
		report.Thousands(s.paths()), report.Thousands(s.flowMods()), s.growth.String())
	return nil
}

// churnRun is one run.
type churnRun struct {
	*churnScore

	filled     time.Duration // how long it took to fill the network
	usage      target.Usage
	puts, gone uint64 // entries of paths that came and went
	mods       uint64
	hops       int
	overloads  int
	growth     usageSeries
	peak       int64   // of the instance's memory, so far
	mallocs    float64 // of the instance
	idle       idleUsage
	restart    *restartRun
}

// paths is how many were installed and withdrawn a second, as switches have received it.
func (s *churnRun) paths() float64 { return s.each(s.puts + s.gone) }

// each is how many paths a second some entries are of.
func (s *churnRun) each(entries uint64) float64 {
	return float64(entries) / float64(s.hops) / s.usage.Elapsed.Seconds()
}

func (s *churnRun) flowMods() float64 { return float64(s.mods) / s.usage.Elapsed.Seconds() }

// take adds the run to the result.
func (s *churnRun) take(x *report.Result) {
	x.Take("operations: paths installed and withdrawn", "/s", s.paths())
	x.Take("paths installed", "/s", s.each(s.puts))
	x.Take("paths withdrawn", "/s", s.each(s.gone))
	x.Take("flow-mods received", "/s", s.flowMods())
	x.Take("paths installed to fill the network", "/s", float64(s.c.Active)/s.filled.Seconds())
	g := &s.growth
	x.Take("memory of the instance, filled", "MiB", report.Mebibytes(g.memory[0]))
	x.Take("memory of the instance, at the end", "MiB", report.Mebibytes(g.memory[len(g.memory)-1]))
	x.Take("memory of the instance, at its peak", "MiB", report.Mebibytes(s.peak))
	x.Take("memory that it grew by, a minute", "MiB", max(g.slope(), 0))
	x.Take("files of the instance, filled", "MiB", report.Mebibytes(g.files[0]))
	x.Take("files of the instance, at most", "MiB", report.Mebibytes(slices.Max(g.files)))
	x.Take("answers of overload", "", float64(s.overloads))
	if s.restart != nil {
		s.restart.take(x)
	}
	work := float64(s.puts+s.gone) / float64(s.hops)
	if s.mallocs > 0 {
		x.Take(target.Allocations, "", s.mallocs/work)
	}
	if s.c.Beyond {
		r := &s.idle
		elapsed := s.usage.Elapsed.Seconds()
		x.Take(cpuBeyond, "µs", max(report.Microseconds(s.usage.Target)-r.cpu*1e6*elapsed, 0)/work)
		x.Take(mallocsBeyond, "", max(s.mallocs-r.mallocs*elapsed, 0)/work)
		x.Take("CPU of the instance at rest, of a core", "%", 100*r.cpu)
	}
	s.usage.Take(x, "instance", "switches and generator", work)
}

// What an operation costs beyond what the instance takes at rest.
const (
	cpuBeyond     = "CPU of the instance beyond that at rest, each"
	mallocsBeyond = "allocations of the instance beyond those at rest, each"
)

// idleUsage is what an instance takes at rest.
type idleUsage struct {
	cpu     float64 // cores
	mallocs float64 // a second
}

// usageSeries is the memory and the files of an instance, once a second.
type usageSeries struct {
	memory, files []int64
}

// slope is how much the memory grew in a minute, in MiB: of the line through all its values with
// the least squares.
func (g *usageSeries) slope() float64 {
	n := float64(len(g.memory))
	if n < 2 {
		return 0
	}
	var sx, sy, sxx, sxy float64
	for i, m := range g.memory {
		x, y := float64(i), report.Mebibytes(m)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx) * 60
}

func (g *usageSeries) String() string {
	last := len(g.memory) - 1
	return fmt.Sprintf("memory %s to %s MiB, files %s MiB", report.ThreeDigits(report.Mebibytes(g.memory[0])),
		report.ThreeDigits(report.Mebibytes(g.memory[last])), report.ThreeDigits(report.Mebibytes(g.files[last])))
}
