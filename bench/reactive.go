package bench

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Reactive is how packet-ins are answered. The zero value of a field means its default.
type Reactive struct {
	load.Config
	// Targets are the controllers measured, alternately: an address, or the name of one that is
	// started (see target.Controllers).
	Targets  []string
	Duration time.Duration // of one run; default 3 s
	// Cut is for how long there is load before and after each run that does not count; default a
	// tenth of Duration, negative none.
	Cut     time.Duration
	Program string // the weir binary for the controllers that are started; default this one
	Options

	uncut bool // Cut was negative
}

func (c *Reactive) withDefaults() {
	c.Duration = cmp.Or(c.Duration, 3*time.Second)
	if c.Cut < 0 {
		c.Cut, c.uncut = 0, true
	}
	if !c.uncut {
		c.Cut = cmp.Or(c.Cut, c.Duration/10)
	}
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Reactive) Check() error {
	c.withDefaults()
	for _, name := range c.Targets {
		if !target.IsController(name) {
			return fmt.Errorf("controller %q given, want HOST:PORT or one of %s", name, strings.Join(target.Controllers(), ", "))
		}
	}
	switch {
	case len(c.Targets) == 0:
		return errors.New("no controller given")
	case c.Duration <= 0:
		return fmt.Errorf("runs of %v given, want longer ones", c.Duration)
	}
	return cmp.Or(c.Options.check(5), c.Config.Check())
}

func (c *Reactive) plan(r *report.Report) (list []participant) {
	about(r, "reactive", c.title(len(c.Network.Switches)), c.Version, c.Topology, c.Network, c.Seed)
	l := &r.Load
	l.Hosts, l.Rate, l.Buffered, l.Learning, l.Hops = c.Hosts, c.Rate, c.Buffered, c.Learning, c.Hops
	l.Seconds, l.Cut = c.Duration.Seconds(), c.Cut.Seconds()
	if c.Rate == 0 {
		l.Outstanding = c.Outstanding
	}
	for _, name := range c.Targets {
		list = append(list, c.trial(r, name))
	}
	if !c.NoSelfCheck && !slices.Contains(c.Targets, target.Bare) {
		list = append(list, c.selfCheck().trial(r, target.Bare))
	}
	return list
}

// selfCheck is how the null responder is measured, by which the generator checks itself: it installs
// no paths.
func (c *Reactive) selfCheck() *Reactive {
	if c.Hops == 0 {
		return c
	}
	plain := *c
	plain.Hops, plain.Outstanding = 0, max(c.Outstanding, 256)
	return &plain
}

// title says what is measured.
func (c *Reactive) title(switches int) string {
	what := c.work()
	if c.Hops > 0 {
		what = fmt.Sprintf("new flows over %d switches", c.Hops)
	}
	how := fmt.Sprintf("%d outstanding a switch", c.Outstanding)
	if c.Rate > 0 {
		how = fmt.Sprintf("%s/s sent", report.Thousands(c.Rate))
	}
	buffers := "unbuffered"
	if c.Buffered {
		buffers = "buffered"
	}
	return fmt.Sprintf("%s: OpenFlow %s, %s, %s, %s", what, c.Version, report.Plural(switches, "switch", "switches"),
		buffers, how)
}

// trial adds the result of a target.
func (c *Reactive) trial(r *report.Report, name string) *trial {
	x := r.Add(name)
	if x.SelfCheck = name == target.Bare; name == target.Self {
		x.Subject = report.Weir
	}
	t := &trial{name: name, c: c, subject: subject{x}, lateness: report.NewHistogram(),
		latency: x.Distribution("latency", "from when a packet-in was meant to be sent to its answer")}
	if c.Rate > 0 {
		t.lateness = x.Distribution("lateness", "from when a packet-in was meant to be sent to when it was")
	}
	return t
}
