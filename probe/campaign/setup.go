package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/controller"
)

// Setup measures how much longer the first echo of a flow takes than later ones. Of Latency, Count is
// how many flows of each size there are, and Controller is the switch's.
//
// Request and reply are two flows: the set-up has two in it, and the controller's share is that of
// both.
type Setup struct {
	Latency
	// Later is how many echoes of a flow count as later ones; default 4. The second one counts as
	// neither: where a switch has a cache, it is the first that a new entry takes.
	Later int
	// Apart is from the forgetting of flows to the first packet of new ones; default 100 ms. What a
	// switch has in caches goes later than its entries.
	Apart time.Duration
}

// SetupSample is one flow, there and back, as it was measured.
type SetupSample struct {
	Size, Flow int // Flow is its number, from 0 on
	// First, Second and Later are path latencies of the first echo, of the second, and of later ones
	// the median, with the probe's own share.
	First, Second, Later time.Duration
	Setup                time.Duration // First − Later
	PingFirst, PingLater time.Duration // Δ1 of the first echo, and of later ones the median
	// Controller is the controller's share of the request's flow and of the reply's, and PacketIns how
	// many packets of them came to it.
	Controller [2]time.Duration
	PacketIns  [2]int
}

// Share is what the controller took of both flows.
func (s *SetupSample) Share() time.Duration { return s.Controller[0] + s.Controller[1] }

// MaxLater bounds Setup.Later.
const MaxLater = 100

// Check fills in defaults and finds what is wrong.
func (c *Setup) Check() error {
	if c.Later == 0 {
		c.Later = 4
	}
	if c.Apart == 0 {
		c.Apart = 100 * time.Millisecond
	}
	if c.Later < 1 || c.Later > MaxLater {
		return fmt.Errorf("%d later echoes given, want 1 to %d", c.Later, MaxLater)
	}
	return c.Latency.Check()
}

// errNoController is of a Setup without one.
var errNoController = errors.New("no controller given: flows are forgotten by the switch's own controller")

// Run measures: a cable, the flows, and the cable again. The error is as Latency.Run's, or the
// switch's.
func (c *Setup) Run(ctx context.Context) (*report.Report, []SetupSample, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	if c.Controller == nil {
		return nil, nil, errNoController
	}
	var r *report.Report
	var samples []SetupSample
	err := c.between(ctx, func(ctx context.Context, path *bed, beside *load) error {
		own, sets := make([]sized, len(c.Sizes)), make([]flows, len(c.Sizes))
		if err := c.amidCables(ctx, path, own, func() error { return c.flows(ctx, path, beside, sets) }); err != nil {
			return err
		}
		r = c.report("probe setup", fmt.Sprintf("flow set-up, %v stamps, %s", path.near.nic.Stamps(), c.Load.String()))
		for i, size := range c.Sizes {
			x := r.Add(fmt.Sprintf("%d bytes", size))
			if err := c.add(x, path, &sets[i], &own[i]); err != nil {
				x.Refuse(err)
			}
			samples = append(samples, sets[i].samples...)
		}
		r.Finish()
		return nil
	})
	return r, samples, err
}

// flows is what was measured of the flows of a size.
type flows struct {
	samples []SetupSample
	round           // all echoes
	tried   int     // flows, with those that do not count
	old     int     // flows that were not new at their first echo
	missed  int     // flows without a first or without later echoes
	asked   int     // flows that came to the controller, when they had been installed
	strange int     // packet-ins of others meanwhile
	refused []error // errors of the switch
	came    float64 // bits of load a second
	bad     error   // why the load has no result
}

// flows measures all sizes.
func (c *Setup) flows(ctx context.Context, path *bed, beside *load, sets []flows) error {
	for i, size := range c.Sizes {
		c.Note("flow set-up: %d flows with echoes of %d bytes", c.Count, size)
		s := &sets[i]
		if err := beside.mark(ctx); err != nil {
			return err
		}
		for len(s.samples)+s.missed < c.Count && s.old <= c.Count {
			if err := c.flow(ctx, path, size, s); err != nil {
				return err
			}
		}
		var err error
		if s.came, s.bad, err = beside.check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flow has one flow be new, and measures it.
func (c *Setup) flow(ctx context.Context, path *bed, size int, s *flows) error {
	c.Controller.Answers() // of flows before
	if err := c.prepare(ctx); err != nil {
		return err
	}
	if err := await(ctx, path.changed, c.Apart, func() bool { return false }); err != nil {
		return err
	}
	early := c.shares(new(SetupSample), c.Controller.Answers())
	before := c.Controller.PacketIns()
	r, err := path.echo(ctx, size, 2+c.Later, c.Interval)
	if err != nil {
		return err
	}
	s.tried++
	s.add(r)
	s.refused = append(s.refused, c.Controller.Errors()...)
	x := SetupSample{Size: size, Flow: len(s.samples)}
	answered := c.shares(&x, c.Controller.Answers())
	s.strange += int(c.Controller.PacketIns()-before) - x.PacketIns[0] - x.PacketIns[1]
	switch first := x.times(r.echoes); {
	case first == nil:
		s.missed++
	case c.Rules == Reactive && (early > 0 || answered != 2 || x.PacketIns[0] > first.Request.Left.Fragments ||
		x.PacketIns[1] > first.Reply.Left.Fragments):
		s.old++
	default:
		if answered > 0 && c.Rules == Installed {
			s.asked++
		}
		s.samples = append(s.samples, x)
	}
	return nil
}

// shares takes the controller's answers to the stations' flows, and returns how many those are.
func (c *Setup) shares(x *SetupSample, answers []controller.Answer) (n int) {
	for _, a := range answers {
		for way := range stationMACs {
			if a.Src == stationMACs[way] && a.Dst == stationMACs[1-way] {
				x.Controller[way] += a.Share
				x.PacketIns[way] += a.PacketIns
				n++
			}
		}
	}
	return n
}

// times takes the times of a flow's echoes, and returns the first; nil if that one or all later ones
// are missing.
func (x *SetupSample) times(echoes []probe.Echo) (first *probe.Echo) {
	var later, pings []time.Duration
	for i := range echoes {
		e := &echoes[i]
		switch e.Seq() {
		case 0:
			first, x.First, x.PingFirst = e, e.Path(), e.Ping()
		case 1:
			x.Second = e.Path()
		default:
			later, pings = append(later, e.Path()), append(pings, e.Ping())
		}
	}
	x.Later, x.PingLater = probe.Median(later), probe.Median(pings)
	x.Setup = x.First - x.Later
	if len(later) == 0 {
		return nil
	}
	return first
}

// add adds what came of other echoes.
func (r *round) add(o *round) {
	for _, w := range []struct{ to, of *probe.Way }{{&r.there, &o.there}, {&r.back, &o.back}} {
		w.to.Trips = append(w.to.Trips, w.of.Trips...)
		w.to.Lost += w.of.Lost
		w.to.Doubled += w.of.Doubled
		w.to.Stray += w.of.Stray
		w.to.Reordered += w.of.Reordered
		w.to.Cut += w.of.Cut
	}
	for i := range r.seen {
		to, of := &r.seen[i], &o.seen[i]
		to.counts.Frames += of.counts.Frames
		to.counts.Foreign += of.counts.Foreign
		to.counts.Merged += of.counts.Merged
		to.counts.Unfinished += of.counts.Unfinished
		to.lost += of.lost
		to.streams += of.streams
		to.clocks = append(to.clocks, of.clocks...)
	}
	r.echoes = append(r.echoes, o.echoes...)
}
