package calibration

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/fit"
)

// Result is what came of a calibration.
type Result struct {
	Profile  profile.Profile // without a name
	Switch   *controller.Measured
	Measured *Measured
	Twin     *Comparison // of the switch and its twin
	// Notes are how far the switch is from the profile's model, part by part, why parts are missing,
	// and which points are at the floor or late by the emulator's own time.
	Notes []string
}

// gains are how much of what a twin is late by is taken off, each time that one is measured: less in the
// end, when what is left is mostly the spread of the measurement.
var gains = []float64{1, 0.7, 0.5}

// Calibrate measures the switch, makes its profile, and measures its twin.
func (c *Config) Calibrate(ctx context.Context) (*Result, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	whole := extent{flows: c.Flows, loads: true, plan: &c.Plan}
	m, err := c.measure(ctx, subject{"the switch", c.ends(), c.Controller}, whole)
	if err != nil {
		return nil, err
	}
	r := &Result{Measured: m, Switch: m.Switch}
	r.fit()
	if len(r.Profile.Parts()) == 0 {
		r.Twin = Compare("switch", "twin", m.Figures(), nil, nil)
		return r, nil
	}
	floor, err := c.floor(ctx, m.Switch != nil)
	if err != nil {
		return nil, err
	}
	r.takeOwn(floor)
	for i := range gains {
		if err := c.correct(ctx, &r.Profile, i); err != nil {
			return nil, err
		}
	}
	twin := c.extentOf(&r.Profile)
	twin.loads = true // also where load does not lengthen the switch's latencies: then not the twin's either
	found, err := c.twin(ctx, "its twin", &r.Profile, twin)
	if err != nil {
		return nil, err
	}
	r.Twin = Compare("switch", "twin", m.Figures(), found.Seen(), floor.Seen())
	r.floors()
	return r, nil
}

// extentOf is what a twin of a profile can be measured of.
func (c *Config) extentOf(p *profile.Profile) extent {
	x := extent{loads: len(p.Load.Points) > 0}
	if len(p.FlowSetup.Points) > 0 {
		x.flows = c.Flows
	}
	switchParts := *p
	switchParts.PathLatency, switchParts.FlowSetup, switchParts.Load = profile.Latency{}, profile.Setup{}, profile.Load{}
	if len(switchParts.Parts()) > 0 {
		x.plan = &c.Plan
	}
	return x
}

// floor measures an ideal twin: what the devices, the kernel and the emulator take themselves. Of
// what its controller sees only times are taken: it has no limits.
func (c *Config) floor(ctx context.Context, ours bool) (*Measured, error) {
	x := extent{loads: true}
	if ours {
		plan := c.Plan
		plan.Batches, plan.Answers, plan.MaxEntries = append([]int{1, 10}, compared...), append([]int{1, 10}, compared...), 1000
		plan.MaxGroups, plan.MaxMeters, plan.MaxOffered = 1, 1, 1000
		x.flows, x.plan = c.Flows, &plan
	}
	return c.twin(ctx, "an ideal twin", &profile.Profile{Name: "ideal"}, x)
}

// correct measures a twin without chance, and has the profile take off what it took longer than it
// was to.
func (c *Config) correct(ctx context.Context, p *profile.Profile, round int) error {
	if len(p.PathLatency.Points) == 0 {
		return nil
	}
	even := *p
	even.PathLatency.P90, even.FlowSetup.P90 = 0, 0
	x := extent{loads: len(p.Load.Points) > 0}
	if len(p.FlowSetup.Points) > 0 {
		x.flows = c.Flows
	}
	gain := gains[round]
	m, err := c.twin(ctx, fmt.Sprintf("what devices take, %d of %d", round+1, len(gains)), &even, x)
	if err != nil {
		return err
	}
	p.PathLatency.Devices = fit.Devices(p.PathLatency.Points, m.Latency, p.PathLatency.Devices, gain)
	p.FlowSetup.Devices = fit.Devices(p.FlowSetup.Points, m.Setup, p.FlowSetup.Devices, gain)
	correctLoads(p, m.Loads, gain)
	return nil
}

// correctLoads has the profile take off what devices take under load. A port's load is on one of the
// ways only; on the other one the devices are those without load.
func correctLoads(p *profile.Profile, seen []fit.Loaded, gain float64) {
	if !p.Load.Switch {
		gain *= 2
	}
	for i := range p.Load.Points {
		load := &p.Load.Points[i]
		at := slices.IndexFunc(seen, func(l fit.Loaded) bool { return l.RateBPS == load.RateBPS })
		if at < 0 {
			continue
		}
		wanted, before := underLoad(p, load.RateBPS, true), load.Devices
		if before == nil {
			before = p.PathLatency.Devices
		}
		if load.Devices = fit.Devices(wanted, seen[at].Sizes, before, gain); load.Devices == nil {
			load.Devices = []profile.Point{{Payload: wanted[0].Payload}} // none, whatever they take without load
		}
	}
}

// takeOwn has answers with counters take what those of the switch take longer than an ideal twin's:
// those have the emulator's own work, the channel's and the controller's.
func (r *Result) takeOwn(floor *Measured) {
	if r.Profile.Statistics == (profile.Statistics{}) || floor.Switch == nil {
		return
	}
	var longer []fit.Timed
	for _, t := range r.Switch.Statistics {
		at := slices.IndexFunc(floor.Switch.Statistics, func(own fit.Timed) bool { return own.N == t.N })
		if at < 0 {
			continue
		}
		own := floor.Switch.Statistics[at].Median()
		took := make([]time.Duration, len(t.Took))
		for i, d := range t.Took {
			took[i] = max(d-own, 0)
		}
		longer = append(longer, fit.Timed{N: t.N, Took: took})
	}
	if s, q, err := fit.Statistics(longer, 0); err == nil {
		r.Profile.Statistics = s
		r.note("statistics: %.1f %% from %d, with what an ideal twin takes taken off", 100*q.Residual, q.Points)
	}
}

