package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/rig"
	"github.com/weirnet/weir/openflow"
)

// Start is how fast an instance of this binary starts, what it costs at rest, and when it shows a switch that has connected.
type Start struct {
	Version  openflow.Version // default 1.3
	Switches int              // not joined, in the place of a topology
	Topology string           // default single:Switches, and wan:100 if Switches is 0
	Runs     int              // default 5
	Idle     time.Duration    // over which CPU time at rest is taken; default 10 s
	// Rest is how long the switches have been connected before that; default 6 s.
	Rest    time.Duration
	Seed    uint64
	Note    func(format string, args ...any)
	Program string // the weir binary; default this one

	Build, Command string // for the report
}

func (c *Start) withDefaults() {
	c.Version = orDefault(c.Version, openflow.V13)
	if c.Switches == 0 {
		c.Topology = orDefault(c.Topology, "wan:100")
	}
	c.Topology = orDefault(c.Topology, fmt.Sprintf("single:%d", c.Switches))
	c.Runs = orDefault(c.Runs, 5)
	c.Idle = orDefault(c.Idle, 10*time.Second)
	c.Rest = orDefault(c.Rest, 6*time.Second)
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
}

// Run starts an instance, measures it, and ends it, as often as there are runs.
func (c *Start) Run(ctx context.Context) (*Report, error) {
	c.withDefaults()
	topology, err := rig.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	n := len(topology.Switches)
	r := &Report{Format: ReportFormat, Scenario: "start", Title: fmt.Sprintf("start and rest of an instance: OpenFlow %s, %s", c.Version,
		counted(n, "switch", "switches")), Command: c.Command, Build: c.Build, Machine: thisMachine(), Load: Load{OpenFlow: c.Version.String(),
		Topology: c.Topology, Switches: n, Runs: c.Runs, Seed: c.Seed}}
	x := r.add(Weir)
	shown, sent, request := newLatency(), newLatency(), newLatency()
	for i := range c.Runs {
		s := &startRun{c: c, topology: topology, shown: shown, sent: sent, request: request}
		if err := s.run(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, &interrupted{i, c.Runs, ctx.Err()}
			}
			x.refuse(fmt.Errorf("run %d: %w", i+1, err))
			break
		}
		s.take(x)
		c.Note("run %d of %d: API ready after %v, %s shown after %v, %v of CPU time in %v", i+1, c.Runs,
			s.ready.Round(time.Millisecond), counted(n, "switch", "switches"), s.all.Round(time.Millisecond), s.idle, c.Idle)
	}
	if x.Refused == "" {
		x.Times = []*Distribution{
			distributionOf("shown", "from a handshake's last byte to the end of the answer that shows the switch, one after the other", shown),
			distributionOf("request sent", "from a handshake's last byte to when the request for that answer was sent", sent),
			distributionOf("request", "that request's own time", request),
		}
	}
	r.finish()
	return r, nil
}

// take adds a run to a result.
func (s *startRun) take(x *Result) {
	x.take("process started to API ready", "ms", milliseconds(s.ready))
	x.take("memory then", "MiB", mebibytes(s.empty))
	x.take("first connection to all switches shown", "ms", milliseconds(s.all))
	x.take("memory with all switches", "MiB", mebibytes(s.loaded))
	x.take("CPU at rest, of a core", "%", 100*s.idle.Seconds()/s.c.Idle.Seconds())
	x.take("allocations at rest", "/s", s.mallocs/s.c.Idle.Seconds())
	x.take("switches shown by the first request after their handshake", "%", 100*float64(s.first)/float64(len(s.topology.Switches)))
}
