package intent

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// Record is one entry of a journal: the newest entry of a number counts.
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

// Order installs or removes a rule of a rule set on its switch.
type Order struct {
	Rules  *ruleset.Set
	Rule   uint16
	Remove bool
}

// Result is what became of an order.
type Result uint8

// The results of orders.
const (
	RuleInstalled Result = iota + 1 // confirmed
	RuleRemoved                     // gone, confirmed
	RuleRefused                     // the switch refused it: it is no longer desired
	RuleLost                        // it was installed and has disappeared: it is being reinstalled
)

// Outcome answers an order.
type Outcome struct {
	Rules  *ruleset.Set
	Rule   uint16
	Result Result
	Full   bool   // of RuleRefused: the table is full
	Reason string // of RuleRefused, for people
}

// Config is what an engine needs. Journal and Orders are called on its goroutines and must not
// block.
type Config struct {
	Journal   Journal
	Decisions Journal       // nil: paths are recomputed after a restart
	Orders    func([]Order) // valid during the call; orders of one switch leave in this order
	// Called once, when all loaded intents have been evaluated and ordered where possible; may be
	// nil.
	Ordered func()
	View    *netview.View
	Now     func() time.Time // default time.Now

	MaxIntents  int // default 4 million
	MaxInFlight int // requests that wait for the journal; default 200,000
	Events      int // kept for watchers; default 65,536

	wake func()
}

func (c *Config) withDefaults() {
	if c.MaxIntents == 0 {
		c.MaxIntents = 4_000_000
	}
	if c.MaxInFlight == 0 {
		c.MaxInFlight = 200_000
	}
	if c.Events == 0 {
		c.Events = 1 << 16
	}
}
