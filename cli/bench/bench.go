package bench

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/cli/command"
)

// New makes the command weir bench.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench SCENARIO",
		Short: "Measure a controller: this one, or any other",
		Long: `Each scenario measures medians of several runs and prints a report. With --json and --html it is
written to files too; weir bench report reads them. A report without a result says why, and the exit
code is 1. docs/benchmarks says what is counted, and how to read a report.`,
		Example: `  weir bench reactive --compare bare,ovs-testcontroller`,
		Args:    command.WantCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReactive(), newStart(), newDiscovery(), newEmulator(), newPaths(), newReroute(), newLatency(),
		newIntents(), newRequests(), newEvents(), newGrowth(), newRest(), newFailover(), newHypervisor(), newPaper(), newReport(),
		newResponder(), newRelay())
	return cmd
}

func newReactive() *cobra.Command {
	c := &bench.Reactive{}
	controller := target.Self
	var compare []string
	switches, unbuffered := 1, false
	cmd := &cobra.Command{
		Use:   "reactive",
		Short: "Packet-ins a controller answers, and how fast",
		Long: `Emulated switches send packet-ins of 64-byte frames between known hosts. The first flow-mod or
packet-out with a packet-in's buffer id answers it or, with --unbuffered, the first packet-out with
its frame; each counts once. Controllers given with --compare run at the same time and are measured
alternately. There is no result if the generator was late, answers are missing, or nothing was
answered: the report says why, and the exit code is 1.`,
		Example: `  weir bench reactive --compare bare,ovs-testcontroller
  weir bench reactive --controller 192.0.2.1:6653 --openflow-version 1.0 --switches 16
  weir bench reactive --outstanding 1 --compare bare           round trips
  weir bench reactive --rate 100000                            at a set rate
  weir bench reactive --topology wan:206 --hops 6              new flows over paths of six switches`,
	}
	f := scenario(cmd, c, func(f *pflag.FlagSet) (bench.Scenario, error) {
		if !f.Changed("topology") {
			c.Topology = fmt.Sprintf("single:%d", switches)
		}
		c.Buffered = c.Buffered && !unbuffered
		c.Targets = append([]string{controller}, compare...)
		return c, checkReactive(f, c)
	})
	f.StringVar(&controller, "controller", controller, "what is measured: HOST:PORT, or what is started: "+
		strings.Join(target.Controllers(), ", "))
	f.StringSliceVar(&compare, "compare", nil, "further controllers, measured alternately")
	command.VersionFlag(f, &c.Version, "that the switches speak")
	f.IntVar(&switches, "switches", switches, "switches, not joined")
	f.StringVar(&c.Topology, "topology", "", "joined switches instead: linear:N, ring:N, wan:N")
	f.IntVar(&c.Hosts, "hosts", 0, "hosts at each switch (default 1000, with --hops 20)")
	f.IntVar(&c.Hops, "hops", 0, "every packet begins a flow over so many switches, and is followed; for a --topology")
	f.BoolVar(&c.Learning, "learning", false, "every packet comes from a new host; an entry with its address is an answer too")
	f.IntVar(&c.Outstanding, "outstanding", 0, "packet-ins of each switch that wait for answers (default 256, with --hops 32)")
	f.IntVar(&c.Rate, "rate", 0, "packet-ins a second in all, whether answers come or not, instead of --outstanding")
	f.BoolVar(&c.Buffered, "buffered", true, "packet-ins have buffer ids")
	f.BoolVar(&unbuffered, "unbuffered", false, "packet-ins have none")
	f.DurationVar(&c.Duration, "duration", 3*time.Second, "of one run")
	f.DurationVar(&c.Warmup, "warmup", time.Second, "load before the first run, which does not count")
	programFlag(f, &c.Program)
	f.DurationVar(&c.Cut, "cut", 0, "load before and after each run that does not count (default a tenth of --duration)")
	f.DurationVar(&c.Settle, "settle", time.Minute,
		"how long a controller may take until it knows all hosts, and with --hops all links")
	f.DurationVar(&c.LateLimit, "late-limit", time.Millisecond, "at a set --rate: how late one packet in a hundred may be sent")
	seedFlag(f, &c.Seed, "of the pairs of hosts, and of the topology")
	return cmd
}

// checkReactive finds flags that cannot be meant, and takes a cut of 0 for none.
func checkReactive(f *pflag.FlagSet, c *bench.Reactive) error {
	err := cmp.Or(exclusive(f, "buffered", "unbuffered"), exclusive(f, "rate", "outstanding"),
		exclusive(f, "switches", "topology"), command.Positive(f))
	switch {
	case err != nil:
		return err
	case c.Cut < 0:
		return fmt.Errorf("--cut %v given, want 0s or more", c.Cut)
	case c.Cut > c.Duration:
		return fmt.Errorf("--cut %v and --duration %v given, want a cut no longer than the run", c.Cut, c.Duration)
	case c.Cut == 0 && f.Changed("cut"):
		c.Cut = -1
	}
	return nil
}

func newStart() *cobra.Command {
	c := &bench.Start{}
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start of an instance, its use at rest, and when it shows a switch",
		Long: `Each run starts an instance of this binary. The report has the time from its start to the API's
first answer, its memory and CPU use at rest with all switches connected, and the time from the last
byte of a switch's handshake to the answer that shows the switch.`,
		Example: "  weir bench start --idle 60s",
	}
	f := scenario(cmd, c, func(f *pflag.FlagSet) (bench.Scenario, error) { return c, exclusive(f, "switches", "topology") })
	command.VersionFlag(f, &c.Version, "that the switches speak")
	f.IntVar(&c.Switches, "switches", 0, "switches that are not joined, instead of --topology")
	f.StringVar(&c.Topology, "topology", "", "joined switches: linear:N, ring:N, wan:N (default wan:100)")
	programFlag(f, &c.Program)
	f.DurationVar(&c.Idle, "idle", 10*time.Second, "over which CPU time at rest is taken")
	seedFlag(f, &c.Seed, "of the topology")
	selfCheckFlag(f, &c.NoSelfCheck)
	return cmd
}
