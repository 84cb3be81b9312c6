package bench

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench"
)

func newRequests() *cobra.Command {
	c := &bench.Requests{}
	cmd := &cobra.Command{
		Use:   "requests",
		Short: "Requests for single intents answered, on 1, 8 and 32 connections",
		Long: `Each run starts an instance of this binary, with its store on the disk, and connects emulated
switches over TCP. Each connection installs an intent (POST), moves its end to another port (PUT) and
withdraws it (DELETE), in turn; an answer comes when the change is on the disk, in the store and in
the audit log. With --rate, requests are sent at their times whether answers come or not, and latency
counts from then. A null instance, which keeps nothing, is measured in the same run. There is no
result if the generator was late, a request was not accepted, or the switches hold other entries at
the end than before.`,
		Example: `  weir bench requests
  weir bench requests --conns 32 --rate 5000`,
	}
	f := checkedScenario(cmd, c, &c.Setup, nil)
	f.IntSliceVar(&c.Conns, "conns", []int{1, 8, 32}, "numbers of connections, each measured by itself")
	f.IntVar(&c.Flows, "flows", 1000, "paths that are installed before")
	f.IntVar(&c.Rate, "rate", 0, "requests a second in all, instead of the next when one is answered")
	f.DurationVar(&c.Duration, "duration", 3*time.Second, "of each measurement")
	f.DurationVar(&c.Warmup, "warmup", time.Second, "of requests before it, which do not count")
	f.DurationVar(&c.LateLimit, "late-limit", time.Millisecond,
		"at a set --rate: how late the generator may be with one request in a hundred")
	return cmd
}
