package bench

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/openflow"
)

// Setup is what all scenarios of intents have: an instance, and an emulated network that it
// controls. The zero value of a field means its default.
type Setup struct {
	target.Instance
	Options
}

// check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Setup) check() error {
	return cmp.Or(c.Options.check(5), c.Instance.Check())
}

// asNull is the same with a null instance in the place of the instance.
func (c *Setup) asNull() Setup {
	s := *c
	s.Null, s.Controller, s.API, s.Token = true, "", "", ""
	return s
}

// variants are the setups that a scenario measures alternately: this one, where plain switches are
// asked for the same with them, and each with a null instance, but in a test or without it.
func (c *Setup) variants() []Setup {
	list := []Setup{*c}
	if c.PlainSwitches {
		list = append(list, *c)
		list[0].PlainSwitches = false
	}
	if c.NoSelfCheck || c.Test != nil {
		return list
	}
	for _, s := range list {
		list = append(list, s.asNull())
	}
	return list
}

// named is the name of a result.
func (c *Setup) named(what string) string {
	if c.PlainSwitches {
		what += ", plain switches"
	}
	if c.Null {
		what += ", " + report.NullInstance
	}
	return what
}

// viewSubject is what a scenario measures in which a network comes into the view: an instance, or
// the null instance.
type viewSubject struct {
	subject
	null bool
}

// viewSubjects adds the results of an instance, and of the null instance, which are measured
// alternately.
func (o *Options) viewSubjects(r *report.Report) []viewSubject {
	list := []viewSubject{{subject{r.Add(report.Weir)}, false}}
	if !o.NoSelfCheck {
		list = append(list, viewSubject{subject{r.Add(report.NullInstance)}, true})
		list[1].result.SelfCheck = true
	}
	return list
}

// addSubject adds the result of what is measured.
func (c *Setup) addSubject(r *report.Report) *report.Result {
	x := r.Add(c.named(report.Weir))
	if x.SelfCheck = c.Null; c.Null && !c.PlainSwitches {
		x.Subject = report.NullInstance
	}
	return x
}

// about writes what is measured into a report.
func (c *Setup) about(r *report.Report, scenario, title string) {
	about(r, scenario, title, openflow.V13, c.Topology, c.Network, c.Seed)
	r.Load.Hops = c.Hops
}

// filled opens a testbed with a number of paths, and has it measured, which leaves paths there: they
// are checked, and withdrawn from an instance that goes on.
func (c *Setup) filled(
	ctx context.Context, what string, form paths.Form, flows int, exact bool,
	measure func(g *target.Testbed) (left int, err error),
) error {
	g, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := load.Fill(ctx, g, form, flows); err != nil {
		return fmt.Errorf("before the %s: %w", what, err)
	}
	left, err := measure(g)
	if err != nil {
		return err
	}
	return load.WithdrawAll(ctx, g, exact, left)
}
