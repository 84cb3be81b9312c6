package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/rig"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Reactive is how packet-ins are answered. The zero value of a field means its default.
type Reactive struct {
	// Targets are the controllers measured, alternately: an address, or the name of one that is started (see Controllers).
	Targets []string
	Version openflow.Version // default 1.3
	// Topology is as rig.ParseTopology reads it; default single:N.
	Topology string
	Hosts    int // at each switch; default 1000
	// Hops, if not 0, makes every packet the first of a new flow between hosts whose shortest path has so many switches. It
	// is answered when it is released and finds the rules of its path at every switch. Hosts is then 20 by default, and
	// Outstanding 32.
	Hops int
	// Outstanding packet-ins of each switch wait at any time; default 256. 1 measures round trips.
	Outstanding int
	// Rate, if not 0, is how many packets a second are sent in all, whether answers come or not.
	Rate int
	// Buffered packet-ins have a buffer id; the others are answered by a packet-out with their frame.
	Buffered bool
	Duration time.Duration // of one run; default 3 s
	Warmup   time.Duration // load before the first run that does not count; default 1 s
	Runs     int           // default 5
	Seed     uint64
	// Settle is how long a controller may take until it knows all hosts; default 60 s.
	Settle time.Duration
	// Note, if set, is told what is being done.
	Note func(format string, args ...any)
	// Program is the weir binary for the controllers that are started; default this one.
	Program        string
	Build, Command string // for the report
}

func (c *Reactive) slots() int {
	if c.Rate > 0 {
		return maxWindow
	}
	return max(c.Outstanding, probes)
}

// probes is how many hosts of a switch are asked for at a time.
const probes = 256

func (c *Reactive) withDefaults() {
	c.Version = orDefault(c.Version, openflow.V13)
	c.Topology = orDefault(c.Topology, "single:1")
	if c.Hops > 0 {
		c.Hosts, c.Outstanding = orDefault(c.Hosts, 20), orDefault(c.Outstanding, 32)
	}
	c.Hosts = orDefault(c.Hosts, 1000)
	c.Outstanding = orDefault(c.Outstanding, 256)
	c.Duration = orDefault(c.Duration, 3*time.Second)
	c.Warmup = orDefault(c.Warmup, time.Second)
	c.Runs = orDefault(c.Runs, 5)
	c.Settle = orDefault(c.Settle, time.Minute)
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
}

func orDefault[T comparable](x, otherwise T) T {
	var zero T
	if x == zero {
		return otherwise
	}
	return x
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Reactive) Check() error {
	c.withDefaults()
	if _, err := rig.ParseTopology(c.Topology, c.Seed); err != nil {
		return err
	}
	for _, name := range c.Targets {
		if !isController(name) {
			return fmt.Errorf("controller %q given, want HOST:PORT, %s, %s or %s", name, Self, Bare, OVSTestcontroller)
		}
	}
	switch {
	case len(c.Targets) == 0:
		return errors.New("no controller given")
	case c.Hosts < 2:
		return fmt.Errorf("%d hosts a switch given, want 2 or more: packets go from one to another", c.Hosts)
	case c.Outstanding < 1 || c.Outstanding > maxWindow:
		return fmt.Errorf("%d outstanding packet-ins given, want 1 to %d", c.Outstanding, maxWindow)
	case c.Hops < 0 || c.Hops == 1 || c.Hops > maxHops:
		return fmt.Errorf("paths of %d switches given, want 2 to %d", c.Hops, maxHops)
	case c.Hops > 0 && c.Rate > 0:
		return errors.New("paths at a set rate are not measured: give a number outstanding")
	case c.Rate < 0 || c.Runs < 1 || c.Duration <= 0:
		return errors.New("rate, runs and duration must be positive")
	}
	return nil
}

// Run measures all targets and reports.
func (c *Reactive) Run(ctx context.Context) (*Report, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	topology, err := rig.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	r := newReport("reactive", c)
	var trials []*trial
	defer func() {
		for _, t := range trials {
			t.close()
		}
	}()
	for _, name := range c.Targets {
		t := &trial{name: name, c: c, topology: topology, result: r.add(name)}
		trials = append(trials, t)
		if err := t.begin(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			t.result.refuse(err)
		}
	}
	for i := range c.Runs {
		for _, t := range trials {
			if t.result.Refused != "" {
				continue
			}
			s, err := t.run(ctx)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				t.result.refuse(err)
				continue
			}
			t.result.take(s)
			c.Note("run %d of %d: %s answers %s/s, median %v", i+1, c.Runs, t.name, thousands(s.rate()), s.at(50))
		}
	}
	r.finish()
	return r, nil
}

// trial is one target under load.
type trial struct {
	name     string
	c        *Reactive
	topology *topo.Topology
	result   *Result
	process  *process // nil if somebody else runs the controller
	load     *load
}

// begin starts a controller, connects the switches and makes all hosts known to it.
func (t *trial) begin(ctx context.Context) error {
	p, err := startController(ctx, t.name, t.c.Version, t.c.Program)
	if err != nil {
		return err
	}
	t.process = p
	t.load = newLoad(t.c, t.topology)
	began := t.load.clock()
	if err := t.load.connect(ctx, p.address); err != nil {
		return err
	}
	if err := t.load.introduce(ctx); err != nil {
		return err
	}
	t.c.Note("%s at %s knows all hosts after %v", t.name, p.address, (t.load.clock() - began).Round(time.Millisecond))
	return t.load.warm(ctx)
}

func (t *trial) run(ctx context.Context) (*sample, error) {
	s, err := t.load.measure(ctx, t.c.Duration, t.process)
	if err != nil {
		return nil, err
	}
	return s, s.check(t.c)
}

func (t *trial) close() {
	if t.load != nil {
		t.load.close()
	}
	if t.process != nil {
		t.process.stop()
	}
}
