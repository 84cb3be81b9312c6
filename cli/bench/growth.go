package bench

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench"
)

func newGrowth() *cobra.Command {
	c := &bench.Growth{}
	cmd := &cobra.Command{
		Use:   "growth",
		Short: "Cost of an event with 10 and 100 times as many intents, switches or hosts",
		Long: `Each measurement starts an instance of this binary. The report has the instance's CPU time and
allocations for each path installed or withdrawn, with more and more intents and with more and more
switches, and for each packet-in answered, with more and more hosts; and the ratio to the size
before.`,
		Example: `  weir bench growth
  weir bench growth --times 1,10 --runs 1 --duration 1s`,
	}
	f := intentScenario(cmd, c, &c.Setup, nil)
	f.IntSliceVar(&c.Times, "times", []int{1, 10, 100}, "sizes, as multiples of the smallest numbers")
	f.IntVar(&c.Intents, "intents", 2000, "that are held: the smallest number")
	f.IntVar(&c.Switches, "switches", 20, "of the network where these grow: the smallest number")
	f.IntVar(&c.Hosts, "hosts", 100, "that packet-ins come from: the smallest number")
	f.DurationVar(&c.Duration, "duration", 5*time.Second, "of each measurement")
	return cmd
}
