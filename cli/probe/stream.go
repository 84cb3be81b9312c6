package probe

import (
	"cmp"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/probe/campaign"
)

func newStream() *cobra.Command {
	var c campaign.Streams
	var f probeFlags
	var l loadFlags
	rate := ""
	cmd := &cobra.Command{
		Use:   "stream",
		Short: "Throughput, jitter and loss of streams",
		Long: `A station of this command's own at --from sends numbered UDP datagrams to one at --to, at a set rate,
in fragments where they are longer than the MTU; or a host of Linux's own there, behind the interface,
a TCP stream to another one, with a window of --size bytes. What leaves and what comes is followed at
both interfaces. A rate is in bits of IP's payload a second. With --load other interfaces send to the
station at --to meanwhile; load that does not reach its rate refuses the result.`,
		Example: `  weir probe stream --from eth1 --to eth2 --rate 500M --size 1470 --time 10s --runs 20
  weir probe stream --from eth1 --to eth2 --proto tcp --size 65000 --time 120s --runs 20
  weir probe stream --from eth1 --to eth2 --rate 100M --load eth3 --load eth4 --load-rate 250M`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := cmp.Or(f.both(), l.read(cmd.Flags(), &c.Load, &f), f.read(&c.From, &c.To), f.check(cmd)); err != nil {
				return err
			}
			if c.Proto == campaign.TCP && cmd.Flags().Changed("rate") {
				return errors.New("--rate and --proto tcp given, want one of them: a window bounds what TCP sends")
			}
			if c.Rate, err = bitsPerSecond("rate", rate); err != nil {
				return err
			}
			if c.Sizes, err = f.lengths(campaign.MaxSize); err != nil {
				return err
			}
			c.VLAN = f.vlan
			if err := c.Check(); err != nil {
				return err
			}
			c.Build, c.Command, c.Note = command.Build(), command.Line(), command.Notes(cmd)
			return f.measure(cmd, tabled(campaign.WriteTransfers, c.Run))
		},
	}
	f.ends(cmd.Flags(), &c.Six)
	l.flags(cmd.Flags())
	c.Proto = campaign.UDP
	cmd.Flags().Var(command.Enum(&c.Proto, campaign.UDP, campaign.TCP), "proto", "protocol of the stream")
	cmd.Flags().StringVar(&rate, "rate", "100M", "of UDP: bits a second")
	cmd.Flags().StringSliceVar(&f.sizes, "size", nil,
		"bytes of a datagram's payload (default 1470,10000,65000), or of TCP's window (default 1500,10000,65000,150000)")
	cmd.Flags().DurationVar(&c.Time, "time", 10*time.Second, "how long a transfer takes")
	cmd.Flags().IntVar(&c.Runs, "runs", 5, "transfers of each size")
	cmd.Flags().StringVar(&f.csv, "csv", "", "file for each transfer's counts, with times in nanoseconds")
	cmd.Flags().Float64Var(&c.Limits.Foreign, "max-foreign", 0.1, "frames of others that there may be for each one of the stream")
	return cmd
}
