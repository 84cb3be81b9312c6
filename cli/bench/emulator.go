package bench

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/cli/command"
)

func newEmulator() *cobra.Command {
	c := &bench.Emulator{}
	behaviour := ""
	cmd := &cobra.Command{
		Use:   "emulator",
		Short: "Emulated networks: time to connect, and frames forwarded",
		Long: `An emulated network connects to a controller that does nothing, in a process of its own. Then frames
of 64 bytes go round a ring of switches that have many rules with counters and timeouts. The report
also says how late the network was with what it promised for a time.`,
		Example: `  weir bench emulator
  weir bench emulator --topology wan:1000 --ring 206`,
	}
	f := scenario(cmd, c, func(*pflag.FlagSet) (_ bench.Scenario, err error) {
		c.Profile, err = command.ReadProfile(behaviour)
		return c, err
	})
	command.VersionFlag(f, &c.Version, "that the switches which connect speak")
	f.StringVar(&c.Topology, "topology", "wan:206", "of the network that connects")
	f.IntVar(&c.Ring, "ring", 8, "switches of the ring")
	f.IntVar(&c.Rules, "rules", 1000, "of each switch of the ring, of 20 masks")
	f.IntVar(&c.Flows, "flows", 500, "frames on their way round the ring, each of another flow")
	f.DurationVar(&c.Duration, "duration", 2*time.Second, "of forwarding in each run")
	f.DurationVar(&c.Limit, "limit", 2*time.Minute, "how long it may take until all switches are connected")
	seedFlag(f, &c.Seed, "of the topology")
	f.StringVar(&behaviour, "profile", "", command.ProfileUsage)
	return cmd
}
