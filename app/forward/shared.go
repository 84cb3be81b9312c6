package forward

import (
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/app/forward/places"
)

// shared is what all parts look at, each of which says who may change it.
type shared struct {
	cfg       Config
	count     Counts
	clock     clock
	places    places.Places // Step changes it
	paths     *pairs.Paths
	routes    routes
	switches  switchTable
	refusals  refusals
	retired   retired
	inherited inherited
	slots     slots
}

// clock is the time by which moves are made: it counts whole seconds. Second advances it; any goroutine reads it.
type clock struct {
	seconds atomic.Uint32
	beats   atomic.Uint32 // of package beat; Beat counts them
}

// second is the number of the second.
func (c *clock) second() uint32 { return c.seconds.Load() }

func (c *clock) now() time.Time { return time.Unix(int64(c.second()), 0) }

// began is the time from which what begins now is counted: it may have begun at the end of a second.
func (c *clock) began() time.Time { return c.now().Add(time.Second) }
