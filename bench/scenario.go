package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Scenario is something that can be measured: its fields say how, and a zero value of one means its
// default. Run measures it.
type Scenario interface {
	// Check fills in defaults and finds what is wrong, before anything is started.
	Check() error
	// With are the options that all scenarios have.
	With() *Options
	// plan writes what is measured and under which load, and adds the results. Everybody whose
	// results these are takes part in each run, one after the other.
	plan(r *report.Report) []participant
}

// Options are what all scenarios have.
type Options struct {
	Runs           int                              // of which medians are told; default 5
	NoSelfCheck    bool                             // leaves out the null instance or responder
	Note           func(format string, args ...any) // if set, is told what is being done
	Build, Command string                           // for the report
}

// With implements Scenario.
func (o *Options) With() *Options { return o }

func (o *Options) check(runs int) error {
	o.Runs = cmp.Or(o.Runs, runs)
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	if o.Runs < 1 {
		return fmt.Errorf("%d runs given, want 1 or more", o.Runs)
	}
	return nil
}

// participant is what a scenario measures of one of those that it measures alternately, in all
// runs: a controller, an instance, the null instance, or one way to measure an instance.
type participant interface {
	results() []*report.Result
	begin(ctx context.Context) error      // before the first run
	run(ctx context.Context, i int) error // the i-th run: what it measured is in the results
	finish()                              // adds what is of all runs together to the results
	close()
}

// subject is a participant that has one result and starts anew for each run.
type subject struct{ result *report.Result }

func (s *subject) results() []*report.Result   { return []*report.Result{s.result} }
func (s *subject) begin(context.Context) error { return nil }
func (s *subject) finish()                     {}
func (s *subject) close()                      {}

// Run checks a scenario and measures it. A participant that fails is refused, and the others go on;
// the error is that of a wrong configuration or of an interruption.
func Run(ctx context.Context, s Scenario) (*report.Report, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	o := s.With()
	r := &report.Report{Format: report.Format, Command: o.Command, Build: o.Build, Machine: report.ThisMachine()}
	list := s.plan(r)
	r.Load.Runs = o.Runs
	if err := o.measure(ctx, list); err != nil {
		return nil, err
	}
	r.Finish()
	r.ApplySelfChecks()
	return r, nil
}

// measure has everybody take part in all runs.
func (o *Options) measure(ctx context.Context, list []participant) error {
	for _, p := range list {
		defer p.close()
		if err := p.begin(ctx); err != nil && ctx.Err() == nil {
			o.refuse(p, err)
		}
	}
	for i := range o.Runs {
		for _, p := range list {
			if p.results()[0].Refused != "" {
				continue
			}
			err := p.run(ctx, i)
			for o.again(i, p.results()[0], err) {
				err = p.run(ctx, i)
			}
			if ctx.Err() != nil && err != nil {
				return &interrupted{i, o.Runs, ctx.Err()}
			} else if err != nil {
				o.refuse(p, fmt.Errorf("run %d: %w", i+1, err))
			}
		}
	}
	for _, p := range list {
		if p.results()[0].Refused == "" {
			p.finish()
		}
	}
	return nil
}

// refuse notes that a participant has no result, and says so at once.
func (o *Options) refuse(p participant, err error) {
	for _, x := range p.results() {
		x.Refuse(err)
	}
	o.Note("%s: no result: %v", p.results()[0].Subject, err)
}

// again reports whether a measurement is to be done again, as the generator was late: no more often
// than there are runs.
func (o *Options) again(i int, x *report.Result, err error) bool {
	if !errors.Is(err, report.ErrLate) || x.Repeated >= o.Runs {
		return false
	}
	x.Repeated++
	o.Note("run %d of %d: %s: %v; once more", i+1, o.Runs, x.Subject, err)
	return true
}

// about is what a report says of a scenario with a topology.
func about(
	r *report.Report, scenario, title string, v openflow.Version, topology string, t *topo.Topology, seed uint64,
) {
	r.Scenario, r.Title = scenario, title
	r.Load = report.Load{OpenFlow: v.String(), Topology: topology, Switches: len(t.Switches), Seed: seed}
}
