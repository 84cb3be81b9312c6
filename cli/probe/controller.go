package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
)

// defaultListen is where the switch under test connects.
const defaultListen = "127.0.0.1:6653"

// switchFlags say which switch a measurement is the controller of.
type switchFlags struct {
	listen, datapath string
	version          string // of OpenFlow; "": both
	wait             time.Duration
}

func (p *switchFlags) flags(f *pflag.FlagSet, listen string) {
	text := "where the switch connects, HOST:PORT"
	if listen == "" {
		text = "be the switch's controller, which connects to HOST:PORT, and delete whatever it holds"
	}
	f.StringVar(&p.listen, "listen", listen, text)
	f.StringVar(&p.datapath, "datapath", "", "datapath id of the switch, in hexadecimal digits (default: the first that connects)")
	f.Var(command.Enum(&p.version, openflow.V10.String(), openflow.V13.String()), "openflow-version",
		"that is offered to the switch (default both)")
	f.DurationVar(&p.wait, "wait", time.Minute, "how long the switch may take to connect")
}

// check refuses flags that say nothing where the switch is not ours, and others of that kind.
func (p *switchFlags) check(f *pflag.FlagSet, others ...string) error {
	if p.listen != "" && p.listen != noSwitch {
		return nil
	}
	return command.OnlyWith(f, "--listen HOST:PORT", append(others, "datapath", "openflow-version", "wait")...)
}

// config is which switch is taken.
func (p *switchFlags) config() (cfg controller.Config, err error) {
	if p.datapath != "" {
		if cfg.Datapath, err = strconv.ParseUint(p.datapath, 16, 64); err != nil || cfg.Datapath == 0 {
			return cfg, fmt.Errorf("--datapath %s given, want up to 16 hexadecimal digits, such as 00000000000000a1", p.datapath)
		}
	}
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		if p.version == "" || p.version == v.String() {
			cfg.Versions = append(cfg.Versions, v)
		}
	}
	return cfg, nil
}

// connect listens, and waits for the switch, if the interfaces that are measured at are there. Who calls closes the
// controller.
func (p *switchFlags) connect(ctx context.Context, cfg controller.Config, stderr io.Writer, at ...nic.Config) (
	*controller.Controller, error) {
	for _, end := range at {
		if err := nic.Check(end); err != nil {
			return nil, err
		}
	}
	cfg.Refused = func(err error) { fmt.Fprintln(stderr, err) }
	c, err := controller.Listen(p.listen, cfg)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "waiting for the switch at %s\n", c.Address())
	if err := c.ReadyWithin(ctx, p.wait); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w within --wait %v: have the switch connect there, or give it longer", err, p.wait)
		}
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// ruledFlags are a switch, and when it gets its entries.
type ruledFlags struct {
	to  switchFlags
	cfg controller.Config
}

func (p *ruledFlags) flags(f *pflag.FlagSet, c *campaign.Latency, listen string) {
	p.to.flags(f, listen)
	f.Var(command.Enum(&c.Rules, campaign.Reactive, campaign.Installed), "rules",
		"entries are set up as the first packet of a flow comes, or installed and confirmed before")
}

// check reads the flags.
func (p *ruledFlags) check(f *pflag.FlagSet) (err error) {
	if err := p.to.check(f, "rules"); err != nil {
		return err
	}
	p.cfg, err = p.to.config()
	return err
}

// measure measures beside load, as the controller of the switch if it is to be ours, and shows the report.
func (p *ruledFlags) measure(cmd *cobra.Command, f *probeFlags, c *campaign.Latency, l *loadFlags, check func() error,
	measure measurement) error {
	if err := cmp.Or(f.both(), l.read(cmd.Flags(), &c.Load, f), p.check(cmd.Flags())); err != nil {
		return err
	}
	return f.run(cmd, c, check, func(ctx context.Context) (r *report.Report, write csvTable, err error) {
		err = p.during(ctx, c, cmd.ErrOrStderr(), func() error {
			r, write, err = measure(ctx)
			return err
		})
		return r, write, err
	})
}

// during measures, as the controller of the switch if it is to be ours.
func (p *ruledFlags) during(ctx context.Context, c *campaign.Latency, stderr io.Writer, measure func() error) (err error) {
	if p.to.listen == "" {
		return measure()
	}
	if c.Controller, err = p.to.connect(ctx, p.cfg, stderr, append(slices.Clone(c.Load.From), c.From, c.To)...); err != nil {
		return err
	}
	defer c.Controller.Close(context.WithoutCancel(ctx))
	return measure()
}
