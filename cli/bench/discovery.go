package bench

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/cli/command"
)

func newDiscovery() *cobra.Command {
	c := &bench.Discovery{}
	cmd := &cobra.Command{
		Use:   "discovery",
		Short: "Time until an instance shows all switches and links",
		Long: `Each run starts an instance of this binary and connects a network. The report has the time from the
first connection until the API shows all switches, and until it shows all links in both directions;
how many links it loses while nothing happens; and, for switches that connect later, the time from
the last byte of the handshake to the answer that shows the switch.`,
		Example: `  weir bench discovery
  weir bench discovery --topology wan:1000 --runs 3`,
	}
	f := scenario(cmd, c, nil)
	command.VersionFlag(f, &c.Version, "that the switches speak")
	f.StringVar(&c.Topology, "topology", "wan:100", "linear:N, ring:N, wan:N and others that weir emulate knows, without options")
	f.IntVar(&c.Single, "single", 50, "switches that connect later, one after the other")
	programFlag(f, &c.Program)
	f.DurationVar(&c.Rest, "rest", 3*time.Second, "for which nothing happens when everything is found")
	f.DurationVar(&c.Limit, "limit", 2*time.Minute, "how long it may take until then")
	seedFlag(f, &c.Seed, "of the topology")
	selfCheckFlag(f, &c.NoSelfCheck)
	return cmd
}
