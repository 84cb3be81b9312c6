package guard

import (
	"cmp"
	"time"

	"github.com/weirnet/weir/beat"
)

// Owner is the application's name.
const Owner = "guard"

// Config is the thresholds and measures against floods. Zero fields mean their defaults. Rates are
// in packet-ins a second.
type Config struct {
	Domain uint16 // of the cookies; see package plan. Default 1

	Now func() time.Time // the clock. Default: the system's

	Rate      float64 // of a port, above which it may be flooding. Default 2000
	Burst     float64 // packet-ins above Rate, or Probes, that a port may have sent before it floods. Default 1000
	Dominance float64 // ratio of a flooding port's rate to the rate that a quarter of all ports do not exceed. Default 16
	Ceiling   float64 // above which a port is flooding whatever others do. Default 200000
	Probes    float64 // of discovery frames, above which a port that is no link is flooding. Default 200
	Allowed   uint32  // what a flooding port may still send: the rate of the meter, and the instance's own limit. Default 200

	ReleaseDelay time.Duration // how long a flood must be over before a metered port is released. Default 3 s
	Hold         time.Duration // hard time-out of the rows, whole seconds. Default 10 s
	HoldMax      time.Duration // that of rows that drop, after doubling, whole seconds. Default 60 s
	Grace        time.Duration // after connecting, when unused meters of an earlier run are deleted. Default 15 s

	Limits Limits
}

// Limits bound the memory that others can make grow. Zero fields mean their defaults.
type Limits struct {
	Counted  int // ports of one switch that are counted one by one; further ones share a count. Default 8192
	Guarded  int // ports held back at a time, in all. Default 4096
	AtSwitch int // ports of one switch held back at a time. Default 256
	Events   int // messages of switches about protection rows that wait for the loop; more are dropped. Default 4096
}

// interval is how often counts are taken.
const interval = beat.Every

func (c Config) withDefaults() Config {
	c.Domain = cmp.Or(c.Domain, 1)
	c.Rate = cmp.Or(c.Rate, 2000)
	c.Burst = cmp.Or(c.Burst, 1000)
	c.Dominance = cmp.Or(c.Dominance, 16)
	c.Ceiling = cmp.Or(c.Ceiling, 200_000)
	c.Probes = cmp.Or(c.Probes, 200)
	c.Allowed = cmp.Or(c.Allowed, 200)
	c.ReleaseDelay = cmp.Or(c.ReleaseDelay, 3*time.Second)
	c.Hold = cmp.Or(c.Hold, 10*time.Second)
	c.HoldMax = cmp.Or(c.HoldMax, time.Minute)
	c.Grace = cmp.Or(c.Grace, 15*time.Second)
	l := &c.Limits
	l.Counted = cmp.Or(l.Counted, 8192)
	l.Guarded = cmp.Or(l.Guarded, 4096)
	l.AtSwitch = cmp.Or(l.AtSwitch, 256)
	l.Events = cmp.Or(l.Events, 4096)
	return c
}