// fit makes the profile of what was measured.
func (r *Result) fit() {
	m, p := r.Measured, &r.Profile
	take := func(part string, q fit.Quality, err error) {
		if err != nil {
			r.note("no %s: %v", part, err)
			return
		}
		if q.Points > 0 {
			r.note("%s: %.1f %% from %d", part, 100*q.Residual, q.Points)
		}
	}
	var q fit.Quality
	var err error
	if m.Switch != nil {
		fitted := m.Switch.Fit()
		*p = fitted.Profile
		defer func() {
			for _, part := range fit.Parts() {
				take(part, fitted.Quality[part], fitted.Missing[part])
			}
		}()
	}
	p.PathLatency, q, err = fit.PathLatency(m.Latency)
	take(fit.PartPathLatency, q, err)
	if len(m.Setup) > 0 {
		p.FlowSetup, q, err = fit.FlowSetup(m.Setup, m.Share)
		take(fit.PartFlowSetup, q, err)
	}
	if len(m.Loads) > 0 && len(p.PathLatency.Points) > 0 {
		p.Load, q, err = fit.Load(m.Latency, reached(m.Loads))
		take(fit.PartLoad, q, err)
	}
}

// reached are the loads at which something was measured: where none is, the load was refused.
func reached(loads []fit.Loaded) (list []fit.Loaded) {
	for _, l := range loads {
		for i := range l.Sizes {
			if len(l.Sizes[i].Took) > 0 {
				list = append(list, l)
				break
			}
		}
	}
	return list
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// floors notes which points no twin between these devices can have, and which are late by the
// emulator's own time.
func (r *Result) floors() {
	for i := range r.Twin.Rows {
		switch row := &r.Twin.Rows[i]; row.Mark {
		case AtFloor:
			r.note("floor: %v: %s, an ideal twin took %s", row.Quantity, row.Want.show(), row.Floor.show())
		case EmulatorsOwn:
			r.note("emulator's own: %v: %s, the twin took %s, and an ideal one %s", row.Quantity, row.Want.show(),
				row.Seen.show(), row.Floor.show())
		}
	}
}

// File is the profile as a file: what weir emulate --profile reads, with the notes as comments.
func (r *Result) File() string {
	var b strings.Builder
	b.WriteString(r.Profile.YAML())
	for _, n := range r.Notes {
		for line := range strings.Lines(n) {
			fmt.Fprintf(&b, "# %s\n", strings.TrimSpace(line))
		}
	}
	return b.String()
}

// Verified is what came of a verification.
type Verified struct {
	Twin   *Comparison // of the profile and its twin
	Switch *Comparison // of the profile and the switch; nil: the switch is not there
}

// Verify measures a twin of a profile, and the switch if its interfaces are given, and compares them
// with what the profile says.
func (c *Config) Verify(ctx context.Context, p *profile.Profile) (*Verified, error) {
	if err := c.Follow(p); err != nil {
		return nil, err
	}
	v := &Verified{}
	x := c.extentOf(p)
	floor, err := c.floor(ctx, x.plan != nil || x.flows > 0)
	if err != nil {
		return nil, err
	}
	found, err := c.twin(ctx, "the twin", p, x)
	if err != nil {
		return nil, err
	}
	v.Twin = Compare("profile", "twin", promised(p, found, x.loads), found.Seen(), floor.Seen())
	if c.From.Interface == "" {
		return v, nil
	}
	x.loads = x.loads && len(c.LoadFrom) > 0
	m, err := c.measure(ctx, subject{"the switch", c.ends(), c.Controller}, x)
	if err != nil {
		return nil, err
	}
	v.Switch = Compare("profile", "switch", promised(p, m, x.loads), m.Seen(), nil)
	return v, nil
}

// Follow takes sizes and rates of load from a profile, and finds what is wrong; a profile without figures
// promises nothing. Where no interfaces
// send load to the switch, two do to its twin; a profile without load needs none.
func (c *Config) Follow(p *profile.Profile) error {
	if len(Promised(p, 0, true)) == 0 {
		return fmt.Errorf("profile %s promises nothing that is measured, want one with figures, such as path_latency", p.Name)
	}
	c.Sizes, c.Rates = nil, nil
	for _, at := range slices.Concat(p.PathLatency.Points, p.FlowSetup.Points) {
		c.Sizes = append(c.Sizes, at.Payload)
	}
	slices.Sort(c.Sizes)
	if c.Sizes = slices.Compact(c.Sizes); len(c.Sizes) == 0 {
		c.Sizes = []int{campaign.DefaultSizes[0]}
	}
	if len(p.Load.Points) > 0 {
		c.Streams = cmp.Or(len(c.LoadFrom), 2)
	} else {
		c.LoadFrom, c.Streams = nil, 0
	}
	for _, load := range p.Load.Points {
		c.Rates = append(c.Rates, loadRate(c.Streams, load.RateBPS))
	}
	return c.Check()
}

// promised are the figures of a profile that somebody was asked for: those under load if there was to
// be some, and without a controller of ours only what needs none.
func promised(p *profile.Profile, m *Measured, loads bool) (list []Figure) {
	trip := time.Duration(0)
	if m.Switch != nil {
		t := fit.Timed{Took: m.Switch.RoundTrip}
		trip = t.Median()
	}
	for _, f := range Promised(p, trip, true) {
		outside := f.Name == PathLatency
		if (loads || f.LoadBPS == 0) && (outside || f.Name == FlowSetup && m.Setup != nil || m.Switch != nil) {
			list = append(list, f)
		}
	}
	return list
}
