package calibration

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/fit"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/twin"
)

// subject is a switch that is measured: the one under test, or a twin.
type subject struct {
	name       string
	ends       []nic.Config // near, far, and those of load
	controller *controller.Controller
}

// extent is how much is measured of a subject.
type extent struct {
	flows int // set-ups of each size; 0: none
	loads bool
	plan  *controller.Plan // nil: nothing of what the controller sees
}

// measure measures a subject. The error is that of an interface, of the switch's session, or of an
// interruption; what spoils one figure only is in Refused.
func (c *Config) measure(ctx context.Context, s subject, x extent) (*Measured, error) {
	m := &Measured{}
	l := c.Latency
	l.Cable = min(l.Count, cableEchoes)
	l.From, l.To, l.Controller, l.Rules, l.Load = s.ends[0], s.ends[1], s.controller, campaign.Installed, campaign.Load{}
	l.Note = func(format string, args ...any) { c.Note(s.name+": "+format, args...) }
	var err error
	if m.Latency, err = m.latency(ctx, l, 0); err != nil {
		return nil, err
	}
	l.Note("path latency: %s", medians(m.Latency))
	c.versions() // of a switch that connected after Check
	for _, rate := range c.Rates {
		if !x.loads {
			break
		}
		l.Load = campaign.Load{From: s.ends[2:], Rate: rate}
		bps := loadBPS(c.Streams, rate)
		sizes, err := m.latency(ctx, l, bps)
		if err != nil {
			return nil, err
		}
		l.Note("path latency beside %s Mbit/s: %s", report.ThreeDigits(float64(bps)/1e6), medians(sizes))
		m.Loads = append(m.Loads, fit.Loaded{RateBPS: bps, OneWay: true, Sizes: sizes})
	}
	l.Load = campaign.Load{}
	if s.controller == nil {
		return m, nil
	}
	if x.flows > 0 {
		began := time.Now()
		if err := m.setup(ctx, campaign.Setup{Latency: l, Apart: c.Apart}, x.flows); err != nil {
			return nil, err
		}
		m.setupTook = time.Since(began)
		l.Note("flow set-up: %s", medians(m.Setup))
	}
	if x.plan != nil {
		l.Note("what its controller sees")
		if m.Switch, err = measureSwitch(ctx, s, *x.plan, l.Note); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// medians are those of each size, for people who wait.
func medians(sizes []fit.Sized) string {
	var list []string
	for i := range sizes {
		took := "–"
		if len(sizes[i].Took) > 0 {
			took = report.FormatMicros(report.Microseconds(sizes[i].Median()))
		}
		list = append(list, fmt.Sprintf("%s at %d bytes", took, sizes[i].Payload))
	}
	return strings.Join(list, ", ")
}

// What is measured less often than a campaign would by itself, so that a calibration ends in minutes.
const (
	cableEchoes = 20 // of each size over a cable, each time: hardly more is known of the probe's own share by more
	laterEchoes = 2  // of a flow
)

// latency measures path latencies, with the probe's own share taken off.
func (m *Measured) latency(ctx context.Context, l campaign.Latency, load uint64) (sizes []fit.Sized, err error) {
	r, _, err := l.Run(ctx)
	if err != nil {
		return nil, err
	}
	for i, size := range l.Sizes {
		sizes = append(sizes, m.take(r.Results[i], "path latency", Quantity{PathLatency, size, load}))
	}
	return sizes, nil
}

// setup measures flow set-ups.
func (m *Measured) setup(ctx context.Context, set campaign.Setup, flows int) error {
	set.Count, set.Rules, set.Later = flows, campaign.Reactive, laterEchoes
	r, samples, err := set.Run(ctx)
	if err != nil {
		return err
	}
	for i, size := range set.Sizes {
		m.Setup = append(m.Setup, m.take(r.Results[i], "flow set-up", Quantity{Name: FlowSetup, Size: size}))
	}
	for i := range samples {
		if s := &samples[i]; s.Size == set.Sizes[0] {
			m.Share = append(m.Share, s.Controller[:]...)
		}
	}
	return nil
}

// take takes the times of a size out of a campaign's result, or the reason why there are none.
func (m *Measured) take(x *report.Result, measure string, q Quantity) fit.Sized {
	s := fit.Sized{Payload: q.Size}
	if x.Refused != "" {
		m.refuse(q, errors.New(x.Refused))
		return s
	}
	if took := x.Measure(measure); took != nil {
		for _, us := range took.Runs {
			s.Took = append(s.Took, time.Duration(us*float64(time.Microsecond)))
		}
	}
	return s
}

// untimed is an interface that is opened as it is, and of whose frames no times are taken: hardware
// stamps would have to be switched on.
func untimed(at nic.Config) nic.Config {
	at.AsIs, at.Kept, at.Stamps = true, 1, nic.Software
	return at
}

// measureSwitch measures what the controller sees, with packets from the near end.
func measureSwitch(ctx context.Context, s subject, plan controller.Plan,
	note func(string, ...any)) (*controller.Measured, error) {
	source, err := nic.Open(untimed(s.ends[0]))
	if err != nil {
		return nil, err
	}
	defer source.Close()
	source.Watch(func(*nic.Frame) {})
	if plan.In, plan.Out, err = campaign.Ports(s.controller); err != nil {
		return nil, err
	}
	plan.Source = source.Send
	plan.Note = func(text string) { note("%s", text) }
	return s.controller.Measure(ctx, plan)
}

// connecting is how long a twin may take to connect.
const connecting = 20 * time.Second

// twin measures an emulated switch of a profile.
func (c *Config) twin(ctx context.Context, name string, p *profile.Profile, x extent) (m *Measured, err error) {
	mtu, err := c.mtu()
	if err != nil {
		return nil, err
	}
	ctrl, err := controller.Listen("127.0.0.1:0", controller.Config{Versions: c.versions()})
	if err != nil {
		return nil, err
	}
	after := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, ctrl.Close(after)) }()
	t, err := twin.Start(ctx, twin.Config{Profile: *p, Controller: ctrl.Address(), Versions: c.versions(),
		Ends: 2 + c.Streams, MTU: mtu, Kind: c.Kind, Program: c.Program, Seed: c.seed()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close(after)) }()
	if err := ctrl.ReadyWithin(ctx, connecting); err != nil {
		return nil, err
	}
	for i := range t.Ends {
		t.Ends[i].Stamps = nic.Software
	}
	return c.measure(ctx, subject{name, t.Ends, ctrl}, x)
}

// seed is another one for each twin: what is common to their chances would be no chance.
func (c *Config) seed() uint64 {
	c.seeds++
	return c.seeds
}

// mtu is the least of the interfaces that lead to the switch.
func (c *Config) mtu() (least int, err error) {
	for _, at := range []nic.Config{c.From, c.To} {
		if at.Interface == "" { // the switch is not there
			return 0, nil
		}
		n, err := nic.Open(untimed(at))
		if err != nil {
			return 0, err
		}
		if least == 0 || n.MTU() < least {
			least = n.MTU()
		}
		if err := n.Close(); err != nil {
			return 0, err
		}
	}
	return least, nil
}
