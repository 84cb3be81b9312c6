package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/nic"
)

func newProbe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "probe MEASUREMENT",
		Short: "Measure a switch, or a path of switches: what it does to packets",
		Long: `A probe sends packets into one end of a path and takes them out at the other, at interfaces of this
machine, with the kernel's or the hardware's time stamps. What the probe itself takes is measured with
a cable in place of the path, before and after, and taken off. A size without a result says why, and
the exit code is 1. docs/probe.md says how to wire it. It needs root.`,
		Example: `  weir probe latency --from eth1 --to eth2
  weir probe switch --source eth1 --in 1 --out 2`,
		Args: wantCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProbeLatency(), newProbeCable(), newProbeSwitch())
	return cmd
}

func newProbeLatency() *cobra.Command {
	var c campaign.Latency
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "Two-way path latency, by the size of packets",
		Long: `Two stations of this command's own, one at each interface, exchange echoes of each size: the time from
a request's leaving to its reply's coming, less what the other station took. An echo that is longer
than the MTU goes in fragments: from the first one's leaving to the last one's coming. Whoever else is
at the interfaces should be silent.`,
		Example: `  weir probe latency --from eth1 --to eth2 --size 56,1500 --count 100
  weir probe latency --from eth0,netns=h1 --to eth0,netns=h2 --six --html latency.html`,
		Args: wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from == "" || f.to == "" {
				return errors.New("no --from or --to given, want both interfaces, such as --from eth1 --to eth2")
			}
			return f.run(cmd, &c, c.Run)
		},
	}
	f.flags(cmd.Flags(), &c)
	cmd.Flags().BoolVar(&c.Symmetric, "symmetric", false, "refuse a result where the ways there and back differ")
	cmd.Flags().Float64Var(&c.Limits.Lost, "max-loss", 0, "share of the packets that may be lost, such as 0.05")
	cmd.Flags().Float64Var(&c.Limits.Foreign, "max-foreign", 1, "frames of others that there may be for each one of the probe")
	return cmd
}

func newProbeCable() *cobra.Command {
	var c campaign.Cable
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "cable",
		Short: "What the probe itself takes, over a cable",
		Long: `The same echoes as those of weir probe latency, over a cable: one that this command makes of a veth
pair, or the one between --from and --to.`,
		Example: `  weir probe cable
  weir probe cable --from eth1 --to eth2 --stamps hardware`,
		Args: wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (f.from == "") != (f.to == "") {
				return errors.New("one of --from and --to given, want both interfaces of the cable, or none")
			}
			return f.run(cmd, &c.Latency, c.Run)
		},
	}
	f.flags(cmd.Flags(), &c.Latency)
	c.Limits.Foreign = 1
	return cmd
}

// probeFlags are those that all measurements between two interfaces have.
type probeFlags struct {
	from, to, stamps, csv string
	sizes                 []string
	vlan                  uint16
	asIs                  bool
	out                   reportFiles
}

func (p *probeFlags) flags(f *pflag.FlagSet, c *campaign.Latency) {
	f.StringVar(&p.from, "from", "", nic.Form+": the interface at the near end")
	f.StringVar(&p.to, "to", "", nic.Form+": the interface at the far end")
	f.StringSliceVar(&p.sizes, "size", []string{"56", "1500", "10000", "65000"}, "bytes of an echo's data")
	f.IntVar(&c.Count, "count", 20, "echoes of each size")
	f.DurationVar(&c.Interval, "interval", 20*time.Millisecond, "from one echo to the next")
	f.BoolVar(&c.Six, "six", false, "IPv6 instead of IPv4")
	f.Uint16Var(&p.vlan, "vlan", 0, "id of the tag that packets have (default none)")
	p.stamps = nic.Software.String()
	f.Var(newEnumFlag(&p.stamps, "software|hardware|best"), "stamps",
		"who takes the times: the kernel, the interface, or that where it can and otherwise the kernel")
	f.BoolVar(&p.asIs, "keep-offloads", false, "leave the interfaces' offloads as they are; frames that are merged are refused")
	f.StringVar(&p.csv, "csv", "", "file for each echo's times, in nanoseconds")
	p.out.flags(f)
}

// run measures, when the flags can be meant, and shows the report.
func (p *probeFlags) run(cmd *cobra.Command, c *campaign.Latency,
	measure func(context.Context) (*report.Report, []campaign.Sample, error)) error {
	if err := cmp.Or(p.read(c), positive(cmd.Flags()), p.out.check()); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	if p.csv != "" {
		if err := writable(p.csv); err != nil {
			return runtimeError(err)
		}
	}
	c.Build, c.Command = fmt.Sprintf("weir %s, commit %s", Version, commit()), "weir "+strings.Join(os.Args[1:], " ")
	c.Note = func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
	r, samples, err := measure(cmd.Context())
	if err != nil {
		return runtimeError(err)
	}
	if err := p.table(samples); err != nil {
		return runtimeError(err)
	}
	return p.out.show(cmd, r)
}

// read reads what is not read by flags themselves.
func (p *probeFlags) read(c *campaign.Latency) error {
	stamps, err := nic.ParseStamps(p.stamps)
	if err != nil {
		return fmt.Errorf("--stamps: %w", err)
	}
	for _, end := range []struct {
		flag, text string
		to         *nic.Config
	}{{"from", p.from, &c.From}, {"to", p.to, &c.To}} {
		if end.text == "" {
			continue
		}
		if *end.to, err = nic.Parse(end.text); err != nil {
			return fmt.Errorf("--%s: %w", end.flag, err)
		}
		end.to.Stamps, end.to.AsIs = stamps, p.asIs
	}
	c.VLAN, c.Sizes = p.vlan, nil
	for _, text := range p.sizes {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("--size=%s given, want bytes from 0 to %d, such as 56,1500", text, campaign.MaxSize)
		}
		c.Sizes = append(c.Sizes, n)
	}
	return nil
}

// table writes the samples to their file, if there is one.
func (p *probeFlags) table(samples []campaign.Sample) error {
	if p.csv == "" {
		return nil
	}
	file, err := os.Create(p.csv)
	if err != nil {
		return err
	}
	return errors.Join(campaign.WriteCSV(file, samples), file.Close())
}
