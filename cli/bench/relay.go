package bench

import (
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/cli/command"
)

// newRelay is the relay as a process.
func newRelay() *cobra.Command {
	r := &target.Relay{}
	var listen []string
	noDelay := true
	cmd := &cobra.Command{
		Use:   "relay",
		Short: "Copy bytes between switches and controllers",
		Long: `It has an address for each controller, and passes on what a switch that connects to it and that
controller say to each other, without looking at it: what anything costs that stands between them.
weir bench hypervisor measures one beside the hypervisor.`,
		Example: "  weir bench relay --listen 127.0.0.1:6653 --to 127.0.0.1:6633",
		Args:    command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(listen) != len(r.To) || len(listen) == 0 {
				return fmt.Errorf("%d addresses to listen at and %d of controllers given, want as many of each, and one or more",
					len(listen), len(r.To))
			}
			r.Nagle = !noDelay
			var all []net.Listener
			for _, address := range listen {
				ln, err := net.Listen("tcp", address)
				if err != nil {
					for _, ln := range all {
						ln.Close()
					}
					return command.RuntimeError(err)
				}
				all = append(all, ln)
			}
			if err := r.Serve(cmd.Context(), all); !errors.Is(err, cmd.Context().Err()) {
				return command.RuntimeError(err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&listen, "listen", nil, "addresses for switches, HOST:PORT, one for each controller")
	f.StringSliceVar(&r.To, "to", nil, "addresses of the controllers, HOST:PORT")
	f.BoolVar(&noDelay, "tcp-nodelay", true, "connections have TCP_NODELAY")
	return cmd
}
