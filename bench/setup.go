package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Setup is what all scenarios of intents have: an instance, and an emulated network that it
// controls. The zero value of a field means its default.
type Setup struct {
	Topology string // as loadswitch.ParseTopology reads it; default wan:206
	Hops     int    // switches of each path; default 6
	Runs     int    // default 5
	Seed     uint64
	// Limit is how long anything may take that is waited for; default 2 min.
	Limit time.Duration
	// Controller is the OpenFlow address of an instance that runs, and API and Token how to ask it;
	// if empty, one is started for each run, with its store on the disk of Dir.
	Controller, API, Token string
	// Dir is where the data of instances is, each in a directory of its own that is removed; empty:
	// the directory of temporary files.
	Dir     string
	Program string // the weir binary; default this one
	// PlainSwitches has switches decode every flow-mod, instead of reading those of paths from
	// their bytes.
	PlainSwitches bool
	Note          func(format string, args ...any)

	Build, Command string // for the report

	test *testInstance // in tests: who is asked
	null bool          // a null instance is started instead
}

// testInstance is who is asked in a test: how switches and requests get there, and how many
// directions of links it shows.
type testInstance struct {
	openflow, api func(ctx context.Context, address string) (net.Conn, error)
	links         func() int
}

// check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Setup) check() error {
	c.Topology = cmp.Or(c.Topology, "wan:206")
	c.Hops = cmp.Or(c.Hops, 6)
	c.Runs = cmp.Or(c.Runs, 5)
	c.Limit = cmp.Or(c.Limit, 2*time.Minute)
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	switch {
	case c.Runs < 1 || c.Limit < 0:
		return fmt.Errorf("%d runs and a limit of %v given, want positive ones", c.Runs, c.Limit)
	case c.Hops < 2 || c.Hops > paths.MaxHops:
		return fmt.Errorf("paths of %d switches given, want 2 to %d", c.Hops, paths.MaxHops)
	case (c.Controller == "") != (c.API == ""):
		return errors.New("want both the addresses of a controller and of its API, or neither")
	}
	t, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return err
	}
	_, err = paths.New(c.newNetwork(t), c.Hops, c.Seed)
	return err
}

// asNull is the same with a null instance in the place of the instance.
func (c *Setup) asNull() Setup {
	s := *c
	s.null, s.Controller, s.API, s.Token = true, "", "", ""
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
	if withoutNull || c.test != nil {
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
	if c.null {
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
	if x.SelfCheck = c.null; c.null && !c.PlainSwitches {
		x.Subject = report.NullInstance
	}
	return x
}

// newNetwork makes the switches. What waits for the instance may be much: the entries of a whole
// table.
func (c *Setup) newNetwork(t *topo.Topology) *loadswitch.Network {
	cfg := loadswitch.Config{Version: openflow.V13, Plain: c.PlainSwitches, Hosts: paths.EndPorts, HostPorts: paths.EndPorts,
		MaxQueue: 256 << 20}
	if c.test != nil {
		cfg.Dial = c.test.openflow
	}
	return loadswitch.New(t, cfg)
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
