package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/probe/calibration"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
)

// calibrationFlags are those of calibrate and verify.
type calibrationFlags struct {
	calibration.Config
	probe probeFlags
	to    switchFlags
	load  []string
	rates []string
	twins string
}

func (p *calibrationFlags) flags(f *pflag.FlagSet) {
	p.probe.ends(f, &p.Six)
	p.to.flags(f, defaultListen)
	f.IntVar(&p.Count, "count", 60, "echoes of each size, in each turn")
	f.DurationVar(&p.Interval, "interval", 20*time.Millisecond, "from one echo to the next")
	f.IntVar(&p.Flows, "flows", 25, "flow set-ups of each size, in each turn")
	f.DurationVar(&p.Apart, "apart", 100*time.Millisecond, "from the forgetting of flows to the first packet of new ones")
	f.StringArrayVar(&p.load, "load", nil, nic.Form+": a further interface, which sends load to the far end; may be given again")
	f.StringVar(&p.probe.csv, "csv", "", "file for the table, in microseconds")
	p.twins = string(attach.TAP)
	f.Var(command.Enum(&p.twins, string(attach.TAP), string(attach.VETH)), "twin", "devices of the emulated switch")
	f.Float64Var(&p.Limits.Lost, "max-loss", 0, "share of the packets that may be lost, such as 0.05")
	f.Float64Var(&p.Limits.Foreign, "max-foreign", 1, "frames of others that there may be for each one of the probe")
	p.Plan = controller.DefaultPlan()
	f.IntVar(&p.Plan.Rounds, "rounds", p.Plan.Rounds, "how often each time of the controller's is taken, at least")
	f.IntVar(&p.Plan.MaxEntries, "max-entries", p.Plan.MaxEntries, "entries that are tried in the first table")
	f.IntVar(&p.Plan.MaxOffered, "max-rate", p.Plan.MaxOffered, "packets a second that are tried")
}

// read reads what is not read by flags themselves.
func (p *calibrationFlags) read(cmd *cobra.Command) (err error) {
	p.VLAN, p.Kind = p.probe.vlan, attach.Kind(p.twins)
	if err := cmp.Or(p.probe.read(&p.From, &p.To), p.probe.check(cmd)); err != nil {
		return err
	}
	for _, text := range p.load {
		at, err := p.probe.nic("load", text)
		if err != nil {
			return err
		}
		p.LoadFrom = append(p.LoadFrom, at)
	}
	for _, text := range p.rates {
		rate, err := bitsPerSecond("load-rate", text)
		if err != nil {
			return err
		}
		p.Rates = append(p.Rates, rate)
	}
	p.Build, p.Command, p.Note = command.Build(), command.Line(), command.Notes(cmd)
	p.Program, err = os.Executable()
	return err
}

// noSwitch is --listen of a switch that has another controller, or none.
const noSwitch = "none"

// ofController are flags of what only the switch's controller can take.
var ofController = []string{"flows", "apart", "rounds", "max-entries", "max-rate"}

// during measures, as the controller of the switch if it is to be ours.
func (p *calibrationFlags) during(cmd *cobra.Command, cfg controller.Config, measure func(ctx context.Context) error) error {
	ctx := cmd.Context()
	if p.to.listen == noSwitch || p.From.Interface == "" {
		return command.RuntimeError(measure(ctx))
	}
	c, err := p.to.connect(ctx, cfg, cmd.ErrOrStderr(), append(slices.Clone(p.LoadFrom), p.From, p.To)...)
	if err != nil {
		return command.RuntimeError(err)
	}
	defer c.Close(context.WithoutCancel(ctx))
	p.Controller = c
	return command.RuntimeError(measure(ctx))
}

// show prints comparisons and writes their files. Where one has failed, so does the command.
func (p *calibrationFlags) show(cmd *cobra.Command, r *report.Report, comparisons ...*calibration.Comparison) error {
	err := p.probe.show(cmd, r, func(w io.Writer) error { return calibration.WriteCSV(w, comparisons...) })
	if err != nil {
		return err
	}
	for _, c := range comparisons {
		if c.Failed() {
			return &command.ExitError{Err: fmt.Errorf("the %s is not like the %s within %.0f %%: %s", c.Seen, c.Want,
				100*calibration.MaxOff, c.Why())}
		}
	}
	return nil
}

