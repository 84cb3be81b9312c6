package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench"
)

func newBenchRequests() *cobra.Command {
	c := bench.Requests{}
	var out reportFiles
	cmd := &cobra.Command{
		Use:   "requests",
		Short: "How many requests for single intents are answered, on 1, 8 and 32 connections",
		Long: `An instance of this binary is started as often as there are runs, with its store on the disk, and a network of emulated switches connected by TCP.
Connections that are kept install one intent (POST), move its end to another port (PUT) and withdraw it (DELETE), in turn; each answer comes when that is on the
disk, in the store and in the audit log. With --rate requests are sent at their times, whether answers come or not, and times count from then. A null instance, which
keeps nothing, is measured in the same way in the same run. There is no result where the generator was late, a request was not accepted, or the switches
hold anything else at the end than what was there before.`,
		Example: `  weir bench requests
  weir bench requests --conns 32 --rate 5000`,
		Args: wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return out.intents(cmd, &c.Setup, &c)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&c.Conns, "conns", []int{1, 8, 32}, "numbers of connections, each measured by itself")
	f.IntVar(&c.Flows, "flows", 1000, "paths that are installed before")
	f.IntVar(&c.Rate, "rate", 0, "requests a second in all, instead of the next when one is answered")
	f.DurationVar(&c.Duration, "duration", 3*time.Second, "of each measurement")
	f.DurationVar(&c.Warmup, "warmup", time.Second, "of requests before it, which do not count")
	f.DurationVar(&c.LateLimit, "late-limit", time.Millisecond,
		"at a set --rate: how late the generator may be with one request in a hundred")
	checkedFlags(f, &c.Setup, &out)
	return cmd
}
