package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/strictyaml"
)

// New makes the command weir probe.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "probe MEASUREMENT",
		Short: "Measure a switch, or a path of switches: what it does to packets",
		Long: `A probe sends packets into one end of a path and takes them out at the other, at interfaces of this
machine, with the kernel's or the hardware's time stamps. What the probe itself takes is measured with
a cable in place of the path, before and after, and taken off. A size without a result says why, and
the exit code is 1. docs/probe.md says how to wire it. It needs root.`,
		Example: `  weir probe latency --from eth1 --to eth2
  weir probe stream --from eth1 --to eth2 --rate 500M
  weir probe switch --source eth1 --in 1 --out 2
  weir probe calibrate my-switch.yaml --from eth1 --to eth2 --listen 192.0.2.1:6653`,
		Args: command.WantCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLatency(), newSetup(), newStream(), newCable(), newObserve(), newStamp(), newReflect(), newSwitch(),
		newCalibrate(), newVerify(), newPaper())
	return cmd
}

func newLatency() *cobra.Command {
	var c campaign.Latency
	var f probeFlags
	var l loadFlags
	var ruled ruledFlags
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "Two-way path latency, by the size of packets",
		Long: `Two stations of this command's own, one at each interface, exchange echoes of each size: the time from
a request's leaving to its reply's coming, less what the other station took. An echo that is longer
than the MTU goes in fragments: from the first one's leaving to the last one's coming. Whoever else is
at the interfaces should be silent. The far end can be at another machine, where weir probe observe
runs: clocks need not agree, but one way is known only with --symmetric or --clocks-agree. With --listen it
is the switch's controller besides.`,
		Example: `  weir probe latency --from eth1 --to eth2 --size 56,1500 --count 100
  weir probe latency --from eth1 --to eth2 --listen 192.0.2.1:6653 --rules installed
  weir probe latency --from eth1 --to eth2 --load eth3 --load eth4 --load-rate 250M
  weir probe latency --from eth0,netns=h1 --to eth0,netns=h2 --six --html latency.html
  weir probe latency --from eth1 --to observer=192.0.2.2:8620 --key probe.key --symmetric`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ruled.measure(cmd, &f, &c, &l, c.Check, tabled(campaign.WriteCSV, c.Run))
		},
	}
	f.flags(cmd.Flags(), &c)
	l.flags(cmd.Flags())
	f.far(cmd.Flags())
	f.limits(cmd.Flags(), &c)
	ruled.flags(cmd.Flags(), &c, "")
	cmd.Flags().BoolVar(&c.Symmetric, "symmetric", false,
		"tell one way too, as half of both; refused where each way is known and they differ")
	cmd.Flags().BoolVar(&c.ClocksAgree, "clocks-agree", false, "the clocks of the two machines do, so that each way is known")
	return cmd
}

func newSetup() *cobra.Command {
	var c campaign.Setup
	var f probeFlags
	var l loadFlags
	var ruled ruledFlags
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Flow set-up: how much longer the first packet of a flow takes",
		Long: `It is the controller of the first switch that connects, OpenFlow 1.0 or 1.3, and deletes whatever the
switch holds, before and after. Two stations of its own, one at each interface, exchange the echoes of
one flow after the other: flow set-up is the path latency of a flow's first echo less the median of
later ones. Request and reply are two flows, so two set-ups are in it; what the controller took of
them is reported beside it. With --rules installed the entries are there before the first echo.`,
		Example: `  weir probe setup --from eth1 --to eth2 --listen 192.0.2.1:6653
  weir probe setup --from eth0,netns=h1 --to eth0,netns=h2 --size 56 --count 50 --csv setup.csv`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ruled.to.listen == "" {
				return errors.New("empty --listen given, want HOST:PORT: flows are forgotten by the switch's own controller")
			}
			return ruled.measure(cmd, &f, &c.Latency, &l, c.Check, tabled(campaign.WriteSetups, c.Run))
		},
	}
	f.flags(cmd.Flags(), &c.Latency)
	l.flags(cmd.Flags())
	f.far(cmd.Flags())
	f.limits(cmd.Flags(), &c.Latency)
	ruled.flags(cmd.Flags(), &c.Latency, defaultListen)
	cmd.Flags().Lookup("count").Usage = "flows of each size"
	cmd.Flags().IntVar(&c.Later, "later", 4, "echoes of each flow that are later ones; the second is none of them")
	cmd.Flags().DurationVar(&c.Apart, "apart", 100*time.Millisecond, "from the forgetting of flows to the first packet of a new one")
	return cmd
}

