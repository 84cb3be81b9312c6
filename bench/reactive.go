package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Reactive is how packet-ins are answered. The zero value of a field means its default.
type Reactive struct {
	// Targets are the controllers measured, alternately: an address, or the name of one that is
	// started (see Controllers).
	Targets []string
	Version openflow.Version // default 1.3
	// Topology is as loadswitch.ParseTopology reads it; default single:N.
	Topology string
	Hosts    int // at each switch; default 1000
	// Hops, if not 0, makes every packet the first of a new flow between hosts whose shortest path
	// has so many switches. It is answered when it is released and finds the rules of its path at
	// every switch. Hosts is then 20 by default, and Outstanding 32.
	Hops int
	// Outstanding packet-ins of each switch wait at any time; default 256. 1 measures round trips.
	Outstanding int
	// Rate, if not 0, is how many packets a second are sent in all, whether answers come or not.
	Rate int
	// Learning, if set, has every packet come from a host that was not there before, to a known
	// one. It is then also answered by the first flow-mod that adds an entry with the new host's
	// address.
	Learning bool
	// Buffered packet-ins have a buffer id; the others are answered by a packet-out with their
	// frame.
	Buffered bool
	Duration time.Duration // of one run; default 3 s
	// Cut is for how long there is load before and after each run that does not count; default a
	// tenth of Duration, negative none.
	Cut    time.Duration
	Warmup time.Duration // load before the first run that does not count; default 1 s
	Runs   int           // default 5
	Seed   uint64
	// Settle is how long a controller may take until it knows all hosts; default 60 s.
	Settle time.Duration
	// Drain is after how long without any answer those that are missing are given up, after a run;
	// default 2 s.
	Drain time.Duration
	// LateLimit is how late one packet in a hundred may be sent at a set rate; default 1 ms. A run
	// in which the generator was later is done again, but no more often than there are runs.
	LateLimit time.Duration
	// NoSelfCheck leaves out the null responder that is measured beside the controllers if it is
	// not among them.
	NoSelfCheck bool
	// Note, if set, is told what is being done.
	Note func(format string, args ...any)
	// Program is the weir binary for the controllers that are started; default this one.
	Program        string
	Build, Command string // for the report

	uncut bool                                                        // Cut was negative
	dial  func(ctx context.Context, address string) (net.Conn, error) // nil dials TCP
}

func (c *Reactive) slots() int {
	if c.Rate > 0 {
		return maxWindow
	}
	return max(c.Outstanding, probes)
}

// probes is how many hosts of a switch are asked for at a time, and half of how many of all
// switches.
const probes = 256

func (c *Reactive) withDefaults() {
	c.Version = cmp.Or(c.Version, openflow.V13)
	c.Topology = cmp.Or(c.Topology, "single:1")
	if c.Hops > 0 {
		c.Hosts, c.Outstanding = cmp.Or(c.Hosts, 20), cmp.Or(c.Outstanding, 32)
	}
	c.Hosts = cmp.Or(c.Hosts, 1000)
	c.Outstanding = cmp.Or(c.Outstanding, 256)
	c.Duration = cmp.Or(c.Duration, 3*time.Second)
	c.Warmup = cmp.Or(c.Warmup, time.Second)
	c.Runs = cmp.Or(c.Runs, 5)
	if c.Cut < 0 {
		c.Cut, c.uncut = 0, true
	}
	if !c.uncut {
		c.Cut = cmp.Or(c.Cut, c.Duration/10)
	}
	c.Settle = cmp.Or(c.Settle, time.Minute)
	c.Drain = cmp.Or(c.Drain, 2*time.Second)
	c.LateLimit = cmp.Or(c.LateLimit, time.Millisecond)
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Reactive) Check() error {
	c.withDefaults()
	topology, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return err
	}
	for _, name := range c.Targets {
		if !target.IsController(name) {
			return fmt.Errorf("controller %q given, want HOST:PORT or one of %s", name, strings.Join(target.Controllers(), ", "))
		}
	}
	switch {
	case len(c.Targets) == 0:
		return errors.New("no controller given")
	case c.Hosts < 2:
		return fmt.Errorf("%d hosts a switch given, want 2 or more: packets go from one to another", c.Hosts)
	case c.Outstanding < 1 || c.Outstanding > maxWindow:
		return fmt.Errorf("%d outstanding packet-ins given, want 1 to %d", c.Outstanding, maxWindow)
	case c.Hops < 0 || c.Hops == 1 || c.Hops > paths.MaxHops:
		return fmt.Errorf("paths of %d switches given, want 2 to %d", c.Hops, paths.MaxHops)
	case c.Learning && (c.Hops > 0 || len(topology.Switches) > maxLearning):
		return fmt.Errorf("new hosts at %d switches given, want %d at most, and no paths that are followed",
			len(topology.Switches), maxLearning)
	case c.Hops > 0 && c.Rate > 0:
		return errors.New("paths at a set rate are not measured: give a number outstanding")
	case c.Rate < 0 || c.Runs < 1 || c.Duration <= 0:
		return errors.New("rate, runs and duration must be positive")
	}
	return c.checkHops(topology)
}

// checkHops finds that a topology has no shortest path of so many switches. Where there is a longer
// one there is one of this length too.
func (c *Reactive) checkHops(topology *topo.Topology) error {
	longest, next := 1, topology.Neighbours()
	for from := range next {
		if longest >= c.Hops {
			return nil
		}
		for _, d := range topo.Distances(from, next) {
			longest = max(longest, d+1)
		}
	}
	if longest < c.Hops {
		return fmt.Errorf("paths of %d switches given, want a topology that has one: the longest in %s has %d",
			c.Hops, c.Topology, longest)
	}
	return nil
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
