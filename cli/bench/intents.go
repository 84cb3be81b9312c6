package bench

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
)

func newIntents() *cobra.Command {
	c := &bench.Churn{}
	stay, form := false, ""
	cmd := &cobra.Command{
		Use:   "intents",
		Short: "A million intents: memory, rates, and a restart with them",
		Long: `Each run starts an instance of this binary, with its store on the disk, and connects emulated
switches over TCP. It installs intents until --active are there; then it installs and withdraws for
--duration, at a --rate or as fast as the instance keeps up. Then it kills the instance (kill -9) and
starts it again. The report has rates, memory and its growth, the size of the store and, for the
restart, the time until the API is ready and until all switches are compared, and how many entries
are written. Every path is followed through the switches' entries before and after.`,
		Example: `  weir bench intents --runs 1
  weir bench intents --active 100000 --rate 20000 --duration 10m --runs 1`,
	}
	f := checkedScenario(cmd, c, &c.Setup, func(*pflag.FlagSet) (_ bench.Scenario, err error) {
		c.Restart = c.Controller == "" && !stay
		c.Form, err = formOf(form)
		return c, err
	})
	f.IntVar(&c.Active, "active", 1_000_000, "intents that are active")
	f.IntVar(&c.Rate, "rate", 0, "installs and withdrawals a second together (default as many as are kept up with)")
	f.DurationVar(&c.Duration, "duration", time.Minute, "of installing and withdrawing in each run")
	f.BoolVar(&stay, "no-restart", false, "do not kill the instance at the end")
	formFlag(f, &form)
	return cmd
}

func newLatency() *cobra.Command {
	c := &bench.Latency{}
	cmd := &cobra.Command{
		Use:   "intent-latency",
		Short: "Time from a request for one intent to the flow-mods at the switches",
		Long: `Each run starts an instance of this binary, with its store on the disk, and connects emulated
switches over TCP. Intents are requested one after the other; every second request waits until its
intent is installed, the others until it is durable. The report has the time from the first byte of
the request to the first and the last flow-mod at a switch, and to the end of the answer.`,
		Example: "  weir bench intent-latency --count 5000",
	}
	f := checkedScenario(cmd, c, &c.Setup, nil)
	f.IntVar(&c.Flows, "flows", 1000, "paths that are installed before")
	f.IntVar(&c.Count, "count", 2000, "intents of each run, half of them with an answer when they are durable")
	return cmd
}

func newReroute() *cobra.Command {
	c := &bench.Reroute{}
	cmd := &cobra.Command{
		Use:   "reroute",
		Short: "Time until paths have left a link that failed",
		Long: `Each run starts an instance of this binary, with its store on the disk, and connects emulated
switches over TCP. Paths are installed. Then a link fails that about --move of them take; when all
have left it, it comes back, and another fails. The report has the time from the port-status message
to the first and the last flow-mod at a switch for paths that had to move. Every path is followed
through the switches' entries before and after.`,
		Example: "  weir bench reroute --cuts 20",
	}
	f := checkedScenario(cmd, c, &c.Setup, nil)
	f.IntVar(&c.Flows, "flows", 16_000, "paths that are installed")
	f.IntVar(&c.Move, "move", 1000, "of them, about how many take the link that fails")
	f.IntVar(&c.Cuts, "cuts", 10, "of each run, each of another link")
	return cmd
}
