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
	Runs     int           // default 1
	Seed     uint64
	Note     func(format string, args ...any)
	Program  string // the weir binary of the instance; default this one

	Build, Command string // for the report
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Rest) Check() error {
	c.Topology = cmp.Or(c.Topology, "wan:1000")
	c.Interval = cmp.Or(c.Interval, time.Second)
	c.Settle = cmp.Or(c.Settle, 30*time.Second)
	c.Duration = cmp.Or(c.Duration, 5*time.Minute)
	c.Limit = cmp.Or(c.Limit, 2*time.Minute)
	c.Runs = cmp.Or(c.Runs, 1)
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	if c.Interval < 0 || c.Settle < 0 || c.Duration < 0 || c.Limit < 0 || c.Runs < 1 {
		return fmt.Errorf("%d runs of %v with pings every %v given, want positive ones", c.Runs, c.Duration, c.Interval)
	}
	t, err := topo.Parse(c.Topology, c.Seed)
	if err == nil && len(t.Hosts) < 2 {
		err = fmt.Errorf("topology %q given, want one with two hosts or more", c.Topology)
	}
	return err
}

// Run starts an instance and a network, measures them, and ends them, as often as there are runs.
func (c *Rest) Run(ctx context.Context) (*report.Report, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	t, err := topo.Parse(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	r := &report.Report{Format: report.Format, Scenario: "rest",
		Title: fmt.Sprintf("an emulated network under an instance, at rest: %s, %s that ping each other every %v, for %v",
			report.Plural(len(t.Switches), "switch", "switches"), report.Plural(len(t.Hosts), "host", "hosts"), c.Interval,
			c.Duration), Command: c.Command, Build: c.Build,
		Machine: report.ThisMachine(), Load: report.Load{OpenFlow: openflow.V13.String(), Topology: c.Topology,
			Switches: len(t.Switches), Seconds: c.Duration.Seconds(),
			Runs: c.Runs, Seed: c.Seed}}
	x := r.Add(report.Weir)
	for i := range c.Runs {
		s := &restRun{c: c, topology: t}
		if err := s.run(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, &interrupted{i, c.Runs, ctx.Err()}
			}
			x.Refuse(fmt.Errorf("run %d: %w", i+1, err))
			break
		}
		s.take(x)
		if s.fidelity != nil {
			noteFidelity(r, *s.fidelity)
		}
		c.Note("run %d of %d: %v of CPU time of the instance and %v of the network in %v", i+1, c.Runs, s.instance,
			s.network, s.elapsed.Round(time.Millisecond))
	}
	r.Finish()
	return r, nil
}

// take adds a run to a result.
func (s *restRun) take(x *report.Result) {
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / s.elapsed.Seconds() }
	x.Take("CPU of both processes, of a core", "%", share(s.instance+s.network))
	x.Take("CPU of the instance, of a core", "%", share(s.instance))
	x.Take("CPU of the emulated network, of a core", "%", share(s.network))
	x.Take("pings", "/s", float64(s.sent)/s.elapsed.Seconds())
	x.Take("pings without an answer", "", float64(s.sent)-float64(s.received))
	x.Take("first connection to all links shown", "ms", report.Milliseconds(s.linked))
	x.Take("directions of links that are not shown at the end", "", float64(s.lost))
	x.Take("memory of the instance", "MiB", report.Mebibytes(s.memory))
	x.Take("memory of the emulated network", "MiB", report.Mebibytes(s.own))
}
