package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/paper"
)

// paperCampaign is what weir probe paper is asked for.
type paperCampaign struct {
	PaperFlags
	to     switchFlags
	hosts  string
	report bool
}

func newPaper() *cobra.Command {
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
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&p.hosts, "hosts", "", "interfaces of H1 to H4, each "+nic.Form)
	f.StringVar(&p.State, "state", "", "directory in which results are kept")
	p.to.flags(f, "")
	p.stamps = nic.Software.String()
	f.Var(command.Enum(&p.stamps, nic.Software.String(), nic.Hardware.String()), "stamps",
		"who takes the times: the kernel, or the interface")
	p.AddFlags(f)
	f.BoolVar(&p.report, "report", false, "measure nothing; show what there is")
	return cmd
}

// run measures what is not there yet, and shows what there is.
func (p *paperCampaign) run(cmd *cobra.Command) error {
	if err := cmp.Or(command.Positive(cmd.Flags()), p.check(), p.to.check(cmd.Flags())); err != nil {
		return err
	}
	if p.report {
		c, err := paper.Read(p.State)
		if err != nil {
			return command.RuntimeError(fmt.Errorf("--state: %w", err))
		}
		return p.show(cmd, c)
	}
	hosts, err := paper.ParseHosts(p.hosts)
	if err != nil {
		return fmt.Errorf("--hosts: %w", err)
	}
	parameters, err := p.Parameters(hosts, p.to.listen != "")
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
		ends, err := interfaces(hosts[:])
		if err != nil {
			return fmt.Errorf("--hosts: %w", err)
		}
		if c, err = p.to.connect(ctx, cfg, cmd.ErrOrStderr(), ends...); err != nil {
			return command.RuntimeError(err)
		}
		defer c.Close(context.WithoutCancel(ctx))
	}
	bed, err := paper.NewTestbed(parameters, c)
	if err != nil {
		return err
	}
	measured, err := p.Measure(ctx, p.State, bed, command.Notes(cmd))
	if err != nil {
		return err
	}
	return p.show(cmd, measured)
}

// interfaces reads the hosts' interfaces.
func interfaces(hosts []string) (list []nic.Config, err error) {
	for _, host := range hosts {
		c, err := nic.Parse(host)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// check finds flags that cannot be meant.
func (p *paperCampaign) check() error {
	switch {
	case p.State == "":
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
			return command.RuntimeError(err)
		}
		fmt.Fprintln(cmd.OutOrStdout())
		refused = refused || r.Refused()
	}
	if err := writePaper(p.State, c, points, reports); err != nil {
		return command.RuntimeError(err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "also in %s: report.html, points.csv, and each table as JSON\n", p.State)
	if refused {
		return &command.ExitError{} // the reports have said why
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
	return command.WriteReports(filepath.Join(dir, "report.html"), reports, report.WriteHTML)
}
