package calibration

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

	turns      int                // how often the switch was measured
	unpromised map[Quantity]error // of what the profile, once it is made, has no figure
}

// The switch and its twin are held to each other by turns: so many at least, and more while it is open whether
// a ratio is within the limit, until the calibration has taken so long.
const (
	minTurns     = 2
	defaultTurns = 6
	longest      = 7 * time.Minute
)

// MaxTurns bounds Config.Turns.
const MaxTurns = 100

// Calibrate measures the switch, makes its profile, and measures its twin: by turns, since a machine is not
// the same from one minute to the next.
func (c *Config) Calibrate(ctx context.Context) (*Result, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	began := time.Now()
	r := &Result{Measured: &Measured{}}
	if err := c.turn(ctx, r, &c.Plan); err != nil {
		return nil, err
	}
	r.Switch = r.Measured.Switch
	inside := r.fitInside()
	outside := r.fitOutside()
	if len(r.Profile.Parts()) == 0 {
		r.Notes = slices.Concat(outside, inside)
		r.Twin = Compare("switch", "twin", r.Measured.Figures(), nil, nil)
		return r, nil
	}
	floor, err := c.floor(ctx, r.Switch != nil)
	if err != nil {
		return nil, err
	}
	inside = append(inside, r.takeOwn(floor)...)
	var found devices
	for i := range corrections {
		if err := c.correct(ctx, &r.Profile, &found); err != nil {
			return nil, err
		}
		if i == corrections-1 {
			break // the switch's next turn is beside its twin's
		}
		if err := c.turn(ctx, r, nil); err != nil {
			return nil, err
		}
		outside = r.fitOutside()
	}
	if err := c.compare(ctx, r, floor, began.Add(longest)); err != nil {
		return nil, err
	}
	r.Notes = slices.Concat(outside, inside, r.Notes, r.floors())
	return r, nil
}

// Set-ups of a turn: a slow switch has fewer, so that a calibration ends in minutes.
const (
	setupsWithin = 25 * time.Second
	minFlows     = 5
)

// fewerFlows has later turns set up fewer flows, where those of the first one took long.
func (c *Config) fewerFlows(took time.Duration) {
	if took <= setupsWithin || c.Flows <= minFlows {
		return
	}
	c.Flows = max(int(float64(c.Flows)*float64(setupsWithin)/float64(took)), minFlows)
	c.Note("flow set-ups took %v: %d of each size from now on", took.Round(time.Second), c.Flows)
}

// turn measures the switch under test once more, and joins what comes of it to what is known. plan is nil but
// in the first turn.
func (c *Config) turn(ctx context.Context, r *Result, plan *controller.Plan) error {
	r.turns++
	m, err := c.measure(ctx, subject{fmt.Sprintf("the switch, turn %d", r.turns), c.ends(), c.Controller},
		extent{flows: c.Flows, loads: true, plan: plan})
	if err != nil {
		return err
	}
	c.fewerFlows(m.setupTook)
	m.drop(r.unpromised)
	r.Notes = append(r.Notes, r.Measured.join(m)...)
	return nil
}

