package intent

import (
	"cmp"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// Record is one record of a journal: the newest of a number counts.
type Record struct {
	Number uint32
	Delete bool
	Data   []byte
}

// Journal makes records durable, in order. Append never blocks and retains nothing of recs; the
// records of one call become durable together or not at all. done is called in the order of the
// calls, not before Append has returned, with the error if the commit failed. If Append returns an
// error, none of the records were accepted.
type Journal interface {
	Append(recs []Record, done func(revision uint64, err error)) error
}

// Config is what an engine needs. Journal and Orders are called on its goroutines and must not
// block.
type Config struct {
	Journal   Journal
	Decisions Journal               // nil: paths are recomputed after a restart
	Orders    func([]ruleset.Order) // valid during the call; orders of one switch leave in this order
	Loaded    *Loader               // what the engine begins with, after its End; nil: nothing
	// Called once, when all loaded intents have been evaluated and ordered where possible; may be
	// nil.
	Ordered func()
	View    *netview.View
	Guards  *netview.Desired // writes the rows of RowOwner; nil: a host's frame may have the id of a tag
	Domain  uint16           // in their cookies
	Maps    *topology.Source // of the view, and of all that choose paths in it; nil: one of its own
	Now     func() time.Time // default time.Now

	MaxIntents  int // default 4 million
	MaxInFlight int // requests that wait for the journal; default 200,000
	Events      int // kept for watchers; default 65,536

	wake func()
}

func (c *Config) withDefaults() {
	if c.Maps == nil {
		c.Maps = topology.NewSource(c.View)
	}
	c.limits()
}

// limits are the defaults of limits.
func (c *Config) limits() {
	c.MaxIntents = cmp.Or(c.MaxIntents, 4_000_000)
	c.MaxInFlight = cmp.Or(c.MaxInFlight, 200_000)
	c.Events = cmp.Or(c.Events, 1<<16)
}
