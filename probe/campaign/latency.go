package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// Latency measures the path latency between two interfaces. A zero value of a field is its default.
type Latency struct {
	From, To nic.Config
	Sizes    []int         // bytes of an echo's data; default DefaultSizes
	Count    int           // echoes of each size; default 20
	Interval time.Duration // from one echo to the next; default 20 ms
	Six      bool          // over IPv6
	VLAN     uint16        // id of the tag that packets have; 0: none
	Limits   probe.Limits
	Load     Load // goes on beside the echoes
	// Symmetric refuses a result where the way there and the way back take longer than each other
	// by more than the probe's own spread.
	Symmetric      bool
	Note           func(format string, args ...any) // if set, is told what is being done
	Build, Command string                           // for the report
}

// DefaultSizes are those of the paper, and ping's.
var DefaultSizes = []int{56, 1500, 10000, 65000}

// Limits of a campaign.
const (
	MaxSize  = 65507 // bytes of an echo's data over IPv4
	MaxCount = 1000  // echoes of each size
)

// Sample is one echo, as it was measured.
type Sample struct {
	Size  int
	Seq   int
	Ping  time.Duration // Δ1
	Other time.Duration // Δ2, the time that the other station took
	Path  time.Duration // Δ1 − Δ2, with the probe's own share
	// There and Back are each way's part of Path, with the own share, as far as both interfaces
	// have one clock.
	There, Back time.Duration
}

// Check fills in defaults and finds what is wrong.
func (c *Latency) Check() error {
	c.Count, c.Interval = cmp.Or(c.Count, 20), cmp.Or(c.Interval, 20*time.Millisecond)
	if c.Sizes == nil {
		c.Sizes = DefaultSizes
	}
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	for _, s := range c.Sizes {
		if s < 0 || s > MaxSize {
			return fmt.Errorf("size %d given, want bytes from 0 to %d", s, MaxSize)
		}
	}
	switch {
	case len(c.Sizes) == 0:
		return errors.New("no sizes given, want one at least, such as 1500")
	case c.Count < 2 || c.Count > MaxCount:
		return fmt.Errorf("%d echoes given, want 2 to %d", c.Count, MaxCount)
	case c.VLAN > 4094:
		return fmt.Errorf("VLAN %d given, want 1 to 4094", c.VLAN)
	case c.From == c.To && c.From.Interface != "":
		return fmt.Errorf("%s given twice, want two interfaces", c.From.String())
	}
	return c.Load.check(c.From, c.To)
}

// Run measures: a cable, the path, and the cable again. The error is that of a wrong configuration,
// of an interface, or of an interruption; what spoils one size only is in the report.
func (c *Latency) Run(ctx context.Context) (*report.Report, []Sample, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	path, err := openBed([2]nic.Config{c.From, c.To}, c.plan())
	if err != nil {
		return nil, nil, err
	}
	defer path.close()
	if err := path.join(ctx); err != nil {
		return nil, nil, err
	}
	beside, err := path.startLoad(ctx, &c.Load)
	if err != nil {
		return nil, nil, err
	}
	defer beside.close()
	r := c.report("probe latency", fmt.Sprintf("two-way path latency, %v stamps, %s", path.near.nic.Stamps(), c.Load.String()))
	rounds := make([]sized, len(c.Sizes))
	for _, step := range []func() error{
		func() error { return c.cable(ctx, path, rounds) },
		func() error { return c.path(ctx, path, beside, rounds) },
		func() error { return c.cable(ctx, path, rounds) },
	} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	var samples []Sample
	for i, size := range c.Sizes {
		x := r.Add(fmt.Sprintf("%d bytes", size))
		if err := c.add(x, path, size, &rounds[i]); err != nil {
			x.Refuse(err)
		}
		samples = append(samples, rounds[i].samples(size)...)
	}
	r.Finish()
	return r, samples, nil
}

// report is one without results.
func (c *Latency) report(scenario, title string) *report.Report {
	return &report.Report{Format: report.Format, Scenario: scenario, Title: title, Command: c.Command, Build: c.Build,
		Machine: report.ThisMachine(), Load: report.Load{Topology: c.From.String() + " to " + c.To.String(), Runs: c.Count}}
}

// plan is which packets the measurement has.
func (c *Latency) plan() plan { return plan{six: c.Six, vlan: c.VLAN} }

// sized is what was measured at one size.
type sized struct {
	first *round          // one echo, which may have to set a flow up
	round *round          // the others
	own   []time.Duration // the path latencies of a cable
	bad   error           // why the cable, or the load, has no result
	came  float64         // bits of load a second
}

// cable measures a cable in place of the path. Hardware stamps are of another clock than a cable in
// this machine can have: nothing is taken off them.
func (c *Latency) cable(ctx context.Context, path *bed, rounds []sized) error {
	if path.near.nic.Stamps() == nic.Hardware {
		return nil
	}
	c.Note("the probe's own share: %d echoes of each size over a cable", c.Count)
	a, b, unplug, err := nic.Cable(min(path.ends[0].about().mtu, path.ends[1].about().mtu))
	if err != nil {
		return err
	}
	defer unplug()
	bed, err := openBed([2]nic.Config{a, b}, c.plan())
	if err != nil {
		return err
	}
	defer bed.close()
	if err := bed.join(ctx); err != nil {
		return err
	}
	for i, size := range c.Sizes {
		if _, err := bed.echo(ctx, size, 1, c.Interval); err != nil { // of a cold cache
			return err
		}
		r, err := bed.echo(ctx, size, c.Count, c.Interval)
		if err != nil {
			return err
		}
		if err := bed.check(r, c.Limits); err != nil {
			rounds[i].bad = fmt.Errorf("the probe's own share: %w", err)
		}
		rounds[i].own = append(rounds[i].own, probe.Paths(r.echoes)...)
	}
	return nil
}

// path measures the path at all sizes.
func (c *Latency) path(ctx context.Context, path *bed, beside *load, rounds []sized) error {
	if err := path.join(ctx); err != nil {
		return err
	}
	for i, size := range c.Sizes {
		c.Note("path latency: %d echoes of %d bytes", c.Count, size)
		var err error
		if rounds[i].first, err = path.echo(ctx, size, 1, c.Interval); err != nil {
			return err
		}
		if err := beside.mark(ctx); err != nil {
			return err
		}
		if rounds[i].round, err = path.echo(ctx, size, c.Count, c.Interval); err != nil {
			return err
		}
		var refused error
		if rounds[i].came, refused, err = beside.check(ctx); err != nil {
			return err
		}
		rounds[i].bad = cmp.Or(rounds[i].bad, refused)
	}
	return nil
}

// samples are the echoes of a size, in their order.
func (s *sized) samples(size int) (list []Sample) {
	for i := range s.round.echoes {
		e := &s.round.echoes[i]
		list = append(list, Sample{Size: size, Seq: e.Seq(), Ping: e.Ping(), Other: e.Turnaround(), Path: e.Path(),
			There: e.Request.Took(), Back: e.Reply.Took()})
	}
	return list
}
