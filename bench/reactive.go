package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu/topo"
)

// Reactive is how packet-ins are answered. The zero value of a field means its default.
type Reactive struct {
	load.Config
	// Targets are the controllers measured, alternately: an address, or the name of one that is
	// started (see target.Controllers).
	Targets  []string
	Duration time.Duration // of one run; default 3 s
	// Cut is for how long there is load before and after each run that does not count; default a
	// tenth of Duration, negative none.
	Cut  time.Duration
	Runs int // default 5
	// NoSelfCheck leaves out the null responder that is measured beside the controllers if it is
	// not among them.
	NoSelfCheck bool
	// Note, if set, is told what is being done.
	Note func(format string, args ...any)
	// Program is the weir binary for the controllers that are started; default this one.
	Program        string
	Build, Command string // for the report

	uncut bool // Cut was negative
}

func (c *Reactive) withDefaults() {
	c.Duration = cmp.Or(c.Duration, 3*time.Second)
	c.Runs = cmp.Or(c.Runs, 5)
	if c.Cut < 0 {
		c.Cut, c.uncut = 0, true
	}
	if !c.uncut {
		c.Cut = cmp.Or(c.Cut, c.Duration/10)
	}
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Reactive) Check() error {
	c.withDefaults()
	for _, name := range c.Targets {
		if !target.IsController(name) {
			return fmt.Errorf("controller %q given, want HOST:PORT or one of %s", name, strings.Join(target.Controllers(), ", "))
		}
	}
	switch {
	case len(c.Targets) == 0:
		return errors.New("no controller given")
	case c.Runs < 1 || c.Duration <= 0:
		return fmt.Errorf("%d runs of %v given, want positive ones", c.Runs, c.Duration)
	}
	return c.Config.Check()
}

// Run measures all targets, alternately, and reports.
func (c *Reactive) Run(ctx context.Context) (*report.Report, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	topology, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	r := c.report(len(topology.Switches))
	trials := c.trials(r, topology)
	defer func() {
		for _, t := range trials {
			t.close()
		}
	}()
	for _, t := range trials {
		if err := t.begin(ctx); err != nil {
			t.refuse(ctx, err)
		}
	}
	if err := c.rounds(ctx, trials); err != nil {
		return nil, err
	}
	for _, t := range trials {
		t.finish()
	}
	r.Finish()
	r.ApplySelfChecks()
	return r, nil
}

// rounds does all runs; its error says how many were whole when they were interrupted.
func (c *Reactive) rounds(ctx context.Context, trials []*trial) error {
	done := 0
	for i := 0; i < c.Runs && ctx.Err() == nil; i++ {
		whole := true
		for _, t := range trials {
			if t.result.Refused == "" {
				t.turn(ctx, i)
				whole = whole && (ctx.Err() == nil || t.result.Refused == "")
			}
		}
		if whole {
			done++
		}
	}
	if err := ctx.Err(); err != nil {
		return &interrupted{done, c.Runs, err}
	}
	return nil
}

// report is one without results.
func (c *Reactive) report(switches int) *report.Report {
	r := &report.Report{Format: report.Format, Scenario: "reactive", Title: c.title(switches), Command: c.Command,
		Build: c.Build, Machine: report.ThisMachine()}
	r.Load = report.Load{OpenFlow: c.Version.String(), Topology: c.Topology, Switches: switches, Hosts: c.Hosts,
		Rate: c.Rate, Buffered: c.Buffered,
		Learning: c.Learning, Hops: c.Hops, Seconds: c.Duration.Seconds(), Cut: c.Cut.Seconds(), Runs: c.Runs, Seed: c.Seed}
	if c.Rate == 0 {
		r.Load.Outstanding = c.Outstanding
	}
	return r
}

// title says what is measured.
func (c *Reactive) title(switches int) string {
	what := c.work()
	if c.Hops > 0 {
		what = fmt.Sprintf("new flows over %d switches", c.Hops)
	}
	how := fmt.Sprintf("%d outstanding a switch", c.Outstanding)
	if c.Rate > 0 {
		how = fmt.Sprintf("%s/s sent", report.Thousands(float64(c.Rate)))
	}
	buffers := "unbuffered"
	if c.Buffered {
		buffers = "buffered"
	}
	return fmt.Sprintf("%s: OpenFlow %s, %s, %s, %s", what, c.Version, report.Plural(switches, "switch", "switches"),
		buffers, how)
}

// trials are those of all targets, and of the null responder, by which the generator checks itself.
func (c *Reactive) trials(r *report.Report, topology *topo.Topology) []*trial {
	var out []*trial
	add := func(name string) *trial {
		t := &trial{name: name, c: c, topology: topology, result: r.Add(subjectOf(name)), latency: report.NewHistogram(),
			lateness: report.NewHistogram()}
		t.result.SelfCheck = name == target.Bare
		out = append(out, t)
		return t
	}
	for _, name := range c.Targets {
		add(name)
	}
	if !c.NoSelfCheck && !slices.Contains(c.Targets, target.Bare) {
		t := add(target.Bare)
		plain := *c
		plain.Hops, plain.Outstanding = 0, max(c.Outstanding, 256) // the null responder installs no paths
		if c.Hops > 0 {
			t.c = &plain
		}
	}
	return out
}
