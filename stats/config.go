package stats

import (
	"cmp"
	"time"
)

// Config is how often switches are asked, and how much that may cost. A zero field means its
// default.
type Config struct {
	Domain uint16 // of the switch plan: whose firm entries are asked for; default 1

	Ports  time.Duration // between two questions for port counters; default 5 s; negative: never
	Tables time.Duration // for table counters; default 15 s; negative: never
	Flows  time.Duration // for totals, and for the counters of firm entries; default 30 s; negative: never

	// Share is the part of a core that asking and taking answers may take, as estimated from
	// numbers and bytes of answers (the constants in budget.go are measured); default 0.01. What tenants want
	// may take as much again.
	Share float64
	// Now is the clock; default the system's.
	Now func() time.Time
	// Seed changes the times at which switches are asked first.
	Seed uint64
}

// The bounds of pacing.
const (
	MinPeriod = time.Second     // the shortest period that a configuration may ask for
	MaxPeriod = 5 * time.Minute // however slow a switch is, it is asked once in so long

	busyShare       = 20                     // a switch spends 1/busyShare of its time on answering a kind
	bytesPerSecond  = 64 << 10               // of answers of a kind, of one switch
	wantedPerSecond = 1 << 20                // of answers that somebody waits for
	slot            = 100 * time.Millisecond // questions and answers are handled so often at most
	queueMax        = 64 << 10               // bytes that wait for a switch; with more it is not asked
	goneMax         = 4096                   // switches without a session that are remembered
)

func (c Config) withDefaults() Config {
	c.Domain = cmp.Or(c.Domain, 1)
	c.Ports = cmp.Or(c.Ports, 5*time.Second)
	c.Tables = cmp.Or(c.Tables, 15*time.Second)
	c.Flows = cmp.Or(c.Flows, 30*time.Second)
	c.Share = cmp.Or(c.Share, 0.01)
	return c
}

// period is the time between two questions of a kind to a switch that answers at once; negative: it
// is not asked.
func (c *Config) period(k Kind) time.Duration {
	switch k {
	case KindPorts:
		return c.Ports
	case KindTables:
		return c.Tables
	case KindTenants, KindGroups, KindMeters:
		return MinPeriod
	}
	return c.Flows
}
