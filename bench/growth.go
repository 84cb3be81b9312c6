package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/openflow"
)

// Growth is what an event costs an instance where there is more of everything: CPU time and
// Allocations for each path installed or withdrawn while more intents, and so more rules, are held,
// and with more switches; and for each packet-in answered with more hosts. Each is measured as in
// Churn and Reactive, as fast as the instance keeps up with; of paths, what the instance takes at
// rest with as much of everything is taken away. The zero value of a field means its default.
type Growth struct {
	Setup
	Times    []int // how many times the smallest size; default 1, 10, 100. The first is what others are compared with
	Intents  int   // the smallest number that is held; default 2,000. Each is a rule at each of its hops
	Switches int   // the smallest number; default 20
	// the smallest number at the one switch of packet-ins; default 100. Few hosts have few ports,
	// each of which looks like a flood
	Hosts    int
	Duration time.Duration // of each measurement; default 5 s
}

// growthHops are the switches of each path where switches grow: the smallest network has to have
// such paths.
const growthHops = 3

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Growth) Check() error {
	c.Runs = cmp.Or(c.Runs, 3)
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Times) == 0 {
		c.Times = []int{1, 10, 100}
	}
	c.Intents = cmp.Or(c.Intents, 2000)
	c.Switches = cmp.Or(c.Switches, 20)
	c.Hosts = cmp.Or(c.Hosts, 100)
	c.Duration = cmp.Or(c.Duration, 5*time.Second)
	switch {
	case len(c.Times) < 2 || c.Times[0] < 1 || !slices.IsSorted(c.Times):
		return fmt.Errorf("%v times the smallest size given, want two numbers or more, the least first", c.Times)
	case c.Intents < load.BatchPaths*load.GeneratorConns: // else most of them are on their way, and not held
		return fmt.Errorf("%d intents given, want %d or more", c.Intents, load.BatchPaths*load.GeneratorConns)
	case c.Switches < 1 || c.Hosts < 48 || c.Duration < 0:
		return fmt.Errorf("%d switches, %d hosts and %v given, want positive ones, and 48 hosts or more, one at each port", c.Switches, c.Hosts, c.Duration)
	case c.Controller != "":
		return errors.New("an instance that runs is not measured so: want none given")
	}
	return nil
}

// dimension is one thing of which there is more and more.
type dimension struct {
	what    string
	event   string // what is counted
	measure func(ctx context.Context, times int) (*report.Result, error)
}

// dimensions are all that grow.
func (c *Growth) dimensions() []dimension {
	return []dimension{
		{"intents and their rules", "path installed or withdrawn", func(ctx context.Context, times int) (*report.Result, error) {
			return c.churned(ctx, c.Topology, c.Hops, c.Intents*times)
		}},
		{"switches and links", "path installed or withdrawn", func(ctx context.Context, times int) (*report.Result, error) {
			return c.churned(ctx, fmt.Sprintf("wan:%d", c.Switches*times), growthHops, c.Intents)
		}},
		{"hosts", "packet-in answered", c.answered},
	}
}

// churned measures paths that come and go.
func (c *Growth) churned(ctx context.Context, topology string, hops, active int) (*report.Result, error) {
	churn := &Churn{Setup: c.Setup, Scenario: "growth", Form: paths.FormProtobuf, Active: active, Duration: c.Duration,
		Warmup: c.Duration / 5, Beyond: true}
	churn.Topology, churn.Hops, churn.Runs, churn.NoSelfCheck = topology, hops, 1, true
	return onlyResult(Run(ctx, churn))
}

// answered measures packet-ins of a switch with so many hosts.
func (c *Growth) answered(ctx context.Context, times int) (*report.Result, error) {
	r := &Reactive{Config: load.Config{Version: openflow.V13, Topology: "single:1", Hosts: c.Hosts * times,
		Buffered: true, Seed: c.Seed}, Targets: []string{target.Self}, Duration: c.Duration, Program: c.Program,
		Options: Options{Runs: 1, NoSelfCheck: true, Note: c.Note}}
	return onlyResult(Run(ctx, r))
}

// onlyResult is that of a report with one subject.
func onlyResult(r *report.Report, err error) (*report.Result, error) {
	switch {
	case err != nil:
		return nil, err
	case r.Results[0].Refused != "":
		return nil, errors.New(r.Results[0].Refused)
	}
	return r.Results[0], nil
}

func (c *Growth) plan(r *report.Report) (list []participant) {
	title := fmt.Sprintf("growth: cost of an event at %v times %s intents, %d switches and %d hosts", c.Times,
		report.Thousands(c.Intents), c.Switches, c.Hosts)
	c.about(r, "growth", title)
	r.Load.Seconds = c.Duration.Seconds()
	for _, g := range c.dimensions() {
		x := r.Add(g.what)
		x.Notes = append(x.Notes, "an event is a "+g.event)
		list = append(list, &growthScore{subject: subject{x}, c: c, dimension: g})
	}
	return list
}

// growthScore is what is measured of one thing that grows.
type growthScore struct {
	subject
	dimension
	c *Growth
}

// run is one run: each size, one after the other.
func (s *growthScore) run(ctx context.Context, _ int) error {
	c, x := s.c, s.result
	cpu, mallocs := make([]float64, len(c.Times)), make([]float64, len(c.Times))
	for i, times := range c.Times {
		m, err := s.measure(ctx, times)
		if err != nil {
			return fmt.Errorf("%d times as many: %w", times, err)
		}
		cpu[i] = m.Processes[0].CPUPerWork.Runs[0]
		if a := m.Measure(target.Allocations); a != nil {
			mallocs[i] = a.Runs[0]
		}
		if b := m.Measure(cpuBeyond); b != nil {
			cpu[i], mallocs[i] = b.Runs[0], m.Measure(mallocsBeyond).Runs[0]
		}
		c.Note("%d times as many %s: %s µs of CPU and %s allocations an event", times, s.what, report.ThreeDigits(cpu[i]),
			report.ThreeDigits(mallocs[i]))
	}
	for i, times := range c.Times[1:] {
		x.Take(fmt.Sprintf("CPU of an event, %d times as many ÷ %d", times, c.Times[i]), "", cpu[i+1]/max(cpu[i], 1e-9))
		x.Take(fmt.Sprintf("allocations of an event, %d times as many ÷ %d", times, c.Times[i]), "",
			(mallocs[i+1]+1)/(mallocs[i]+1))
	}
	for i, times := range c.Times {
		x.Take(fmt.Sprintf("CPU of an event, %d times as many", times), "µs", cpu[i])
		x.Take(fmt.Sprintf("allocations of an event, %d times as many", times), "", mallocs[i])
	}
	return nil
}
