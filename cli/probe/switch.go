package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/fit"
	"github.com/weirnet/weir/probe/nic"
)

// probedSwitch is what weir probe switch is asked for.
type probedSwitch struct {
	to      switchFlags
	source  string
	plan    controller.Plan
	out     command.ReportFiles
	profile string // file
}

func newSwitch() *cobra.Command {
	p := &probedSwitch{}
	cmd := &cobra.Command{
		Use:   "switch",
		Short: "What a switch does of itself: installation, packet-ins and -outs, counters, tables",
		Long: `It is the controller of the first switch that connects, OpenFlow 1.0 or 1.3, and deletes whatever
the switch holds, before and after. It times barriers, batches of entries and answers with counters,
fills the tables, and has packets come up and leave; what comes of it is printed as the parts of a
profile for weir emulate --profile, each with how far the switch is from the profile's model, or
with why there is none. Packets into the switch, and whether entries are in force when its barriers
say so, need a --source: an interface of this machine that leads to the switch's port --in.`,
		Example: `  weir probe switch
  weir probe switch --listen 192.0.2.1:6653 --source eth1 --in 1 --out 2 --profile my-switch.yaml
  weir emulate linear:4 --profile my-switch.yaml`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd) },
	}
	f := cmd.Flags()
	p.to.flags(f, defaultListen)
	f.StringVar(&p.source, "source", "", "interface that leads to a port of the switch: "+nic.Form)
	f.Uint32Var(&p.plan.In, "in", 1, "number of the port that --source leads to")
	f.Uint32Var(&p.plan.Out, "out", 0, "number of a port with a link, by which packet-outs leave")
	d := controller.DefaultPlan()
	f.IntVar(&p.plan.Rounds, "rounds", d.Rounds, "how often each time is taken, at least")
	f.IntVar(&p.plan.MaxEntries, "max-entries", d.MaxEntries, "entries that are tried in the first table")
	f.IntVar(&p.plan.MaxOffered, "max-rate", d.MaxOffered, "packets a second that are tried")
	f.StringVar(&p.profile, "profile", "", "file for the parts, as a profile for weir emulate --profile, such as my-switch.yaml")
	p.out.AddFlags(f)
	return cmd
}

// run measures the switch, and shows the report.
func (p *probedSwitch) run(cmd *cobra.Command) error {
	cfg, err := p.to.config()
	if err := cmp.Or(err, command.Positive(cmd.Flags()), p.checkProfile(), p.out.Check()); err != nil {
		return err
	}
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	if p.source != "" {
		at, err := nic.Parse(p.source)
		if err != nil {
			return fmt.Errorf("--source: %w", err)
		}
		at.AsIs, at.Kept = true, 1
		n, err := nic.Open(at)
		if err != nil {
			return command.RuntimeError(err)
		}
		defer n.Close()
		n.Watch(func(*nic.Frame) {})
		p.plan.Source = n.Send
	}
	c, err := p.to.connect(ctx, cfg, stderr)
	if err != nil {
		return command.RuntimeError(err)
	}
	defer c.Close(context.WithoutCancel(ctx))
	p.plan.Note = func(text string) { fmt.Fprintln(stderr, text) }
	m, err := c.Measure(ctx, p.plan)
	if err != nil {
		return command.RuntimeError(err)
	}
	fitted := m.Fit()
	err = p.out.Show(cmd, switchReport(m, fitted, p.plan.Rounds)) // first: a file that cannot be written loses nothing
	if p.profile != "" && len(fitted.Quality) > 0 {
		if bad := atomicfile.Write(p.profile, []byte(p.profileOf(m, fitted).YAML())); bad != nil {
			err = besides(err, fmt.Errorf("--profile: %w", bad))
		}
	}
	return err
}

// checkProfile refuses a file that weir emulate --profile would not read.
func (p *probedSwitch) checkProfile() error {
	if p.profile == "" {
		return nil
	}
	return checkProfileFile(p.profile)
}

// profileOf is what was measured of a switch as a profile.
func (p *probedSwitch) profileOf(m *controller.Measured, fitted *fit.Fitted) *profile.Profile {
	out := fitted.Profile
	nameProfile(&out, p.profile, describe(m))
	return &out
}

// describe is what a switch says that it is.
func describe(m *controller.Measured) string {
	d := m.Switch.Desc
	return strings.TrimSpace(strings.Join([]string{d.Manufacturer, d.Hardware, d.Software}, " "))
}

// switchReport is what was measured of a switch, as benchmarks report it.
func switchReport(m *controller.Measured, fitted *fit.Fitted, rounds int) *report.Report {
	r := &report.Report{Format: report.Format, Scenario: "probe switch", Title: "a switch, as its controller sees it",
		Command: command.Line(), Build: command.Build(),
		Machine: report.ThisMachine(), Load: report.Load{OpenFlow: m.Version.String(), Switches: 1, Runs: rounds,
			Topology: fmt.Sprintf("datapath %016x", m.Switch.Datapath)}}
	x := r.Add("switch")
	x.Program = describe(m)
	if len(fitted.Quality) == 0 {
		x.Refuse(fmt.Errorf("nothing was measured: %w", errors.Join(missing(fitted)...)))
		r.Finish()
		return r
	}
	takeTimes(x, "barrier after", m.Install)
	takeTimes(x, "answer with", m.Statistics)
	takeBursts(x, "packet-ins", m.PacketIn)
	takeBursts(x, "packet-outs", m.PacketOut)
	trips := x.Distribution("barrier", "from its sending to the arrival of its answer")
	for _, t := range m.RoundTrip {
		trips.Record(int64(t))
	}
	for _, p := range fitted.Parts() {
		x.Notes = append(x.Notes, p.Name+": "+p.Text+quality(fitted.Quality[p.Name]))
	}
	for _, why := range missing(fitted) {
		x.Notes = append(x.Notes, "no figure: "+why.Error())
	}
	if f := m.InForce; f.Tried > 0 {
		x.Notes = append(x.Notes, fmt.Sprintf("of %d entries that barriers had confirmed, packets passed %d", f.Tried, f.Late))
	}
	x.Notes = append(x.Notes, m.Notes...)
	r.Finish()
	return r
}

// quality is how well a figure fits, in words that follow it; none where it was counted.
func quality(q fit.Quality) string {
	if q.Points == 0 {
		return ""
	}
	s := fmt.Sprintf(", %.1f %% from %s", 100*q.Residual, report.Plural(q.Points, "point", "points"))
	if q.AtLeast {
		s += "; the queue is at least that"
	}
	return s
}

// missing is why parts are not there, in their order.
func missing(f *fit.Fitted) (why []error) {
	for _, part := range fit.Parts() {
		if err := f.Missing[part]; err != nil {
			why = append(why, err)
		}
	}
	return why
}

// takeTimes adds a measure for each size, and bursts one for each burst: of how many got through.
func takeTimes(x *report.Result, name string, list []fit.Timed) {
	for _, t := range list {
		for _, took := range t.Took {
			x.Take(name+" "+report.Plural(t.N, "entry", "entries"), "ms", report.Milliseconds(took))
		}
	}
}

func takeBursts(x *report.Result, what string, list []fit.Burst) {
	for _, b := range list {
		over := max(b.Over, time.Microsecond)
		x.Take(fmt.Sprintf("%s of %d at %s/s", what, b.Sent, report.ThreeDigits(float64(b.Sent)/over.Seconds())), "packets",
			float64(b.Done))
	}
}
