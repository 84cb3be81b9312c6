package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// Cable measures what the probe finds of a cable: its own share. Without interfaces it makes a cable
// of its own.
type Cable struct{ Latency }

// Run measures. The error is as Latency.Run's.
func (c *Cable) Run(ctx context.Context) (*report.Report, []Sample, error) {
	made := c.From.Interface == ""
	if made {
		a, b, unplug, err := nic.Cable(ownMTU)
		if err != nil {
			return nil, nil, err
		}
		defer unplug()
		c.From, c.To = a, b
	}
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	b, err := openBed([2]nic.Config{c.From, c.To}, c.plan())
	if err != nil {
		return nil, nil, err
	}
	defer b.close()
	rounds := make([]sized, len(c.Sizes))
	if err := c.path(ctx, b, &load{}, rounds); err != nil {
		return nil, nil, err
	}
	r := c.report("probe cable", fmt.Sprintf("the probe's own share, %v stamps", b.near.nic.Stamps()))
	if made {
		r.Load.Topology = "a veth pair"
	}
	var samples []Sample
	for i, size := range c.Sizes {
		x := r.Add(fmt.Sprintf("%d bytes", size))
		if err := b.check(rounds[i].round, c.Limits); err != nil {
			x.Refuse(err)
			continue
		}
		list := c.samples(&rounds[i], size)
		own(x, list)
		c.seen(func(f string, args ...any) { x.Notes = append(x.Notes, fmt.Sprintf(f, args...)) }, b, rounds[i].round)
		samples = append(samples, list...)
	}
	r.Finish()
	return r, samples, nil
}

// ownMTU is that of a cable of our own.
const ownMTU = 1500

// own adds the figures of a cable.
func own(x *report.Result, samples []Sample) {
	both := x.Distribution("own share", "there and back over a cable")
	pair := x.Distribution("pair", "one packet's two stamps: from its leaving to its coming, over a cable")
	var list []time.Duration
	for _, s := range samples {
		x.Take("own share", "µs", report.Microseconds(s.Path))
		both.Record(s.Path.Nanoseconds())
		for _, d := range []time.Duration{s.There, s.Back} {
			pair.Record(d.Nanoseconds())
		}
		list = append(list, s.Path)
	}
	x.Take("spread", "µs", report.Microseconds(probe.ShareOf(list).Spread))
}
