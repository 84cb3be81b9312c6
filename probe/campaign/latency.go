package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
)

// Latency measures the path latency between two interfaces. A zero value of a field is its default.
type Latency struct {
	From, To nic.Config
	// Observer, HOST:PORT, has the far end at another machine, in place of To; Key is the one that it
	// has, if any.
	Observer string
	Key      []byte
	Sizes    []int         // bytes of an echo's data; default DefaultSizes
	Count    int           // echoes of each size; default 20
	Cable    int           // echoes of each size over a cable, each time; default Count
	Interval time.Duration // from one echo to the next; default 20 ms
	Six      bool          // over IPv6
	VLAN     uint16        // id of the tag that packets have; 0: none
	Limits   probe.Limits
	Load     Load // goes on beside the echoes
	// Symmetric has one way be told, as half of the path latency: both ways take the same, says the
	// user. Where each way is known, a result is refused if they differ by more than the probe's own
	// spread, which hardware stamps do not have.
	Symmetric bool
	// ClocksAgree says that the clocks of both machines do: each way is known then.
	ClocksAgree bool
	// Controller, if set, is that of the switch, and has the two stations' flows set up as Rules say.
	// With rules that are reactive, they are forgotten before each size. Whatever the switch holds is
	// deleted, before and after.
	Controller     *controller.Controller
	Rules          Rules
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
	// There and Back are each way's part of Path, with the own share, if Ways: where both interfaces
	// have one clock, or clocks that are said to agree.
	There, Back time.Duration
	Ways        bool
}

// Check fills in defaults and finds what is wrong.
func (c *Latency) Check() error {
	c.Count, c.Interval = cmp.Or(c.Count, 20), cmp.Or(c.Interval, 20*time.Millisecond)
	c.Cable = cmp.Or(c.Cable, c.Count)
	if c.Sizes == nil {
		c.Sizes = DefaultSizes
	}
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	if err := cmp.Or(checkSizes(c.Sizes, 0, MaxSize), c.Limits.Sound()); err != nil {
		return err
	}
	switch {
	case c.Count < 2 || c.Count > MaxCount:
		return fmt.Errorf("%d echoes given, want 2 to %d", c.Count, MaxCount)
	case c.Cable < 2 || c.Cable > MaxCount:
		return fmt.Errorf("%d echoes over a cable given, want 2 to %d", c.Cable, MaxCount)
	case c.VLAN > 4094:
		return fmt.Errorf("VLAN %d given, want 1 to 4094", c.VLAN)
	case c.ClocksAgree && c.Observer == "":
		return errors.New("--clocks-agree given with both interfaces at this machine, want an observer at another one: leave it out")
	case c.Observer != "" && len(c.Load.From) > 0:
		return errors.New("--load given with an observer at another machine, want the far end at this one: leave it out")
	case c.From == c.To && c.From.Interface != "" && c.Observer == "":
		return fmt.Errorf("%s given twice, want two interfaces", c.From.String())
	}
	return c.Load.check(c.From, c.To)
}

// checkSizes refuses sizes that cannot be meant.
func checkSizes(sizes []int, least, most int) error {
	if len(sizes) == 0 {
		return errors.New("no sizes given, want one at least, such as 1500")
	}
	for i, s := range sizes {
		if s < least || s > most {
			return fmt.Errorf("size %d given, want bytes from %d to %d", s, least, most)
		}
		if slices.Contains(sizes[:i], s) {
			return fmt.Errorf("size %d given twice, want each once", s)
		}
	}
	return nil
}

// Run measures: a cable, the path, and the cable again. The error is that of a wrong configuration,
// of an interface, or of an interruption; what spoils one size only is in the report.
func (c *Latency) Run(ctx context.Context) (*report.Report, []Sample, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	var r *report.Report
	var samples []Sample
	err := c.between(ctx, func(ctx context.Context, path *bed, beside *load) error {
		rounds := make([]sized, len(c.Sizes))
		if err := c.amidCables(ctx, path, rounds, func() error { return c.path(ctx, path, beside, rounds) }); err != nil {
			return err
		}
		r = c.report("probe latency", fmt.Sprintf("two-way path latency, %v stamps, %s", path.near.nic.Stamps(), c.Load.String()))
		for i, size := range c.Sizes {
			x := r.Add(fmt.Sprintf("%d bytes", size))
			if err := c.add(x, path, size, &rounds[i]); err != nil {
				x.Refuse(err)
			}
			samples = append(samples, c.samples(&rounds[i], size)...)
		}
		r.Finish()
		return nil
	})
	return r, samples, err
}

// between has measure do its work between two stations that have found each other, beside the load.
// What was changed of the switch and of interfaces is put back in the end; where that fails, Note is
// told.
func (c *Latency) between(ctx context.Context, measure func(ctx context.Context, path *bed, beside *load) error) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	path, ctx, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer c.end(path.close)
	defer c.leave(ctx)
	if err := c.meet(ctx, path); err != nil {
		return err
	}
	beside, err := path.startLoad(ctx, &c.Load)
	if err != nil {
		return err
	}
	defer c.end(beside.close)
	return measure(ctx, path, beside)
}