func newCable() *cobra.Command {
	var c campaign.Cable
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "cable",
		Short: "What the probe itself takes, over a cable",
		Long: `The same echoes as those of weir probe latency, over a cable: one that this command makes of a veth
pair, or the one between --from and --to.`,
		Example: `  weir probe cable
  weir probe cable --from eth1 --to eth2 --stamps hardware`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (f.from == "") != (f.to == "") {
				return errors.New("one of --from and --to given, want both interfaces of the cable, or none")
			}
			if f.from == "" { // a veth pair has no clock, and is the command's own
				if err := command.OnlyWith(cmd.Flags(), "--from and --to", "stamps", "keep-offloads"); err != nil {
					return err
				}
			}
			if _, far, _ := observerAt(f.to); far {
				return fmt.Errorf("--to %s given, want an interface of this machine: each machine has a share of its own", f.to)
			}
			return f.run(cmd, &c.Latency, c.Check, tabled(campaign.WriteCSV, c.Run))
		},
	}
	f.flags(cmd.Flags(), &c.Latency)
	c.Limits.Foreign = 1
	return cmd
}

// probeFlags are those that all measurements between two interfaces have.
type probeFlags struct {
	from, to, stamps, csv string
	key                   string // file
	sizes                 []string
	vlan                  uint16
	asIs                  bool
	out                   command.ReportFiles
}

// ends are the flags of all measurements with packets of ours between two interfaces.
func (p *probeFlags) ends(f *pflag.FlagSet, six *bool) {
	f.StringVar(&p.from, "from", "", nic.Form+": the interface at the near end")
	f.StringVar(&p.to, "to", "", nic.Form+": the interface at the far end")
	f.BoolVar(six, "six", false, "IPv6 instead of IPv4")
	f.Uint16Var(&p.vlan, "vlan", 0, "id of the tag that packets have (default none)")
	p.stamps = nic.Software.String()
	f.Var(command.Enum(&p.stamps, nic.Software.String(), nic.Hardware.String(), nic.Best.String()), "stamps",
		"who takes the times: the kernel, the interface, or that where it can and otherwise the kernel")
	f.BoolVar(&p.asIs, "keep-offloads", false, "leave the interfaces' offloads as they are; frames that are merged are refused")
	p.out.AddFlags(f)
}

func (p *probeFlags) flags(f *pflag.FlagSet, c *campaign.Latency) {
	p.ends(f, &c.Six)
	f.StringSliceVar(&p.sizes, "size", []string{"56", "1500", "10000", "65000"}, "bytes of an echo's data")
	f.IntVar(&c.Count, "count", 20, "echoes of each size")
	f.DurationVar(&c.Interval, "interval", 20*time.Millisecond, "from one echo to the next")
	f.StringVar(&p.csv, "csv", "", "file for each echo's times, in nanoseconds")
}

// both wants both interfaces.
func (p *probeFlags) both() error {
	if p.from == "" || p.to == "" {
		return errors.New("no --from or --to given, want both interfaces, such as --from eth1 --to eth2")
	}
	return nil
}

// far are the flags of a far end at another machine.
func (p *probeFlags) far(f *pflag.FlagSet) {
	f.Lookup("to").Usage += ", or " + observerForm
	keyFlag(f, &p.key)
}

// limits are the flags of what a path may do.
func (p *probeFlags) limits(f *pflag.FlagSet, c *campaign.Latency) {
	f.Float64Var(&c.Limits.Lost, "max-loss", 0, "share of the packets that may be lost, such as 0.05")
	f.Float64Var(&c.Limits.Foreign, "max-foreign", 1, "frames of others that there may be for each one of the probe")
}

// csvTable writes what was measured, one line for each sample.
type csvTable func(io.Writer) error

// measurement is one between two interfaces.
type measurement func(context.Context) (*report.Report, csvTable, error)

// tabled is a measurement with the table of its samples.
func tabled[T any](write func(io.Writer, []T) error, measure func(context.Context) (*report.Report, []T, error)) measurement {
	return func(ctx context.Context) (*report.Report, csvTable, error) {
		r, samples, err := measure(ctx)
		return r, func(w io.Writer) error { return write(w, samples) }, err
	}
}

// run measures, when the flags can be meant, and shows the report.
func (p *probeFlags) run(cmd *cobra.Command, c *campaign.Latency, check func() error, measure measurement) error {
	c.VLAN = p.vlan
	var err error
	if c.Sizes, err = p.lengths(campaign.MaxSize); err != nil {
		return err
	}
	var far bool
	if c.Observer, far, err = observerAt(p.to); err != nil {
		return err
	}
	if far {
		p.to = ""
	} else if err := command.OnlyWith(cmd.Flags(), "--to "+observerForm, "key"); err != nil {
		return err
	}
	if c.Key, err = readKey(p.key); err != nil {
		return err
	}
	if err := cmp.Or(p.read(&c.From, &c.To), p.check(cmd), check()); err != nil {
		return err
	}
	c.Build, c.Command, c.Note = command.Build(), command.Line(), command.Notes(cmd)
	return p.measure(cmd, measure)
}

