package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
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
	topology *topo.Topology
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
	var err error
	c.topology, err = loadswitch.ParseTopology(c.Topology, c.Seed)
	return cmp.Or(c.Options.check(5), err)
}

func (c *Discovery) plan(r *report.Report) (list []participant) {
	about(r, "discovery", fmt.Sprintf("discovery: OpenFlow %s, %s, %s", c.Version,
		report.Plural(len(c.topology.Switches), "switch", "switches"),
		report.Plural(len(c.topology.Links), "link", "links")), c.Version, c.Topology, c.topology, c.Seed)
	for _, s := range c.viewSubjects(r) {
		list = append(list, &discoveryScore{viewSubject: s, c: c, shown: s.result.Distribution("switch shown",
			"from a handshake's last byte to the end of the answer that shows the switch, one after the other")})
	}
	return list
}

// discoveryScore is what is measured of all runs.
type discoveryScore struct {
	viewSubject
	c     *Discovery
	shown report.Histogram
}

func (s *discoveryScore) run(ctx context.Context, i int) error {
	d := &discoveryRun{discoveryScore: s}
	if err := d.measure(ctx); err != nil {
		return err
	}
	d.take(s.result)
	s.c.Note("run %d of %d: %s: %s after %v, %s both ways after %v", i+1, s.c.Runs, s.result.Subject,
		report.Plural(len(s.c.topology.Switches), "switch", "switches"), d.switches.Round(time.Millisecond),
		report.Plural(len(s.c.topology.Links), "link", "links"), d.links.Round(time.Millisecond))
	return nil
}

// discoveryRun is one run.
type discoveryRun struct {
	*discoveryScore
	switches, links time.Duration // since the first connection was begun
	usage           target.Usage  // of CPU time until then
	falsely         int           // links lost at rest
}

// take adds the run to the result.
func (d *discoveryRun) take(x *report.Result) {
	x.Take("first connection to all links shown, both ways", "ms", report.Milliseconds(d.links))
	x.Take("first connection to all switches shown", "ms", report.Milliseconds(d.switches))
	x.Take("links lost falsely at rest", "", float64(d.falsely))
	d.usage.Take(x, "instance", "switches", float64(2*len(d.c.topology.Links)))
}
