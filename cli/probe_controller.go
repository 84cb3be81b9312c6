package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
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
	f.Var(newEnumFlag(&p.version, openflow.V10.String(), openflow.V13.String()), "openflow-version",
		"that is offered to the switch (default both)")
	f.DurationVar(&p.wait, "wait", time.Minute, "how long the switch may take to connect")
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

// connect listens, and waits for the switch. Who calls closes the controller.
func (p *switchFlags) connect(ctx context.Context, cfg controller.Config, stderr io.Writer) (*controller.Controller, error) {
	cfg.Refused = func(err error) { fmt.Fprintln(stderr, err) }
	c, err := controller.Listen(p.listen, cfg)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "waiting for the switch at %s\n", c.Address())
	if err := c.ReadyWithin(ctx, p.wait); err != nil {
		_ = c.Close(context.WithoutCancel(ctx))
		return nil, err
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
	f.Var(newEnumFlag(&c.Rules, campaign.Reactive, campaign.Installed), "rules",
		"entries are set up as the first packet of a flow comes, or installed and confirmed before")
}

// check reads the flags, and refuses those that say nothing without --listen.
func (p *ruledFlags) check(f *pflag.FlagSet) (err error) {
	for _, name := range []string{"rules", "datapath", "openflow-version", "wait"} {
		if p.to.listen == "" && f.Changed(name) {
			return fmt.Errorf("--%s given without --listen, want both: the switch has another controller otherwise", name)
		}
	}
	p.cfg, err = p.to.config()
	return err
}

// during measures, as the controller of the switch if it is to be ours.
func (p *ruledFlags) during(ctx context.Context, c *campaign.Latency, stderr io.Writer, measure func() error) (err error) {
	if p.to.listen == "" {
		return measure()
	}
	if c.Controller, err = p.to.connect(ctx, p.cfg, stderr); err != nil {
		return err
	}
	defer c.Controller.Close(context.WithoutCancel(ctx))
	return measure()
}
