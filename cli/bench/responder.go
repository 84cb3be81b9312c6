package bench

import (
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/cli/command"
)

// newResponder is the null responder as a process, and the synthetic one.
func newResponder() *cobra.Command {
	listen, delay, api := "127.0.0.1:6653", "", ""
	y := target.Synthetic{}
	null := target.Null{}
	view := false
	cmd := &cobra.Command{
		Use:   "responder",
		Short: "A controller that answers every packet-in and knows nothing",
		Long: `It answers every packet-in at once: what is measured with it is the generator and the machine. With
delays, losses or stalls, drawn from --seed, it is what the generator is tested with; at the end it
prints what it did.

With --api it is the null instance of the scenarios of intents: it sends the flow-mods of each path
that a request names, which it knows from --topology, --hops and --seed, keeps nothing and confirms
nothing. With --view it is the null instance of discovery and start: it shows a switch that has
described itself, and a link over which a frame has come.`,
		Example: `  weir bench responder --listen 127.0.0.1:6653
  weir bench responder --delay exp:2ms --loss 0.001 --stall-every 1s --stall-for 100ms --seed 7`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if delay != "" {
				d, err := target.ParseDelay(delay)
				if err != nil {
					return err
				}
				y.Delay = d
			}
			if err := y.Check(); err != nil {
				return err
			}
			ln, err := net.Listen("tcp", listen)
			if err != nil {
				return command.RuntimeError(err)
			}
			if api != "" {
				web, err := net.Listen("tcp", api)
				if err != nil {
					return command.RuntimeError(errors.Join(err, ln.Close()))
				}
				serve := null.Serve
				if null.Seed = y.Seed; view {
					serve = (&target.NullView{Topology: null.Topology, Seed: y.Seed}).Serve
				}
				if err := serve(cmd.Context(), ln, web); !errors.Is(err, cmd.Context().Err()) {
					return command.RuntimeError(err)
				}
				return nil
			}
			if y.Plain() {
				err = target.Respond(cmd.Context(), ln)
			} else {
				err = y.Respond(cmd.Context(), ln)
				fmt.Fprintf(cmd.OutOrStdout(), "%d packet-ins, %d answered, %d of them after a stall, %d lost\n",
					y.PacketIns.Load(), y.Answered.Load(), y.Stalled.Load(), y.Lost.Load())
			}
			if !errors.Is(err, cmd.Context().Err()) {
				return command.RuntimeError(err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&listen, "listen", listen, "address, HOST:PORT")
	f.StringVar(&delay, "delay", "", "of each answer: 5ms, uniform:5ms-15ms, exp:2ms or mix:1ms/50ms@0.01 (default none)")
	f.StringVar(&api, "api", "", "be the null instance, with its API at this address, HOST:PORT")
	f.StringVar(&null.Topology, "topology", "wan:206", "with --api: of the switches")
	f.BoolVar(&view, "view", false,
		"with --api: take no intents, but show switches and links as they come, by --topology and --seed")
	f.IntVar(&null.Hops, "hops", 6, "with --api: switches of each path")
	f.Float64Var(&y.Loss, "loss", 0, "part of the packet-ins that is never answered")
	f.Float64Var(&y.Wrong, "wrong", 0, "part of the answers that names a packet that was never sent")
	f.DurationVar(&y.StallEvery, "stall-every", 0, "a stall ends so often")
	f.DurationVar(&y.StallFor, "stall-for", 0, "how long one is")
	f.Uint64Var(&y.Seed, "seed", 1, "of all of this")
	return cmd
}
