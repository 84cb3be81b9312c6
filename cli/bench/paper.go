package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/cli/probe"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/paper"
	"github.com/weirnet/weir/probe/twin"
	"github.com/weirnet/weir/probe/vswitch"
)

func newPaper() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "paper FIGURES",
		Short:   "The figures of papers beside ours",
		Example: "  weir bench paper latency --hardware aruba --software ovs",
		Args:    command.WantCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPaperLatency())
	return cmd
}

// hardwareProfile is that of the emulated switch in place of a hardware switch.
const hardwareProfile = "aruba-3810m"

// paperRatios is what weir bench paper latency is asked for.
type paperRatios struct {
	probe.PaperFlags
	dirs [2]string // of the hardware's campaign, and of the software's
	out  command.ReportFiles
}

func newPaperLatency() *cobra.Command {
	p := &paperRatios{}
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "The asynchronous latency technique: a hardware switch to Open vSwitch",
		Long: `Two campaigns of weir probe paper, of a hardware switch and of a software switch, as ratios of the one
to the other, beside those of the paper (HP Aruba 3810M to Open vSwitch in Mininet). Where the paper
has no number but a plot it says so. A row that one of the campaigns does not have says why, and the
exit code is 1.

A campaign that is not given is measured, in a network namespace of its own: in place of a hardware
switch one that is emulated with the profile ` + hardwareProfile + `, and as software switch an Open vSwitch with its
userspace datapath. They are kept below the directory of --state, as weir probe paper keeps them.`,
		Example: `  weir bench paper latency --hardware aruba --software ovs --html paper.html
  weir bench paper latency --hardware aruba --state here --quick
  weir bench paper latency --state here --quick --only latency,setup`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&p.dirs[0], "hardware", "", "directory of the campaign of a hardware switch (default: one is emulated)")
	f.StringVar(&p.dirs[1], "software", "", "directory of the campaign of a software switch (default: Open vSwitch)")
	f.StringVar(&p.State, "state", "", "directory in which the results of those are kept that are measured")
	p.AddFlags(f)
	p.out.AddFlags(f)
	return cmd
}

// started is a switch that is measured where no campaign is given, with its controller.
type started struct {
	ends       []nic.Config
	controller *controller.Controller
	close      func()
}

// made are these switches, in the order of a comparison.
var made = [2]struct {
	name  string
	start func(ctx context.Context) (*started, error)
}{{"hardware", startTwin}, {"software", startOpenvSwitch}}

// startTwin starts an emulated switch in place of a hardware switch.
func startTwin(ctx context.Context) (*started, error) {
	c, err := controller.Listen("127.0.0.1:0", controller.Config{})
	if err != nil {
		return nil, err
	}
	leave := context.WithoutCancel(ctx)
	p, err := command.ReadProfile(hardwareProfile)
	if err != nil {
		return nil, errors.Join(err, c.Close(leave))
	}
	t, err := twin.Start(ctx, twin.Config{Profile: p, Controller: c.Address(), Ends: paper.Hosts})
	if err != nil {
		return nil, errors.Join(err, c.Close(leave))
	}
	return &started{t.Ends, c, func() { c.Close(leave); t.Close(leave) }}, nil
}

// startOpenvSwitch starts an Open vSwitch. The error may be vswitch.ErrNotInstalled.
func startOpenvSwitch(ctx context.Context) (*started, error) {
	s, err := vswitch.New(paper.Hosts)
	if err != nil {
		return nil, err
	}
	var c *controller.Controller
	err = s.Inside(func() (err error) { c, err = controller.Listen("127.0.0.1:0", controller.Config{}); return err })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	leave := context.WithoutCancel(ctx)
	if err := s.Start(ctx, c.Address()); err != nil {
		return nil, errors.Join(err, c.Close(leave), s.Close())
	}
	return &started{s.Ends, c, func() { c.Close(leave); s.Close() }}, nil
}

func (p *paperRatios) run(cmd *cobra.Command) error {
	if err := command.Positive(cmd.Flags()); err != nil {
		return err
	}
	if !slices.Contains(p.dirs[:], "") {
		if err := command.OnlyWith(cmd.Flags(), "a switch to measure", "state", "quick", "probes", "transfers", "duration",
			"udp-rate", "only", "again"); err != nil {
			return err
		}
	}
	if p.State == "" {
		for i, dir := range p.dirs {
			if dir == "" {
				return fmt.Errorf("no --%s given, want a directory that weir probe paper has filled, or --state for one to measure in",
					made[i].name)
			}
		}
	}
	if _, err := p.Parameters([paper.Hosts]string{"end0", "end1", "end2", "end3"}, true); err != nil {
		return err
	}
	if err := p.out.Check(); err != nil {
		return err
	}
	var both [2]*paper.Campaign
	for i := range p.dirs {
		if dir := p.dirs[i]; dir != "" {
			var err error
			if both[i], err = paper.Read(dir); err != nil {
				return command.RuntimeError(fmt.Errorf("--%s: %w", made[i].name, err))
			}
		}
	}
	for i := range both {
		if both[i] != nil {
			continue
		}
		var err error
		if both[i], err = p.make(cmd, i); err != nil {
			return err
		}
	}
	compared := paper.Compare(both[0], both[1])
	if err := compared.Print(cmd.OutOrStdout()); err != nil {
		return command.RuntimeError(err)
	}
	r := compared.Report()
	r.Command, r.Build = command.Line(), command.Build()
	return p.out.Write(r)
}

// connecting is how long a switch that was started may take to connect.
const connecting = time.Minute

// make measures a switch that it starts.
func (p *paperRatios) make(cmd *cobra.Command, i int) (*paper.Campaign, error) {
	ctx, note := cmd.Context(), command.Notes(cmd)
	s, err := made[i].start(ctx)
	if err != nil {
		return nil, command.RuntimeError(fmt.Errorf("%s: %w", made[i].name, err))
	}
	defer s.close()
	var names [paper.Hosts]string
	for n := range names {
		names[n] = s.ends[n].Interface
	}
	parameters, err := p.Parameters(names, true)
	if err != nil {
		return nil, err
	}
	connected, cancel := context.WithTimeout(ctx, connecting)
	defer cancel()
	if err := s.controller.Ready(connected); err != nil {
		return nil, command.RuntimeError(fmt.Errorf("%s: %w", made[i].name, err))
	}
	dir := filepath.Join(p.State, made[i].name)
	note("%s: %s", made[i].name, dir)
	return p.Measure(ctx, dir, &paper.Testbed{Parameters: parameters, Hosts: [paper.Hosts]nic.Config(s.ends),
		Controller: s.controller}, note)
}
