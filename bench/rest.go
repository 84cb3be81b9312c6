package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Rest is what an emulated network and the instance that controls it take while nothing happens but
// that hosts ping each other, each always the same one: over TCP, each in a process of its own. The
// zero value of a field means its default.
type Rest struct {
	Topology string        // as topo.Parse reads it; default wan:1000. Each switch has a host
	Interval time.Duration // between two pings of a host; default 1 s
	Settle   time.Duration // from the first ping to when it counts; default 30 s
	Duration time.Duration // default 5 min
	Limit    time.Duration // until all links are found; default 2 min
	Seed     uint64
	Program  string // the weir binary of the instance; default this one
	Options         // Runs is 1 by default
	topology *topo.Topology
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Rest) Check() error {
	c.Topology = cmp.Or(c.Topology, "wan:1000")
	c.Interval = cmp.Or(c.Interval, time.Second)
	c.Settle = cmp.Or(c.Settle, 30*time.Second)
	c.Duration = cmp.Or(c.Duration, 5*time.Minute)
	c.Limit = cmp.Or(c.Limit, 2*time.Minute)
	if err := c.Options.check(1); err != nil {
		return err
	}
	if c.Interval < 0 || c.Settle < 0 || c.Duration < 0 || c.Limit < 0 {
		return fmt.Errorf("runs of %v with pings every %v given, want positive ones", c.Duration, c.Interval)
	}
	t, err := topo.Parse(c.Topology, c.Seed)
	if err == nil && len(t.Hosts) < 2 {
		err = fmt.Errorf("topology %q given, want one with two hosts or more", c.Topology)
	}
	c.topology = t
	return err
}

func (c *Rest) plan(r *report.Report) []participant {
	t := c.topology
	title := fmt.Sprintf("an emulated network under an instance, at rest: %s, %s that ping each other every %v, for %v",
		report.Plural(len(t.Switches), "switch", "switches"), report.Plural(len(t.Hosts), "host", "hosts"), c.Interval,
		c.Duration)
	about(r, "rest", title, openflow.V13, c.Topology, t, c.Seed)
	r.Load.Seconds = c.Duration.Seconds()
	return []participant{&restScore{subject: subject{r.Add(report.Weir)}, c: c, report: r}}
}

// restScore is what is measured of all runs.
type restScore struct {
	subject
	c      *Rest
	report *report.Report
}

func (x *restScore) run(ctx context.Context, i int) error {
	s := &restRun{c: x.c}
	if err := s.run(ctx); err != nil {
		return err
	}
	s.take(x.result)
	noteFidelity(x.report, s.fidelity)
	x.c.Note("run %d of %d: %v of CPU time of the instance and %v of the network in %v", i+1, x.c.Runs, s.usage.Target,
		s.usage.Generator, s.usage.Elapsed.Round(time.Millisecond))
	return nil
}

// take adds a run to a result.
func (s *restRun) take(x *report.Result) {
	u := &s.usage
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / u.Elapsed.Seconds() }
	x.Take("CPU of both processes, of a core", "%", share(u.Target+u.Generator))
	x.Take("CPU of the instance, of a core", "%", share(u.Target))
	x.Take("CPU of the emulated network, of a core", "%", share(u.Generator))
	x.Take("pings", "/s", float64(s.sent)/u.Elapsed.Seconds())
	x.Take("pings without an answer", "", float64(s.sent)-float64(s.received))
	x.Take("first connection to all links shown", "ms", report.Milliseconds(s.linked))
	x.Take("directions of links that are not shown at the end", "", float64(s.lost))
	x.Take("memory of the instance", "MiB", report.Mebibytes(u.TargetMemory))
	x.Take("memory of the emulated network", "MiB", report.Mebibytes(u.GeneratorMemory))
}
