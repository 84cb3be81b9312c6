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

// Start is how fast an instance of this binary starts, what it costs at rest, and when it shows a
// switch that has connected.
type Start struct {
	Version  openflow.Version // default 1.3
	Switches int              // not joined, in the place of a topology
	Topology string           // default single:Switches, and wan:100 if Switches is 0
	Idle     time.Duration    // over which CPU time at rest is taken; default 10 s
	// Rest is how long the switches have been connected before that; default 6 s.
	Rest time.Duration
	Seed uint64

	Program string // the weir binary; default this one
	Options
	topology *topo.Topology
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Start) Check() error {
	c.Version = cmp.Or(c.Version, openflow.V13)
	if c.Switches == 0 {
		c.Topology = cmp.Or(c.Topology, "wan:100")
	}
	c.Topology = cmp.Or(c.Topology, fmt.Sprintf("single:%d", c.Switches))
	c.Idle = cmp.Or(c.Idle, 10*time.Second)
	c.Rest = cmp.Or(c.Rest, 6*time.Second)
	var err error
	c.topology, err = loadswitch.ParseTopology(c.Topology, c.Seed)
	return cmp.Or(c.Options.check(5), err)
}

func (c *Start) plan(r *report.Report) (list []participant) {
	about(r, "start", fmt.Sprintf("start and rest of an instance: OpenFlow %s, %s", c.Version,
		report.Plural(len(c.topology.Switches), "switch", "switches")), c.Version, c.Topology, c.topology, c.Seed)
	for _, s := range c.viewSubjects(r) {
		x := s.result
		list = append(list, &startScore{viewSubject: s, c: c,
			shown: x.Distribution("shown",
				"from a handshake's last byte to the end of the answer that shows the switch, one after the other"),
			sent: x.Distribution("request sent",
				"from a handshake's last byte to when the request for that answer was sent"),
			request: x.Distribution("request", "that request's own time")})
	}
	return list
}

// startScore is what is measured of all runs.
type startScore struct {
	viewSubject
	c                    *Start
	shown, sent, request report.Histogram
}

func (x *startScore) run(ctx context.Context, i int) error {
	s := &startRun{startScore: x}
	if err := s.measure(ctx); err != nil {
		return err
	}
	s.take(x.result)
	x.c.Note("run %d of %d: %s: API ready after %v, %s shown after %v, %v of CPU time in %v", i+1, x.c.Runs, x.result.Subject,
		s.ready.Round(time.Millisecond), report.Plural(len(x.c.topology.Switches), "switch", "switches"),
		s.all.Round(time.Millisecond), s.idle, x.c.Idle)
	return nil
}

// take adds a run to a result.
func (s *startRun) take(x *report.Result) {
	x.Take("process started to API ready", "ms", report.Milliseconds(s.ready))
	x.Take("memory then", "MiB", report.Mebibytes(s.empty))
	x.Take("first connection to all switches shown", "ms", report.Milliseconds(s.all))
	x.Take("memory with all switches", "MiB", report.Mebibytes(s.loaded))
	x.Take("CPU at rest, of a core", "%", 100*s.idle.Seconds()/s.c.Idle.Seconds())
	if !s.null {
		x.Take("allocations at rest", "/s", s.mallocs/s.c.Idle.Seconds())
	}
	x.Take("switches shown by the first request after their handshake", "%",
		100*float64(s.first)/float64(len(s.c.topology.Switches)))
}
