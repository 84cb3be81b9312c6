package calibration

import (
	"context"
	"fmt"
	"slices"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/probe/fit"
)

// corrections is how many twins are measured to find what devices take. The first one is without chance: what it
// says is near enough for the others, which have it, since devices take another time where chance is at work.
const corrections = 4

// devices are what the twins so far say that devices take, each by itself: without load, of set-ups, and at
// each rate of load. What counts is the median: a machine that does something else meanwhile spoils one twin.
type devices struct {
	path, setup [][]profile.Point
	loads       map[uint64][][]profile.Point
}

// correct measures a twin, and has the profile take off what devices take.
func (c *Config) correct(ctx context.Context, p *profile.Profile, d *devices) error {
	if len(p.PathLatency.Points) == 0 {
		return nil
	}
	under := *p
	if len(d.path) == 0 {
		under.PathLatency.P90, under.FlowSetup.P90 = 0, 0
	}
	x := extent{loads: len(p.Load.Points) > 0}
	if len(p.FlowSetup.Points) > 0 {
		x.flows = c.Flows
	}
	m, err := c.twin(ctx, fmt.Sprintf("what devices take, %d of %d", len(d.path)+1, corrections), &under, x)
	if err != nil {
		return err
	}
	d.take(p, m)
	return nil
}

// take adds what a twin of the profile, which was measured, says of the devices, and has the profile take that off.
func (d *devices) take(p *profile.Profile, m *Measured) {
	if d.loads == nil {
		d.loads = map[uint64][][]profile.Point{}
	}
	without := p.PathLatency.Devices
	d.path = append(d.path, fit.Devices(p.PathLatency.Points, m.Latency, without, 1))
	d.setup = append(d.setup, fit.Devices(p.FlowSetup.Points, m.Setup, p.FlowSetup.Devices, 1))
	gain := 2.0 // a port's load is on one of the ways only; on the other one the devices are those without load
	if p.Load.Switch {
		gain = 1
	}
	for i := range p.Load.Points {
		load := &p.Load.Points[i]
		at := slices.IndexFunc(m.Loads, func(l fit.Loaded) bool { return l.RateBPS == load.RateBPS })
		if at < 0 {
			continue
		}
		wanted, before := underLoad(p, load.RateBPS, true), load.Devices
		if before == nil {
			before = without
		}
		all := append(d.loads[load.RateBPS], fit.Devices(wanted, m.Loads[at].Sizes, before, gain))
		d.loads[load.RateBPS] = all
		if load.Devices = typical(wanted, all); load.Devices == nil {
			load.Devices = []profile.Point{{Payload: wanted[0].Payload}} // none, whatever they take without load
		}
	}
	p.PathLatency.Devices = typical(p.PathLatency.Points, d.path)
	p.FlowSetup.Devices = typical(p.FlowSetup.Points, d.setup)
}

// typical is what several twins say that devices take: the median at each payload. Where there are more than
// three, the first one, which was without chance, does not count. nil: nothing.
func typical(at []profile.Point, all [][]profile.Point) (points []profile.Point) {
	if len(all) > 3 {
		all = all[1:]
	}
	some := false
	for _, p := range at {
		found := fit.Sized{Payload: p.Payload}
		for _, one := range all {
			found.Took = append(found.Took, profile.At(one, p.Payload))
		}
		p.Delay = found.Median()
		some = some || p.Delay > 0
		points = append(points, p)
	}
	if !some {
		return nil
	}
	return points
}