// compare holds the twin of the profile and the switch to each other.
func (c *Config) compare(ctx context.Context, r *Result, floor *Measured, until time.Time) error {
	x := c.extentOf(&r.Profile)
	x.loads = true // also where load does not lengthen the switch's latencies: then not the twin's either
	found := &Measured{}
	r.unpromised = maps.Clone(r.Measured.Refused)
	for turn := 1; ; turn++ {
		again, err := c.twin(ctx, fmt.Sprintf("its twin, turn %d", turn), &r.Profile, x)
		if err != nil {
			return err
		}
		x.plan = nil
		r.Notes = append(r.Notes, found.join(again)...)
		r.Twin = Compare("switch", "twin", r.Measured.Figures(), found.Seen(), floor.Seen())
		if turn >= min(minTurns, c.Turns) && (turn == c.Turns || time.Now().After(until) || !r.Twin.undecided()) {
			return nil
		}
		if err := c.turn(ctx, r, nil); err != nil {
			return err
		}
	}
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

// takeOwn has answers with counters take what those of the switch take longer than an ideal twin's:
// those have the emulator's own work, the channel's and the controller's.
func (r *Result) takeOwn(floor *Measured) (notes []string) {
	if r.Profile.Statistics == (profile.Statistics{}) || floor.Switch == nil {
		return nil
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
		notes = append(notes, fmt.Sprintf("statistics: %.1f %% from %d, with what an ideal twin takes taken off",
			100*q.Residual, q.Points))
	}
	return notes
}

// noting collects how good the fit of each part is, or why there is none.
func noting(notes *[]string) func(part string, q fit.Quality, err error) {
	return func(part string, q fit.Quality, err error) {
		switch {
		case err != nil:
			*notes = append(*notes, fmt.Sprintf("no %s: %v", part, err))
		case q.Points > 0:
			*notes = append(*notes, fmt.Sprintf("%s: %.1f %% from %d", part, 100*q.Residual, q.Points))
		}
	}
}

// fitInside makes the parts of the profile that the switch's controller sees.
func (r *Result) fitInside() (notes []string) {
	if r.Measured.Switch == nil {
		return nil
	}
	take := noting(&notes)
	fitted := r.Measured.Switch.Fit()
	r.Profile = fitted.Profile
	for _, part := range fit.Parts() {
		take(part, fitted.Quality[part], fitted.Missing[part])
	}
	return notes
}

// fitOutside makes the parts that are seen from outside, of all turns so far. What devices take is kept.
func (r *Result) fitOutside() (notes []string) {
	m, p, take := r.Measured, &r.Profile, noting(&notes)
	before := *p
	var q fit.Quality
	var err error
	p.PathLatency, q, err = fit.PathLatency(m.Latency)
	p.PathLatency.Devices = before.PathLatency.Devices
	take(fit.PartPathLatency, q, err)
	if len(m.Setup) > 0 {
		p.FlowSetup, q, err = fit.FlowSetup(m.Setup, m.Share)
		p.FlowSetup.Devices = before.FlowSetup.Devices
		take(fit.PartFlowSetup, q, err)
	}
	if len(m.Loads) > 0 && len(p.PathLatency.Points) > 0 {
		p.Load, q, err = fit.Load(m.Latency, reached(m.Loads))
		for i := range p.Load.Points {
			load := &p.Load.Points[i]
			for _, had := range before.Load.Points {
				if had.RateBPS == load.RateBPS {
					load.Devices = had.Devices
				}
			}
		}
		take(fit.PartLoad, q, err)
	}
	return notes
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

// floors notes which points no twin between these devices can have, and which are late by the
// emulator's own time.
func (r *Result) floors() (notes []string) {
	for i := range r.Twin.Rows {
		switch row := &r.Twin.Rows[i]; row.Mark {
		case AtFloor:
			notes = append(notes, fmt.Sprintf("floor: %v: %s, an ideal twin took %s", row.Quantity, row.Want.show(),
				row.Floor.show()))
		case EmulatorsOwn:
			notes = append(notes, fmt.Sprintf("emulator's own: %v: %s, the twin took %s, and an ideal one %s", row.Quantity,
				row.Want.show(), row.Seen.show(), row.Floor.show()))
		}
	}
	return notes
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
	x := c.extentOf(p)
	floor, err := c.floor(ctx, x.plan != nil || x.flows > 0)
	if err != nil {
		return nil, err
	}
	there := c.From.Interface != ""
	found, m := &Measured{}, &Measured{}
	twins, switches := x, x
	switches.loads = x.loads && len(c.LoadFrom) > 0
	for turn := 1; turn <= verifyTurns; turn++ {
		again, err := c.twin(ctx, fmt.Sprintf("the twin, %d of %d", turn, verifyTurns), p, twins)
		if err != nil {
			return nil, err
		}
		for _, n := range found.join(again) {
			c.Note("%s", n)
		}
		if !there {
			twins.plan = nil
			continue
		}
		name := fmt.Sprintf("the switch, %d of %d", turn, verifyTurns)
		again, err = c.measure(ctx, subject{name, c.ends(), c.Controller}, switches)
		if err != nil {
			return nil, err
		}
		for _, n := range m.join(again) {
			c.Note("%s", n)
		}
		twins.plan, switches.plan = nil, nil
	}
	v := &Verified{Twin: Compare("profile", "twin", promised(p, found, x.loads), found.Seen(), floor.Seen())}
	if there {
		v.Switch = Compare("profile", "switch", promised(p, m, switches.loads), m.Seen(), nil)
	}
	return v, nil
}

// verifyTurns is how often a twin and a switch are held to a profile, by turns.
const verifyTurns = 2

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