// end closes something, and tells what fails of it: what was measured stays.
func (c *Latency) end(closing func() error) {
	if err := closing(); err != nil {
		c.Note("%v", err)
	}
}

// amidCables measures a cable, what is to be measured, and the cable again.
func (c *Latency) amidCables(ctx context.Context, path *bed, own []sized, measure func() error) error {
	cable := func() error { return c.cable(ctx, path, own) }
	for _, step := range []func() error{cable, measure, cable} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// open opens both ends. The context ends with an observer.
func (c *Latency) open(ctx context.Context) (*bed, context.Context, error) {
	if c.Observer != "" {
		c.Note("the far end is observed at %s", c.Observer)
		return openFar(ctx, c.From, c.Observer, c.Key, c.plan())
	}
	b, err := openBed([2]nic.Config{c.From, c.To}, c.plan())
	return b, ctx, err
}

// ways reports whether it is known what each way takes, if two interfaces of a machine have one clock.
func (c *Latency) ways() bool { return c.Observer == "" || c.ClocksAgree }

// report is one without results.
func (c *Latency) report(scenario, title string) *report.Report {
	to := c.To.String()
	if c.Observer != "" {
		to = "the observer at " + c.Observer
	}
	r := &report.Report{Format: report.Format, Scenario: scenario, Title: title, Command: c.Command, Build: c.Build,
		Machine: report.ThisMachine(), Load: report.Load{Topology: c.From.String() + " to " + to, Runs: c.Count}}
	if c.Controller != nil {
		r.Title += fmt.Sprintf(", rules %v", c.Rules)
		r.Load.OpenFlow, r.Load.Switches = c.Controller.Version().String(), 1
	}
	return r
}

// plan is which packets the measurement has.
func (c *Latency) plan() plan { return plan{six: c.Six, vlan: c.VLAN} }

// sized is what was measured at one size.
type sized struct {
	first *round             // one echo, which may have to set a flow up
	round *round             // the others
	own   [2][]time.Duration // the path latencies of a cable: at the near machine, and at another far one
	bad   error              // why a cable, or the load, has no result
	came  float64            // bits of load a second
	asked int                // packets that came to the controller during the round
}

// share is the probe's own.
func (s *sized) share() probe.Share {
	near := probe.ShareOf(s.own[0])
	if s.own[1] == nil {
		return near
	}
	return probe.Both(near, probe.ShareOf(s.own[1]))
}

// cable measures a cable in place of the path, at each machine. Hardware stamps are of another clock
// than a cable within a machine can have: nothing is taken off them.
func (c *Latency) cable(ctx context.Context, path *bed, rounds []sized) error {
	if path.near.nic.Stamps() == nic.Hardware {
		return nil
	}
	c.Note("the probe's own share: %d echoes of each size over a cable", c.Cable)
	machines, err := path.own(ctx, echoes{plan: c.plan(), mtu: min(path.ends[0].about().mtu, path.ends[1].about().mtu),
		sizes: c.Sizes, count: c.Cable, interval: c.Interval})
	if err != nil {
		return err
	}
	for m, shares := range machines {
		for i, s := range shares {
			if s.bad != nil {
				rounds[i].bad = s.bad
			}
			rounds[i].own[m] = append(rounds[i].own[m], s.paths...)
		}
	}
	return nil
}

// path measures the path at all sizes.
func (c *Latency) path(ctx context.Context, path *bed, beside *load, rounds []sized) error {
	if c.Controller == nil { // the switch may have forgotten where the stations are
		if err := path.join(ctx); err != nil {
			return err
		}
	}
	for i, size := range c.Sizes {
		c.Note("path latency: %d echoes of %d bytes", c.Count, size)
		if err := c.prepare(ctx); err != nil {
			return err
		}
		var err error
		if rounds[i].first, err = path.echo(ctx, size, 1, c.Interval); err != nil {
			return err
		}
		if err := beside.mark(ctx); err != nil {
			return err
		}
		before := c.asked()
		if rounds[i].round, err = path.echo(ctx, size, c.Count, c.Interval); err != nil {
			return err
		}
		rounds[i].asked = c.asked() - before
		var refused error
		if rounds[i].came, refused, err = beside.check(ctx); err != nil {
			return err
		}
		rounds[i].bad = cmp.Or(rounds[i].bad, refused)
	}
	return nil
}

// samples are the echoes of a size, in their order. Where both interfaces are this machine's and a
// way takes less than no time, they have two clocks: hardware stamps are each interface's own.
func (c *Latency) samples(s *sized, size int) (list []Sample) {
	for i := range s.round.echoes {
		e := &s.round.echoes[i]
		sample := Sample{Size: size, Seq: e.Seq(), Ping: e.Ping(), Other: e.Turnaround(), Path: e.Path(), Ways: c.ways()}
		if sample.Ways {
			sample.There, sample.Back = e.Request.Took(), e.Reply.Took()
		}
		list = append(list, sample)
	}
	if there, back := medians(list); c.Observer == "" && min(there, back) < 0 {
		for i := range list {
			list[i].There, list[i].Back, list[i].Ways = 0, 0, false
		}
	}
	return list
}
