package bench

import (
	"cmp"
	"fmt"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/openflow"
)

// Setup is what all scenarios of intents have: an instance, and an emulated network that it
// controls. The zero value of a field means its default.
type Setup struct {
	target.Instance
	Runs int // default 5
	Note func(format string, args ...any)

	Build, Command string // for the report
}

// check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Setup) check() error {
	c.Runs = cmp.Or(c.Runs, 5)
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	if c.Runs < 1 {
		return fmt.Errorf("%d runs given, want a positive number", c.Runs)
	}
	return c.Instance.Check()
}

// asNull is the same with a null instance in the place of the instance.
func (c *Setup) asNull() Setup {
	s := *c
	s.Null, s.Controller, s.API, s.Token = true, "", "", ""
	return s
}

// variants are the setups that a scenario measures alternately: this one, where plain switches are
// asked for the same with them, and each with a null instance, but in a test or without it.
func (c *Setup) variants(withoutNull bool) []Setup {
	list := []Setup{*c}
	if c.PlainSwitches {
		list = append(list, *c)
		list[0].PlainSwitches = false
	}
	if withoutNull || c.Test != nil {
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

// addView adds the result of an instance, or of the null instance, in a scenario without intents.
func addView(r *report.Report, null bool) subject {
	x := r.Add(report.Weir)
	if x.SelfCheck = null; null {
		x.Subject = report.NullInstance
	}
	return subject{x}
}

// withNull are what a scenario without intents measures alternately: an instance, and the null
// instance.
func withNull(leftOut bool) []bool {
	if leftOut {
		return []bool{false}
	}
	return []bool{false, true}
}

// addSubject adds the result of what is measured.
func (c *Setup) addSubject(r *report.Report) *report.Result {
	x := r.Add(c.named(report.Weir))
	if x.SelfCheck = c.Null; c.Null && !c.PlainSwitches {
		x.Subject = report.NullInstance
	}
	return x
}

// report is one without results.
func (c *Setup) report(scenario, title string) (*report.Report, error) {
	t, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	return &report.Report{Format: report.Format, Scenario: scenario, Title: title, Command: c.Command, Build: c.Build,
		Machine: report.ThisMachine(),
		Load: report.Load{OpenFlow: openflow.V13.String(), Topology: c.Topology, Switches: len(t.Switches), Hops: c.Hops,
			Runs: c.Runs, Seed: c.Seed}}, nil
}
