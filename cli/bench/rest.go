package bench

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench"
)

func newRest() *cobra.Command {
	c := &bench.Rest{Options: bench.Options{Runs: 1}}
	cmd := &cobra.Command{
		Use:   "rest",
		Short: "CPU use of an emulated network and its instance while hosts ping",
		Long: `Each run starts an instance of this binary and connects an emulated network with a host at each
switch over TCP. When all links are found, each host pings another one, always the same. The report
has the CPU time of both processes, the pings without an answer, and the links that were lost.`,
		Example: `  weir bench rest
  weir bench rest --topology wan:100 --settle 10s --duration 30s`,
	}
	f := scenario(cmd, c, nil)
	f.StringVar(&c.Topology, "topology", "wan:1000", "as weir emulate reads it")
	f.DurationVar(&c.Interval, "interval", time.Second, "between two pings of a host")
	f.DurationVar(&c.Settle, "settle", 30*time.Second, "from the first ping to when it counts")
	f.DurationVar(&c.Duration, "duration", 5*time.Minute, "over which it is taken")
	f.DurationVar(&c.Limit, "limit", 2*time.Minute, "how long it may take until all links are found")
	programFlag(f, &c.Program)
	seedFlag(f, &c.Seed, "of the topology")
	return cmd
}
