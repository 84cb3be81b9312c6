package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/paper"
)

// paperFlags are those of the campaign of a paper, of whatever switch.
type paperFlags struct {
	state, stamps     string
	probes, transfers int
	duration          time.Duration
	rate              float64
	only              []string
	quick, again      bool
}

func (p *paperFlags) flags(f *pflag.FlagSet) {
	f.BoolVar(&p.quick, "quick", false, "the same points in minutes: fewer probes, fewer and shorter transfers")
	f.IntVar(&p.probes, "probes", 0, fmt.Sprintf("of each point of latency and set-up (default %d, quick %d)", paper.Full.Probes,
		paper.Short.Probes))
	f.IntVar(&p.transfers, "transfers", 0, fmt.Sprintf("of each point of TCP and UDP (default %d, quick %d)", paper.Full.Transfers,
		paper.Short.Transfers))
	f.DurationVar(&p.duration, "duration", 0, fmt.Sprintf("of a transfer (default %gs, quick %gs)", paper.Full.Seconds,
		paper.Short.Seconds))
	f.Float64Var(&p.rate, "udp-rate", paper.Full.UDPRate, "Mbit/s at which UDP is sent")
	f.StringSliceVar(&p.only, "only", nil, "points whose names begin so: latency, udp/installed, udp/reactive/2x250/1500 …")
	f.BoolVar(&p.again, "again", false, "try points again that had no result")
}

// parameters are those of the flags, for hosts.
func (p *paperFlags) parameters(hosts [paper.Hosts]string, controlled bool) (c paper.Parameters, err error) {
	c = paper.Full
	if p.quick {
		c = paper.Short
	}
	c.Probes, c.Transfers = cmp.Or(p.probes, c.Probes), cmp.Or(p.transfers, c.Transfers)
	c.Seconds = cmp.Or(p.duration.Seconds(), c.Seconds)
	c.Hosts, c.UDPRate, c.Stamps, c.Controlled = hosts, p.rate, cmp.Or(p.stamps, nic.Software.String()), controlled
	if err := c.Check(); err != nil {
		return c, err
	}
	_, err = p.points(&c)
	return c, err
}

// points are those that are asked for.
func (p *paperFlags) points(c *paper.Parameters) ([]paper.Point, error) {
	points, err := paper.Choose(c.Plan(), p.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	return points, nil
}

// measure measures what a directory does not have of a campaign. The error is one at run time.
func (p *paperFlags) measure(ctx context.Context, dir string, bed *paper.Testbed, note func(string, ...any),
) (*paper.Campaign, error) {
	begun := paper.Campaign{Parameters: bed.Parameters, Machine: report.ThisMachine(), Command: commandLine(),
		Build: probeBuild()}
	if bed.Controller != nil {
		f, _ := bed.Controller.Features()
		begun.Switch = strings.TrimSpace(fmt.Sprintf("datapath %016x, %s %s %s", f.Datapath, f.Desc.Manufacturer, f.Desc.Hardware,
			f.Desc.Software))
	}
	store, err := paper.Open(dir, begun)
	if err != nil {
		return nil, runtimeError(fmt.Errorf("--state: %w", err))
	}
	defer store.Close()
	points, err := p.points(&store.Parameters)
	if err != nil {
		return nil, err
	}
	note("%d of %s are over; the others take about %v", store.Progress(points), report.Plural(len(points), "point", "points"),
		store.Takes(points).Round(time.Second))
	if err := store.Run(ctx, bed, points, p.again, note); err != nil {
		return nil, runtimeError(fmt.Errorf("%w; %d of %d points are kept in %s: the same command goes on", err,
			store.Progress(points), len(points), dir))
	}
	return store.Campaign, nil
}

// paperCampaign is what weir probe paper is asked for.
type paperCampaign struct {
	paperFlags
	to     switchFlags
	hosts  string
	report bool
}

func newProbePaper() *cobra.Command {
	p := &paperCampaign{}
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "The campaign of the paper on the asynchronous latency technique, at four ports of a switch",
		Long: `Four hosts of this command's own, H1 to H4, at four ports of one switch: path latency, flow set-up and
streams of TCP and UDP from H2 to H1, for packets of 1.5, 10 and 65 kB (TCP: a window of 150 kB too),
while H3 and H4 send nothing, 250 or 375 Mbit/s each to H1. With --listen it is the switch's
controller, deletes whatever the switch holds, and measures with rules that are set up by the first
packet and with rules that are installed before; without, the switch is measured as it is, and there
is no flow set-up.

Each run is kept in the directory of --state as soon as it is over: the same command goes on where it
was interrupted. A point that cannot be had, such as background that the switch does not carry, has
the reason in its place, and is not tried again without --again. The whole campaign takes more than
a day (docs/probe.md), with --quick minutes. At its end, and at any time with --report, what
there is is printed, and written to the directory: report.html, points.csv and each table as JSON.`,
		Example: `  weir probe paper --hosts eth1,eth2,eth3,eth4 --listen 192.0.2.1:6653 --state aruba --quick
  weir probe paper --hosts eth0,netns=h1,eth0,netns=h2,eth0,netns=h3,eth0,netns=h4 --state ovs --only latency
  weir probe paper --state aruba --report
  weir bench paper latency --hardware aruba --software ovs`,
		Args: wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&p.hosts, "hosts", "", "interfaces of H1 to H4, each "+nic.Form)
	f.StringVar(&p.state, "state", "", "directory in which results are kept")
	p.to.flags(f, "")
	p.stamps = nic.Software.String()
	f.Var(newEnumFlag(&p.stamps, nic.Software.String(), nic.Hardware.String()), "stamps",
		"who takes the times: the kernel, or the interface")
	p.flags(f)
	f.BoolVar(&p.report, "report", false, "measure nothing; show what there is")
	return cmd
}

