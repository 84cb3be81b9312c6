package guard

import "sync/atomic"

// Counts are what happened since the start. They may be read at any time.
type Counts struct {
	Seen     atomic.Uint64 // packet-ins counted
	Shed     atomic.Uint64 // of them, not handled
	Floods   atomic.Uint64 // ports that began to be held back
	Refused  atomic.Uint64 // floods that were not, as too many ports are
	Rows     atomic.Uint64 // written
	Refusals atomic.Uint64 // messages that switches refused
	Broken   atomic.Uint64 // meters found not to work
	Cleaned  atomic.Uint64 // meters of an earlier run, deleted
	Dropped  atomic.Uint64 // events dropped, as the loop was behind
}

// ByKind are the counters by their names in metrics.
func (c *Counts) ByKind() map[string]uint64 {
	return map[string]uint64{
		"seen": c.Seen.Load(), "shed": c.Shed.Load(), "floods": c.Floods.Load(), "floods_refused": c.Refused.Load(),
		"rows": c.Rows.Load(), "refusals": c.Refusals.Load(), "meters_broken": c.Broken.Load(),
		"meters_cleaned": c.Cleaned.Load(), "events_dropped": c.Dropped.Load(),
	}
}
