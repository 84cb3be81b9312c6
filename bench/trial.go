package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// trial is one target under load.
type trial struct {
	subject
	name     string
	c        *Reactive
	process  *target.Process // nil if somebody else runs the controller
	load     *load.Load
	latency  report.Histogram // of all runs
	lateness report.Histogram
	paths    load.PathCounts
}

// begin starts a controller, connects the switches and makes all hosts known to it.
func (t *trial) begin(ctx context.Context) error {
	p, err := target.StartController(ctx, t.name, &target.Spec{Version: t.c.Version, Learning: t.c.Learning,
		Switches: len(t.c.Network.Switches), Links: len(t.c.Network.Links), Ports: min(t.c.Hosts, load.HostPorts),
		Program: t.c.Program})
	if err != nil {
		return err
	}
	t.process, t.result.Program = p, p.Version
	cfg := t.c.Config
	if t.name == target.Faucet {
		cfg.CopyVLAN = target.FaucetVLAN
	}
	t.load = load.New(&cfg)
	began := t.load.Clock()
	if err := t.load.Connect(ctx, p.Address); err != nil {
		return err
	}
	if err := t.load.IntroduceHosts(ctx); err != nil {
		return err
	}
	t.c.Note("%s at %s knows all hosts after %v", t.name, p.Address, (t.load.Clock() - began).Round(time.Millisecond))
	return t.load.Warm(ctx)
}

// run does the i-th run.
func (t *trial) run(ctx context.Context, i int) error {
	s, err := t.sample(ctx)
	if errors.Is(err, report.ErrMissing) {
		t.result.Lost = &report.Lost{Sent: s.Counts.Sent, Missing: uint64(s.Missing)}
		return t.heldBack(ctx, err)
	} else if err != nil {
		return err
	}
	t.take(s)
	t.c.Note("run %d of %d: %s answers %s/s, median %v", i+1, t.c.Runs, t.name, report.Thousands(s.Rate()), s.At(50))
	return nil
}

// heldBack adds to an error that an instance took ports for such that flood it, if it did.
func (t *trial) heldBack(ctx context.Context, err error) error {
	if t.name != target.Self {
		return err
	}
	m, _ := t.process.ReadMetrics(ctx, "")
	if n := m[target.MetricFloods]; n > 0 {
		return fmt.Errorf("%w; the instance has held back ports that flood it, %.0f times: few ports sent all packets, want --hosts %d or more, as many ports as a switch here has", err, n, load.HostPorts)
	}
	return err
}

// sample does one run and judges it.
func (t *trial) sample(ctx context.Context) (*load.Sample, error) {
	var before float64
	if t.name == target.Self {
		before = t.process.Mallocs(ctx)
	}
	s, err := t.load.Measure(ctx, t.c.Duration, t.c.Cut, t.process)
	if err != nil {
		return s, err
	}
	if t.name == target.Self {
		s.Mallocs = t.process.Mallocs(ctx) - before
	}
	return s, s.Check(&t.c.Config)
}

// take adds a run to the result.
func (t *trial) take(s *load.Sample) {
	x := t.result
	x.Take(t.c.work(), "/s", s.Rate())
	x.Take("messages an answer", "", float64(s.Counts.Messages)/float64(s.Counts.Answered))
	if t.process.Owned() {
		x.Use("controller", s.Usage.Target, s.Work(), s.Usage.TargetMemory)
	}
	if s.Mallocs > 0 {
		x.Take(target.Allocations, "", s.Mallocs/float64(s.Counts.Answered))
	}
	x.Use("generator", s.Usage.Generator, s.Work(), s.Usage.GeneratorMemory)
	t.latency.Merge(s.Latency)
	t.lateness.Merge(s.Lateness)
	t.paths.Add(s.Paths)
}

// work is what the first measure counts.
func (c *Reactive) work() string {
	switch {
	case c.Hops > 0:
		return "flows complete"
	case c.Learning:
		return "new hosts answered"
	}
	return "packet-ins answered"
}

// finish reads what is of all runs together.
func (t *trial) finish() {
	if t.c.Hops > 0 {
		t.result.Notes = append(t.result.Notes,
			fmt.Sprintf("second packet-ins %d; released before a barrier behind the rules: %d of %d looked at",
				t.paths.Repeated, t.paths.Unordered, t.paths.Checked))
	}
}

// close ends the load and the controller.
func (t *trial) close() {
	if t.load != nil {
		t.load.Close()
	}
	if t.process != nil {
		t.process.Stop()
	}
}