func newCalibrate() *cobra.Command {
	var f calibrationFlags
	cmd := &cobra.Command{
		Use:   "calibrate FILE.yaml",
		Short: "Make the profile of a switch, and hold its emulated twin to it",
		Long: `It measures a switch between two interfaces, of which it is the controller: path latency by size and
under load, flow set-up, and what weir probe switch takes. Whatever the switch holds is deleted. What
comes of it is the profile FILE.yaml for weir emulate --profile. Then an emulated switch of that
profile, between two devices of this machine, is measured by the same probe, and a table shows both. A
ratio beyond 10 % ends with exit code 1. A switch that is faster than the devices themselves is marked
floor: no twin between them can be as fast.`,
		Example: `  weir probe calibrate my-switch.yaml --from eth1 --to eth2 --listen 192.0.2.1:6653
  weir probe calibrate my-switch.yaml --from eth1 --to eth2 --load eth3 --load eth4 --load-rate 250M,375M
  weir probe calibrate bridge.yaml --from eth1 --to eth2 --listen none
  weir emulate linear:4 --profile my-switch.yaml`,
		Args: command.WantArgs(1, 1, "FILE.yaml, such as my-switch.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(f.probe.both(), checkProfileFile(args[0]), f.read(cmd)); err != nil {
				return err
			}
			var err error
			if f.Sizes, err = f.probe.lengths(profile.MaxPayload); err != nil {
				return err
			}
			cfg, err := f.to.config()
			if err := cmp.Or(f.to.check(cmd.Flags(), ofController...), err, f.Check()); err != nil {
				return err
			}
			if err := errors.Join(f.probe.place(), command.Writable(args[0])); err != nil {
				return command.RuntimeError(err)
			}
			return f.during(cmd, cfg, func(ctx context.Context) error { return f.calibrate(ctx, cmd, args[0]) })
		},
	}
	f.flags(cmd.Flags())
	cmd.Flags().StringSliceVar(&f.probe.sizes, "size", []string{"56", "1500", "10000", "65000"}, "bytes of an echo's data")
	cmd.Flags().IntVar(&f.Turns, "turns", 6, "turns of the twin beside the switch, at most: fewer if two tell all")
	cmd.Flags().StringSliceVar(&f.rates, "load-rate", nil,
		"bits a second of load from each --load, one measurement for each, such as 250M,375M")
	return cmd
}

// calibrate writes the profile, if there is one, and shows the switch beside its twin.
func (p *calibrationFlags) calibrate(ctx context.Context, cmd *cobra.Command, file string) error {
	r, err := p.Calibrate(ctx)
	if err != nil {
		return err
	}
	about := ""
	if r.Switch != nil {
		about = describe(r.Switch)
	}
	nameProfile(&r.Profile, file, about)
	rep := p.Report("probe calibrate", "a switch and its emulated twin", r.Twin)
	for _, n := range r.Notes {
		p.Note("%s", n)
	}
	err = p.show(cmd, rep, r.Twin) // first: a file that cannot be written loses nothing
	if len(r.Profile.Parts()) > 0 {
		if bad := atomicfile.Write(file, []byte(r.File())); bad != nil {
			err = besides(err, bad)
		}
	}
	return err
}

func newVerify() *cobra.Command {
	var f calibrationFlags
	cmd := &cobra.Command{
		Use:   "verify PROFILE",
		Short: "Hold an emulated switch, and the switch itself, to a profile",
		Long: `It measures an emulated switch of a profile between two devices of this machine, as calibrate does, and
shows it beside the profile's figures. With --from and --to the switch itself is measured too. A ratio
beyond 10 % ends with exit code 1; what is faster than the devices themselves is marked floor, and
what is late by the emulator's own time emulator's own. Sizes and loads are the profile's.`,
		Example: `  weir probe verify my-switch.yaml
  weir probe verify my-switch.yaml --from eth1 --to eth2 --listen 192.0.2.1:6653
  weir probe verify aruba-3810m`,
		Args: command.WantArgs(1, 1, "PROFILE: "+strings.Join(profile.Names(), ", ")+" or a YAML file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (f.probe.from == "") != (f.probe.to == "") {
				return errors.New("one of --from and --to given, want both interfaces of the switch, or none")
			}
			if f.probe.from == "" {
				if err := command.OnlyWith(cmd.Flags(), "--from and --to", "load", "listen", "datapath", "openflow-version",
					"wait", "stamps", "keep-offloads"); err != nil {
					return err
				}
			}
			what, err := profile.Find(args[0])
			if err := cmp.Or(err, f.read(cmd)); err != nil {
				return err
			}
			cfg, err := f.to.config()
			if err := cmp.Or(err, f.Follow(&what), f.to.check(cmd.Flags())); err != nil {
				return err
			}
			if err := f.probe.place(); err != nil {
				return command.RuntimeError(err)
			}
			return f.during(cmd, cfg, func(ctx context.Context) error {
				v, err := f.Verify(ctx, &what)
				if err != nil {
					return err
				}
				comparisons := []*calibration.Comparison{v.Twin}
				if v.Switch != nil {
					comparisons = append(comparisons, v.Switch)
				}
				return f.show(cmd, f.Report("probe verify", "the profile "+what.Name, comparisons...), comparisons...)
			})
		},
	}
	f.flags(cmd.Flags())
	return cmd
}
