package discovery

import (
	"errors"
	"sync/atomic"
)

// Counts are what happened since start. They may be read at any time.
type Counts struct {
	Sent   atomic.Uint64 // probes
	Unsent atomic.Uint64 // probes that their session did not take

	Heard     atomic.Uint64 // probes that are or make a link
	Malformed atomic.Uint64 // LLDP frames that make none, by reason
	Foreign   atomic.Uint64
	Forged    atomic.Uint64
	Stale     atomic.Uint64
	Replayed  atomic.Uint64
	AtHost    atomic.Uint64

	Learned  atomic.Uint64 // hosts
	Moved    atomic.Uint64
	Expelled atomic.Uint64 // deleted, as their port became a link's
	Refused  atomic.Uint64 // not learned, or not asked, as a limit was reached
	Hijacks  atomic.Uint64 // places that a host was seen at and not believed to be
	Asked    atomic.Uint64 // hosts, whether they are still there
	Expired  atomic.Uint64 // deleted, as they did not answer
	Evicted  atomic.Uint64 // switches forgotten, as a limit was reached

	Ports   atomic.Int64  // known, of all switches
	Ignored atomic.Uint64 // ports, as a limit was reached
	Passed  atomic.Uint64 // switches forgotten, as they were gone before they were a minute old

	Forgotten atomic.Uint64 // switches and hosts, as an operator said that they are gone

	Exchanged atomic.Uint64 // switches that another device took the place of

	DroppedProbes atomic.Uint64 // not queued, as the loop was behind
	DroppedFrames atomic.Uint64

	// How fast discovery goes now, in nanoseconds (pace.go).
	Period atomic.Int64 // between two rounds of a port
	Lag    atomic.Int64 // from making a probe to handling it
}

// probe counts an LLDP frame by what became of it.
func (c *Counts) probe(err error) {
	switch {
	case err == nil:
		c.Heard.Add(1)
	case errors.Is(err, ErrMalformed):
		c.Malformed.Add(1)
	case errors.Is(err, ErrForeign):
		c.Foreign.Add(1)
	case errors.Is(err, ErrForged):
		c.Forged.Add(1)
	case errors.Is(err, ErrStale):
		c.Stale.Add(1)
	case errors.Is(err, ErrReplayed):
		c.Replayed.Add(1)
	case errors.Is(err, ErrAtHost):
		c.AtHost.Add(1)
	}
}