// run measures what is not there yet, and shows what there is.
func (p *paperCampaign) run(cmd *cobra.Command) error {
	if err := cmp.Or(positive(cmd.Flags()), p.check(), p.to.check(cmd.Flags())); err != nil {
		return err
	}
	if p.report {
		c, err := paper.Read(p.state)
		if err != nil {
			return runtimeError(fmt.Errorf("--state: %w", err))
		}
		return p.show(cmd, c)
	}
	hosts, err := paper.ParseHosts(p.hosts)
	if err != nil {
		return fmt.Errorf("--hosts: %w", err)
	}
	parameters, err := p.parameters(hosts, p.to.listen != "")
	if err != nil {
		return err
	}
	cfg, err := p.to.config()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	var c *controller.Controller
	if p.to.listen != "" {
		if c, err = p.to.connect(ctx, cfg, cmd.ErrOrStderr()); err != nil {
			return runtimeError(err)
		}
		defer c.Close(context.WithoutCancel(ctx))
	}
	bed, err := paper.NewTestbed(parameters, c)
	if err != nil {
		return err
	}
	measured, err := p.measure(ctx, p.state, bed, notes(cmd))
	if err != nil {
		return err
	}
	return p.show(cmd, measured)
}

// check finds flags that cannot be meant.
func (p *paperCampaign) check() error {
	switch {
	case p.state == "":
		return errors.New("no --state given, want a directory for results, such as --state my-switch")
	case p.hosts == "" && !p.report:
		return errors.New("no --hosts given, want the interfaces of H1 to H4, such as --hosts eth1,eth2,eth3,eth4")
	}
	return nil
}

// show prints what was measured of the points that are asked for, and writes it to the directory.
func (p *paperCampaign) show(cmd *cobra.Command, c *paper.Campaign) error {
	points, err := p.points(&c.Parameters)
	if err != nil {
		return err
	}
	reports, refused := c.Reports(points), false
	for _, r := range reports {
		if err := r.Print(cmd.OutOrStdout()); err != nil {
			return runtimeError(err)
		}
		fmt.Fprintln(cmd.OutOrStdout())
		refused = refused || r.Refused()
	}
	if err := writePaper(p.state, c, points, reports); err != nil {
		return runtimeError(err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "also in %s: report.html, points.csv, and each table as JSON\n", p.state)
	if refused {
		return &exitError{} // the reports have said why
	}
	return nil
}

// writePaper writes reports of points to a directory.
func writePaper(dir string, c *paper.Campaign, points []paper.Point, reports []*report.Report) error {
	for i, name := range paper.Groups(points) {
		b, err := json.MarshalIndent(reports[i], "", " ")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".json"), append(b, '\n'), 0o644)
		}
		if err != nil {
			return err
		}
	}
	var table bytes.Buffer
	if err := c.WriteCSV(&table, points); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "points.csv"), table.Bytes(), 0o644); err != nil {
		return err
	}
	return writeReports(filepath.Join(dir, "report.html"), reports, report.WriteHTML)
}
