package flowsync

import (
	"cmp"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// Config is the configuration of a Loop and its Core. A zero field means its default.
type Config struct {
	// Instance is the name of this instance, under which it reports the status of rules to the view. Without
	// one its reports count for every switch, whoever is its master.
	Instance string
	// Domain is the number of this Weir, 1–4095 (plan.Cookie). Default plan.DomainDefault.
	Domain uint16
	// Grace is how long after a switch has settled its stale firm entries stay, so that
	// applications can say what they want of it. Default 2 s.
	Grace time.Duration
	// Answer is the timeout of a batch or a reading, after which the switch is read anew. Default
	// 30 s.
	Answer time.Duration
	// RetryFirst and RetryMax bound the exponential backoff after a refusal that may be temporary.
	// Defaults 1 s, 60 s.
	RetryFirst, RetryMax time.Duration
	// Resend is the delay before the rest of a batch that did not fit into a session's queue is
	// sent. Default 20 ms.
	Resend time.Duration
	// ReadShare is the share of one processor that repeated readings of all switches without a flow
	// monitor may use; the time between two readings follows from it. Default 0.01.
	ReadShare float64
	// ReadEvery is the shortest time between two such readings. Default 5 s.
	ReadEvery time.Duration
	// ReadRulesMax bounds how many ordered rules the switches that are read at the same time,
	// for the first time in a session, have together; one switch alone may have more. Default
	// 131072.
	ReadRulesMax int
	// ReadCost is the assumed cost of a reading before it was measured. Default 100 µs.
	ReadCost time.Duration
	// NoMonitor disables requests for a flow monitor.
	NoMonitor bool
	// Barrier is how long a barrier may take: batches shrink to meet it. Default 100 ms.
	Barrier time.Duration
	// BatchMin and BatchMax bound the number of flow-mods before a barrier. Defaults 1, 4096; at most 32,768.
	BatchMin, BatchMax int
	// LieCount is how often a switch may lose a rule within LieWindow before it is marked as lying.
	// Defaults 5, 1 min.
	LieCount  int
	LieWindow time.Duration
	// ForeignMax and SoftMax bound the foreign and leftover soft entries kept of a switch; more are
	// counted only, and the places of the foreign ones known. Defaults 4096, 262144.
	ForeignMax, SoftMax int
	// UnsolicitedMax bounds the bytes, about, of unsolicited messages (errors, removed and changed
	// entries) that wait for the loop. A switch that sends more is read instead. Default 32 MiB.
	UnsolicitedMax int
	// ListMax bounds the bytes, about, kept of the listings of all switches: of soft and foreign entries, and of firm
	// ones of ours that nobody has ordered. Above it they are counted only. Default 256 MiB.
	ListMax int
	// Now is the clock. Default: the system's.
	Now func() time.Time
	// Alarms receives alarms within a turn; their object is the switch's datapath id. Default:
	// no one does.
	Alarms alarm.Sink
	// OnTreeEntries is called within a turn with the firm entries of the broadcast tree
	// (plan.KindTree) that a switch held when it was first read in a session, also with none; and
	// with whether it held any firm entry of ours. Default: not called.
	OnTreeEntries func(at Address, tree []Entry, holds bool)
	// OnOutcomes is called within a turn with the outcomes of orders (Loop.Order). It must not
	// block; the list is valid during the call only. Default: not called.
	OnOutcomes func([]ruleset.Outcome)
	// Leftover is given the soft entries of each reading of a switch (all of them, if whole) and
	// returns those of an earlier run; the application that wrote the others in this run manages
	// them. It is called on any goroutine and must not block. Default: all are of an earlier run.
	Leftover func(dpid netview.DPID, soft []SoftEntry, whole bool) []SoftEntry
	// RemoveLeftover has soft entries of an earlier run removed. Default: they end by their time-outs, which do not come
	// while packets use them.
	RemoveLeftover bool
}

func (c Config) withDefaults() Config {
	c.Domain = cmp.Or(c.Domain, plan.DomainDefault)
	orDefault(&c.Grace, 2*time.Second)
	orDefault(&c.Answer, 30*time.Second)
	orDefault(&c.RetryFirst, time.Second)
	orDefault(&c.RetryMax, time.Minute)
	orDefault(&c.Resend, 20*time.Millisecond)
	orDefault(&c.BatchMax, 4096)
	c.BatchMax = min(c.BatchMax, 1<<(paceSizes-2))
	orDefault(&c.BatchMin, 1)
	orDefault(&c.LieCount, 5)
	orDefault(&c.LieWindow, time.Minute)
	orDefault(&c.Barrier, 100*time.Millisecond)
	orDefault(&c.ReadEvery, 5*time.Second)
	orDefault(&c.ReadCost, 100*time.Microsecond)
	orDefault(&c.ReadShare, 0.01)
	orDefault(&c.UnsolicitedMax, 32<<20)
	orDefault(&c.ListMax, 256<<20)
	orDefault(&c.ReadRulesMax, 1<<17)
	orDefault(&c.ForeignMax, 4096)
	orDefault(&c.SoftMax, 1<<18)
	return c
}

// orDefault replaces a value that is not positive.
func orDefault[T int | float64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// backoff returns the delay after the nth consecutive failure, n from 1.
func (c *Config) backoff(n int) time.Duration {
	d := c.RetryFirst
	for ; n > 1 && d < c.RetryMax; n-- {
		d *= 2
	}
	return min(d, c.RetryMax)
}
