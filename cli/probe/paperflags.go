package probe

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/paper"
)

// PaperFlags are those of the campaign of a paper, of whatever switch.
type PaperFlags struct {
	State             string // directory of the results
	stamps            string
	probes, transfers int
	duration          time.Duration
	rate              float64
	only              []string
	quick, again      bool
}

// AddFlags adds them, but for --state and --stamps, which not every campaign has.
func (p *PaperFlags) AddFlags(f *pflag.FlagSet) {
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

// Parameters are those of the flags, for hosts.
func (p *PaperFlags) Parameters(hosts [paper.Hosts]string, controlled bool) (c paper.Parameters, err error) {
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
func (p *PaperFlags) points(c *paper.Parameters) ([]paper.Point, error) {
	points, err := paper.Choose(c.Plan(), p.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	return points, nil
}

// Measure measures what a directory does not have of a campaign. The error is one at run time.
func (p *PaperFlags) Measure(ctx context.Context, dir string, bed *paper.Testbed, note func(string, ...any),
) (*paper.Campaign, error) {
	begun := paper.Campaign{Parameters: bed.Parameters, Machine: report.ThisMachine(), Command: command.Line(),
		Build: command.Build()}
	if bed.Controller != nil {
		f, _ := bed.Controller.Features()
		begun.Switch = strings.TrimSpace(fmt.Sprintf("datapath %016x, %s %s %s", f.Datapath, f.Desc.Manufacturer, f.Desc.Hardware,
			f.Desc.Software))
	}
	store, err := paper.Open(dir, begun)
	if err != nil {
		return nil, command.RuntimeError(fmt.Errorf("--state: %w", err))
	}
	defer store.Close()
	points, err := p.points(&store.Parameters)
	if err != nil {
		return nil, err
	}
	note("%d of %s are over; the others take about %v", store.Progress(points), report.Plural(len(points), "point", "points"),
		store.Takes(points).Round(time.Second))
	if err := store.Run(ctx, bed, points, p.again, note); err != nil {
		return nil, command.RuntimeError(fmt.Errorf("%w; %d of %d points are kept in %s: the same command goes on", err,
			store.Progress(points), len(points), dir))
	}
	return store.Campaign, nil
}
