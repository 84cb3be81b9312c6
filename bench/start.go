package bench

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/weirnet/weir/bench/rig"
	"github.com/weirnet/weir/openflow"
)

// Start is how fast an instance of this binary starts, what it costs at rest, and when it shows a switch that has connected.
type Start struct {
	Version  openflow.Version // default 1.3
	Switches int              // default 100
	Topology string           // default single:Switches
	Runs     int              // default 5
	Idle     time.Duration    // over which CPU time at rest is taken; default 10 s
	// Rest is how long the switches have been connected before that; default 6 s.
	Rest    time.Duration
	Seed    uint64
	Note    func(format string, args ...any)
	Program string // the weir binary; default this one

	Build, Command string // for the report
}

// StartReport is what Start measured: medians and spreads over the runs, of Shown over all switches of all runs.
type StartReport struct {
	Scenario string  `json:"scenario"`
	Command  string  `json:"command"`
	Build    string  `json:"build"`
	Machine  Machine `json:"machine"`
	OpenFlow string  `json:"openflow"`
	Topology string  `json:"topology"`
	Runs     int     `json:"runs"`

	Ready    Spread `json:"api_ready_ms"` // from the process's start to the API's first answer
	Empty    Spread `json:"empty_mib"`    // memory then
	All      Spread `json:"all_shown_ms"` // from the first connection to an answer that shows all switches connected
	Loaded   Spread `json:"loaded_mib"`   // memory with all of them, at rest
	Idle     Spread `json:"idle_cpu_percent"`
	Shown    Quarts `json:"shown_us"`        // from a handshake's last byte to the end of the answer that shows the switch, one after the other
	Request  Quarts `json:"request_us"`      // that answer's own time
	Sent     Quarts `json:"sent_us"`         // from the handshake's last byte to when that request was sent
	FirstGET int    `json:"first_get_shows"` // switches that the first request after the handshake showed
	GETs     int    `json:"switches_shown"`
}

func (c *Start) withDefaults() {
	c.Version = orDefault(c.Version, openflow.V13)
	c.Switches = orDefault(c.Switches, 100)
	c.Topology = orDefault(c.Topology, fmt.Sprintf("single:%d", c.Switches))
	c.Runs = orDefault(c.Runs, 5)
	c.Idle = orDefault(c.Idle, 10*time.Second)
	c.Rest = orDefault(c.Rest, 6*time.Second)
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
}

// Run starts an instance, measures it, and ends it, as often as there are runs.
func (c *Start) Run(ctx context.Context) (*StartReport, error) {
	c.withDefaults()
	topology, err := rig.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	r := &StartReport{Scenario: "start", Command: c.Command, Build: c.Build, Machine: thisMachine(), OpenFlow: c.Version.String(),
		Topology: c.Topology, Runs: c.Runs}
	shown, sent, request := newLatency(), newLatency(), newLatency()
	for i := range c.Runs {
		s := &startRun{c: c, topology: topology, shown: shown, sent: sent, request: request}
		if err := s.run(ctx); err != nil {
			return nil, fmt.Errorf("no result: run %d: %w", i+1, err)
		}
		r.Ready.take(milliseconds(s.ready))
		r.Empty.take(mebibytes(s.empty))
		r.All.take(milliseconds(s.all))
		r.Loaded.take(mebibytes(s.loaded))
		r.Idle.take(100 * s.idle.Seconds() / c.Idle.Seconds())
		r.FirstGET += s.first
		r.GETs += len(topology.Switches)
		c.Note("run %d of %d: API ready after %v, %d switches shown after %v, %v of CPU time in %v", i+1, c.Runs,
			s.ready.Round(time.Millisecond), len(topology.Switches), s.all.Round(time.Millisecond), s.idle, c.Idle)
	}
	r.Shown, r.Sent, r.Request = quartsOf(shown), quartsOf(sent), quartsOf(request)
	return r, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// Print writes the report as text.
func (r *StartReport) Print(w io.Writer) error {
	m := r.Machine
	fmt.Fprintf(w, "%s: OpenFlow %s, %s, %d runs\n", r.Scenario, r.OpenFlow, r.Topology, r.Runs)
	fmt.Fprintf(w, "%s\n%s, %d cores, Linux %s, %s, %s, load average %s\n%s\n\n", r.Command, m.CPU, m.Cores, m.Kernel, m.Go, m.Date, m.LoadAvg, r.Build)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(what string, s Spread, unit string) {
		fmt.Fprintf(t, "%s\t%.1f %s\t(%.1f - %.1f)\n", what, s.Median, unit, s.Least, s.Greatest)
	}
	line("process started to API ready", r.Ready, "ms")
	line("memory then", r.Empty, "MiB")
	line("first connection to all switches shown", r.All, "ms")
	line("memory with all switches", r.Loaded, "MiB")
	line("CPU at rest, of a core", r.Idle, "%")
	points := func(what string, q Quarts) {
		fmt.Fprintf(t, "%s\tp50 %.0f µs\tp90 %.0f, p99 %.0f, max %.0f\n", what, q.P50, q.P90, q.P99, q.Max)
	}
	points("handshake's last byte to the answer that shows the switch", r.Shown)
	points("… to when the request for that answer was sent", r.Sent)
	points("… and that request's own time", r.Request)
	fmt.Fprintf(t, "switches that the first request after the handshake showed\t%d of %d\t\n", r.FirstGET, r.GETs)
	return t.Flush()
}
