package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
)

// Config says what is measured of a switch, and of its twins.
type Config struct {
	// Latency is the campaign of path latencies: interfaces, sizes, echoes. Its Controller is the
	// switch's; without one the switch has another, and only path latencies are measured.
	campaign.Latency
	// LoadFrom are interfaces that lead to further ports of the switch, and Rates what each of them
	// sends, in bits of IP's payload a second.
	LoadFrom []nic.Config
	Rates    []float64
	Streams  int             // of load, which twins have ports for; default as many as LoadFrom
	Flows    int             // set-ups of each size, in each turn; default 25
	Turns    int             // of the twin beside the switch, at most; default 6
	Apart    time.Duration   // from the forgetting of flows to new ones; default campaign.Setup's
	Plan     controller.Plan // of what the switch's controller sees; Source, In and Out are found
	Kind     attach.Kind     // of the twins' devices; empty: TAP
	Program  string          // the weir that emulates twins, in a process of its own; empty: this process

	seeds   uint64           // of the twins so far
	version openflow.Version // of the switch, when it was there last; 0: it was not yet
}

// MaxRates is how many rates of load there may be.
const MaxRates = 16

// Check fills in defaults and finds what is wrong.
func (c *Config) Check() error {
	c.versions() // the switch may go
	c.Flows, c.Streams = cmp.Or(c.Flows, 25), cmp.Or(c.Streams, len(c.LoadFrom))
	c.Turns = cmp.Or(c.Turns, defaultTurns)
	if err := c.Latency.Check(); err != nil {
		return err
	}
	switch {
	case slices.Min(c.Sizes) < 1 || slices.Max(c.Sizes) > profile.MaxPayload:
		return fmt.Errorf("size %d given, want bytes from 1 to %d, which a profile can have", slices.Min(c.Sizes), profile.MaxPayload)
	case !slices.IsSorted(c.Sizes) || len(slices.Compact(slices.Clone(c.Sizes))) != len(c.Sizes):
		return fmt.Errorf("sizes %v given, want each once, in order, such as 56,1500", c.Sizes)
	case len(c.Sizes) > profile.MaxPoints:
		return fmt.Errorf("%d sizes given, want %d at most", len(c.Sizes), profile.MaxPoints)
	case (c.Streams == 0) != (len(c.Rates) == 0):
		return errors.New("interfaces of load or rates given, want both")
	case len(c.Rates) > MaxRates || len(slices.Compact(slices.Sorted(slices.Values(c.Rates)))) != len(c.Rates):
		return fmt.Errorf("rates %v given, want %d at most, each once", c.Rates, MaxRates)
	case c.Turns < 1 || c.Turns > MaxTurns:
		return fmt.Errorf("%d turns given, want 1 to %d", c.Turns, MaxTurns)
	case c.Flows < 2 || c.Flows > campaign.MaxCount:
		return fmt.Errorf("%d flows given, want 2 to %d", c.Flows, campaign.MaxCount)
	}
	for _, rate := range c.Rates {
		l := c.Latency
		l.Load = campaign.Load{From: c.LoadFrom, Rate: rate}
		if len(c.LoadFrom) == 0 {
			l.Load.From = []nic.Config{{Interface: "a twin's"}}
			l.From.Interface, l.To.Interface = cmp.Or(l.From.Interface, "near"), cmp.Or(l.To.Interface, "far")
		}
		if err := l.Check(); err != nil {
			return err
		}
	}
	return nil
}

// ends are all interfaces: near, far, and those of load.
func (c *Config) ends() []nic.Config { return append([]nic.Config{c.From, c.To}, c.LoadFrom...) }

// Bytes of a datagram of load: what a campaign's rate counts, which is IP's payload, and what a
// profile's does.
const (
	loadPayload = campaign.DefaultLoadSize + 8
	loadFrame   = loadPayload + 20 + 14
)

// loadBPS is what leaves by the far port under load, as a profile counts it.
func loadBPS(streams int, rate float64) uint64 {
	return uint64(math.Round(float64(streams) * rate * loadFrame / loadPayload))
}

// loadRate is the rate of each stream, of which loadBPS leaves.
func loadRate(streams int, bps uint64) float64 {
	return float64(bps) * loadPayload / (loadFrame * float64(streams))
}

// versions are those that twins speak: the switch's, also when it is not there any more; none where it
// never was.
func (c *Config) versions() []openflow.Version {
	if c.Controller == nil {
		return nil
	}
	if c.version = cmp.Or(c.Controller.Version(), c.version); c.version == 0 {
		return nil
	}
	return []openflow.Version{c.version}
}
