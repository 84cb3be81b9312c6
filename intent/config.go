package intent

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// Record is one entry of a journal: the newest of a number counts.
type Record struct {
	Number uint32
	Delete bool
	Data   []byte
}

// Journal makes records durable, in order. Append never blocks and keeps nothing of recs; all records of one call become durable together or not at all,
// and done is called, in the order of the calls, with the error or none, not before Append has returned. An error of Append says that nothing was taken.
type Journal interface {
	Append(recs []Record, done func(revision uint64, err error)) error
}

// Order wants a rule of a program on its switch, or no longer.
type Order struct {
	Program *program.Program
	Rule    uint16
	Remove  bool
}

// What says what became of an order.
type What uint8

// What becomes of orders.
const (
	RuleInstalled What = iota + 1 // confirmed
	RuleRemoved                   // gone, confirmed
	RuleRefused                   // the switch said no: it is not wanted any more
	RuleLost                      // it was installed and is not there: it is being put back
)

// Outcome answers an order.
type Outcome struct {
	Program *program.Program
	Rule    uint16
	What    What
	Full    bool   // of RuleRefused: for want of room
	Taken   bool   // of RuleRefused: another owner's rule is in the place
	Reason  string // of RuleRefused, for people
}

// Config is what an engine needs. Journal and Orders are called on its goroutines and must not block.
type Config struct {
	Journal   Journal
	Decisions Journal       // nil: paths are computed anew after a start
	Orders    func([]Order) // valid during the call; orders of one switch leave in this order
	Ordered   func()        // nil: nobody wants to know. Called once, when all that was loaded has been looked at, and ordered where it could be
	View      *netview.View
	Now       func() time.Time // default time.Now

	Most         int // intents; default 4 million
	MostInFlight int // requests that wait for the journal; default 200,000
	Events       int // that are kept for watchers; default 65,536

	wake func()
}

func (c *Config) withDefaults() {
	if c.Most == 0 {
		c.Most = 4_000_000
	}
	if c.MostInFlight == 0 {
		c.MostInFlight = 200_000
	}
	if c.Events == 0 {
		c.Events = 1 << 16
	}
}