// measure measures and shows the report.
func (p *probeFlags) measure(cmd *cobra.Command, measure measurement) error {
	if err := p.place(); err != nil {
		return command.RuntimeError(err)
	}
	r, write, err := measure(cmd.Context())
	if err != nil {
		return command.RuntimeError(err)
	}
	return p.show(cmd, r, write)
}

// show prints a report and writes all files: one that cannot be written takes nothing from the others.
func (p *probeFlags) show(cmd *cobra.Command, r *report.Report, write csvTable) error {
	return besides(p.out.Show(cmd, r), p.table(write))
}

// besides is the error of a command that has shown a report, and of what else it did: a report that has
// said what is wrong does not hide that.
func besides(shown, err error) error {
	said := new(command.ExitError)
	switch {
	case err == nil:
		return command.RuntimeError(shown)
	case shown == nil || errors.As(shown, &said) && said.Err == nil:
		return command.RuntimeError(err)
	}
	return &command.ExitError{Err: errors.Join(shown, err)}
}

// check finds flags that cannot be meant.
func (p *probeFlags) check(cmd *cobra.Command) error {
	if p.csv != "" && (p.csv == p.out.JSON || p.csv == p.out.HTML) {
		return fmt.Errorf("%s given for --csv and for another file, want a file for each", p.csv)
	}
	return cmp.Or(command.Positive(cmd.Flags()), p.out.Check())
}

// place finds out whether the table can be written.
func (p *probeFlags) place() error {
	if p.csv == "" {
		return nil
	}
	return command.Writable(p.csv)
}

// read reads the interfaces.
func (p *probeFlags) read(from, to *nic.Config) error {
	for _, end := range []struct {
		flag, text string
		to         *nic.Config
	}{{"from", p.from, from}, {"to", p.to, to}} {
		if end.text == "" {
			continue
		}
		c, err := p.nic(end.flag, end.text)
		if err != nil {
			return err
		}
		*end.to = c
	}
	return nil
}

// nic reads an interface that a flag names.
func (p *probeFlags) nic(flag, text string) (nic.Config, error) {
	c, err := nic.Parse(text)
	if err != nil {
		return c, fmt.Errorf("--%s: %w", flag, err)
	}
	if c.Stamps, err = nic.ParseStamps(p.stamps); err != nil {
		return c, fmt.Errorf("--stamps: %w", err)
	}
	c.AsIs = p.asIs
	return c, nil
}

// lengths reads the sizes.
func (p *probeFlags) lengths(most int) (list []int, err error) {
	if p.sizes != nil { // given, or with a default of the flag's
		list = []int{}
	}
	for _, text := range p.sizes {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("--size=%s given, want bytes from 0 to %d, such as 56,1500", text, most)
		}
		list = append(list, n)
	}
	return list, nil
}

// loadFlags are those of load beside a measurement.
type loadFlags struct {
	from []string
	rate string
	size int
}

func (l *loadFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&l.from, "load", nil, nic.Form+": a further interface, which sends load to the far end; may be given again")
	f.StringVar(&l.rate, "load-rate", "", "bits a second of load from each --load, such as 250M")
	f.IntVar(&l.size, "load-size", campaign.DefaultLoadSize, "bytes of the payload of the load's datagrams")
}

// read reads the load; the interfaces are opened as those of the measurement.
func (l *loadFlags) read(f *pflag.FlagSet, c *campaign.Load, p *probeFlags) error {
	c.From, c.Rate, c.Size = nil, 0, l.size
	if len(l.from) == 0 {
		if err := command.OnlyWith(f, "--load", "load-size"); err != nil {
			return err
		}
	}
	if (len(l.from) == 0) != (l.rate == "") {
		return errors.New("one of --load and --load-rate given, want both, such as --load eth3 --load-rate 250M")
	}
	for _, text := range l.from {
		n, err := p.nic("load", text)
		if err != nil {
			return err
		}
		c.From = append(c.From, n)
	}
	if l.rate == "" {
		return nil
	}
	var err error
	c.Rate, err = bitsPerSecond("load-rate", l.rate)
	return err
}

// bitsPerSecond reads a rate that a flag gives.
func bitsPerSecond(flag, text string) (float64, error) {
	rate, err := strictyaml.Rate(text, campaign.MinRate, campaign.MaxRate)
	if err != nil || rate == 0 {
		return 0, fmt.Errorf("--%s %s given, want bits a second from %d to %d with k, M, G or T, such as 100M", flag, text,
			uint64(campaign.MinRate), uint64(campaign.MaxRate))
	}
	return float64(rate), nil
}

// table writes what was measured to its file, if there is one.
func (p *probeFlags) table(write func(io.Writer) error) error {
	if p.csv == "" {
		return nil
	}
	file, err := os.Create(p.csv)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
