package guard

import (
	"time"

	"github.com/weirnet/weir/beat"
)

// Owner is the application's name.
const Owner = "guard"

// Config is what is a flood, and what is done about it. Zero fields mean their defaults. Rates are of packet-ins a second.
type Config struct {
	Domain uint16 // of the cookies; see package plan. Default 1

	Now func() time.Time // the clock. Default: the system's

	Rate      float64 // of a port, above which it may flood. Default 2000
	Burst     float64 // packet-ins above Rate, or Probes, that a port may have sent before it floods. Default 1000
	Dominance float64 // how many times more than a quarter of all ports a flooding port sends. Default 16
	Ceiling   float64 // above which a port floods whatever others do. Default 200000
	Probes    float64 // of discovery frames, above which a port that is no link's floods. Default 200
	Allowed   uint32  // what a port that floods may still send: the meter, and the instance's own limit. Default 200

	Calm    time.Duration // how long a flood must be over before a metered port is let go. Default 3 s
	Hold    time.Duration // hard time-out of the rows, whole seconds. Default 10 s
	HoldMax time.Duration // that of rows that drop, after doubling, whole seconds. Default 60 s
	Grace   time.Duration // after connecting, when unused meters of an earlier life are deleted. Default 15 s

	Limits Limits
}

// Limits are the bounds of what others can make grow. Zero fields mean their defaults.
type Limits struct {
	Counted  int // ports of one switch that are counted one by one; further ones share a count. Default 8192
	Guarded  int // ports held back at a time, in all. Default 4096
	AtSwitch int // ports of one switch held back at a time. Default 256
	Events   int // messages of switches about protection rows that wait for the loop; more are dropped. Default 4096
}

// interval is how often counts are taken.
const interval = beat.Every

func (c Config) withDefaults() Config {
	c.Domain = or(c.Domain, 1)
	c.Rate = or(c.Rate, 2000)
	c.Burst = or(c.Burst, 1000)
	c.Dominance = or(c.Dominance, 16)
	c.Ceiling = or(c.Ceiling, 200_000)
	c.Probes = or(c.Probes, 200)
	c.Allowed = or(c.Allowed, 200)
	c.Calm = or(c.Calm, 3*time.Second)
	c.Hold = or(c.Hold, 10*time.Second)
	c.HoldMax = or(c.HoldMax, time.Minute)
	c.Grace = or(c.Grace, 15*time.Second)
	l := &c.Limits
	l.Counted = or(l.Counted, 8192)
	l.Guarded = or(l.Guarded, 4096)
	l.AtSwitch = or(l.AtSwitch, 256)
	l.Events = or(l.Events, 4096)
	return c
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
