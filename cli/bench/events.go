package bench

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
)

func newEvents() *cobra.Command {
	c := &bench.Events{}
	form := ""
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Cost of event streams: none, 1,000 that nobody reads, 100 that are read",
		Long: `Each run starts an instance of this binary, with its store on the disk, and connects emulated
switches over TCP. Intents are installed and withdrawn at a set --rate: in turn without event
streams, with many that nobody reads, and with some that are read. The report has the rate and
latency of the requests, from when each was meant to leave; what the instance and the kernel keep
for a stream; and whether streams show the last change. There is no result if the instance did not
keep up with the rate.`,
		Example: `  weir bench events
  weir bench events --rate 2000 --unread 200 --read 20 --runs 1`,
	}
	f := intentScenario(cmd, c, &c.Setup, func(*pflag.FlagSet) (_ bench.Scenario, err error) {
		c.Form, err = formOf(form)
		return c, err
	})
	f.IntVar(&c.Active, "active", 10_000, "intents that are active")
	f.IntVar(&c.Rate, "rate", 10_000, "installs and withdrawals a second together")
	f.IntVar(&c.Unread, "unread", 1000, "event streams that nobody reads")
	f.IntVar(&c.Read, "read", 100, "event streams that are read")
	f.DurationVar(&c.Duration, "duration", 5*time.Second, "of each turn")
	f.DurationVar(&c.Warmup, "warmup", 2*time.Second, "of each turn before it counts")
	formFlag(f, &form)
	return cmd
}
