package bench

import (
	"cmp"

	"github.com/weirnet/weir/bench/loadswitch"
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
func (o *Options) withNull() []bool {
	if o.NoSelfCheck {
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

// about writes what is measured into a report.
func (c *Setup) about(r *report.Report, scenario, title string) error {
	t, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return err
	}
	about(r, scenario, title, openflow.V13.String(), c.Topology, t, c.Seed)
	r.Load.Hops = c.Hops
	return nil
}
