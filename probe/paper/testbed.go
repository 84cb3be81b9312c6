package paper

import (
	"context"
	"fmt"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
)

// Testbed is four hosts at interfaces of this machine, which lead to four ports of one switch.
type Testbed struct {
	Parameters Parameters
	Hosts      [Hosts]nic.Config
	Controller *controller.Controller // of the switch; nil: it is measured as it is
}

// NewTestbed is one at the interfaces of the parameters.
func NewTestbed(c Parameters, of *controller.Controller) (*Testbed, error) {
	b := &Testbed{Parameters: c, Controller: of}
	stamps, err := nic.ParseStamps(c.Stamps)
	if err != nil {
		return nil, err
	}
	for i, text := range c.Hosts {
		if b.Hosts[i], err = nic.Parse(text); err != nil {
			return nil, err
		}
		b.Hosts[i].Stamps = stamps
	}
	return b, nil
}

// foreign is how many frames of others there may be for each one of the campaign's.
const foreign = 1

// Measure implements Bed: the foreground goes from H2 to H1, background from H3 and H4 to H1.
func (b *Testbed) Measure(ctx context.Context, p Point) (*report.Result, error) {
	to, from := b.Hosts[0], b.Hosts[1]
	var load campaign.Load
	if p.Background > 0 {
		load = campaign.Load{From: b.Hosts[2:], Rate: float64(p.Background) * 1e6}
	}
	rules := campaign.Reactive
	if p.Rules == Installed {
		rules = campaign.Installed
	}
	limits, sizes := probe.Limits{Foreign: foreign}, []int{p.Size}
	echoes := campaign.Latency{From: from, To: to, Sizes: sizes, Count: b.Parameters.Probes, Limits: limits, Load: load,
		Controller: b.Controller, Rules: rules}
	switch p.Kind {
	case Latency:
		r, _, err := echoes.Run(ctx)
		return result(r, err)
	case Setup:
		m := campaign.Setup{Latency: echoes}
		r, _, err := m.Run(ctx)
		return result(r, err)
	case TCP, UDP:
		m := campaign.Streams{From: from, To: to, Proto: campaign.TCP, Sizes: sizes, Time: b.Parameters.transfer(), Runs: 1,
			Limits: limits, Load: load, Controller: b.Controller, Rules: rules}
		if p.Kind == UDP {
			m.Proto, m.Rate = campaign.UDP, b.Parameters.UDPRate*1e6
		}
		r, _, err := m.Run(ctx)
		return result(r, err)
	}
	return nil, fmt.Errorf("%s: no such kind of point", p.Kind)
}

// result is that of a report of one size.
func result(r *report.Report, err error) (*report.Result, error) {
	if err != nil {
		return nil, err
	}
	return r.Results[0], nil
}
