package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Discovery is how fast an instance of this binary has a network in its view: all switches, all
// links, and single switches that come later. The zero value of a field means its default.
type Discovery struct {
	Version  openflow.Version // default 1.3
	Topology string           // as loadswitch.ParseTopology reads it; default wan:100
	Single   int              // switches that connect one after the other, later; default 50
	// Rest is how long the network is left alone when everything is found: what is lost then is
	// lost falsely. Default 3 s.
	Rest time.Duration
	// Limit is how long it may take until everything is found; default 2 min.
	Limit time.Duration
	Seed  uint64

	Program string // the weir binary; default this one
	Options
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Discovery) Check() error {
	c.Version = cmp.Or(c.Version, openflow.V13)
	c.Topology = cmp.Or(c.Topology, "wan:100")
	c.Single = cmp.Or(c.Single, 50)
	c.Rest = cmp.Or(c.Rest, 3*time.Second)
	c.Limit = cmp.Or(c.Limit, 2*time.Minute)
	if c.Single < 1 || c.Rest < 0 || c.Limit < 0 {
		return fmt.Errorf("%d single switches, a rest of %v and a limit of %v given, want positive ones", c.Single,
			c.Rest, c.Limit)
	}
	_, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	return cmp.Or(c.Options.check(5), err)
}

func (c *Discovery) plan(r *report.Report) (list []participant, err error) {
	topology, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	n := len(topology.Switches)
	about(r, "discovery", fmt.Sprintf("discovery: OpenFlow %s, %s, %s", c.Version,
		report.Plural(n, "switch", "switches"), report.Plural(len(topology.Links), "link", "links")), c.Version.String(),
		c.Topology, topology, c.Seed)
	for _, null := range c.withNull() {
		list = append(list, &discoveryScore{subject: addView(r, null), c: c, topology: topology, null: null,
			shown: report.NewHistogram()})
	}
	return list, nil
}

// discoveryScore is what is measured of all runs.
type discoveryScore struct {
	subject
	c        *Discovery
	topology *topo.Topology
	null     bool
	shown    report.Histogram
}

func (s *discoveryScore) run(ctx context.Context, i int) error {
	d := &discoveryRun{c: s.c, topology: s.topology, null: s.null, shown: s.shown}
	if err := d.run(ctx); err != nil {
		return err
	}
	d.take(s.result)
	s.c.Note("run %d of %d: %s: %s after %v, %s both ways after %v", i+1, s.c.Runs, s.result.Subject,
		report.Plural(len(s.topology.Switches), "switch", "switches"),
		d.switches.Round(time.Millisecond), report.Plural(len(s.topology.Links), "link",
			"links"), d.links.Round(time.Millisecond))
	return nil
}

// finish adds the distribution of all runs.
func (s *discoveryScore) finish() {
	s.result.Times = append(s.result.Times,
		report.DistributionOf("switch shown",
			"from a handshake's last byte to the end of the answer that shows the switch, one after the other", s.shown))
}

// discoveryRun is one run.
type discoveryRun struct {
	c        *Discovery
	topology *topo.Topology
	null     bool
	shown    report.Histogram

	switches, links time.Duration // since the first connection was begun
	cpu             time.Duration // of the instance, until then
	generator       time.Duration
	memory, own     int64
	falsely         int // links lost at rest
}

// take adds the run to the result.
func (d *discoveryRun) take(x *report.Result) {
	x.Take("first connection to all links shown, both ways", "ms", report.Milliseconds(d.links))
	x.Take("first connection to all switches shown", "ms", report.Milliseconds(d.switches))
	x.Take("links lost falsely at rest", "", float64(d.falsely))
	links := float64(2 * len(d.topology.Links))
	x.Use("instance", d.cpu, links, d.memory)
	x.Use("switches", d.generator, links, d.own)
}
