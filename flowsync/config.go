package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
)

// Config are flowsync's settings. A zero field means its default.
type Config struct {
	// Domain is which Weir this is, 1–4095 (plan.Cookie). Default plan.DomainDefault.
	Domain uint16
	// Grace is how long after a switch has settled its unwanted firm entries stay, so that applications can say what
	// they want of it. Default 2 s.
	Grace time.Duration
	// Answer is how long a switch may take to answer a batch or a reading before it is read anew. Default 30 s.
	Answer time.Duration
	// RetryFirst and RetryMax bound the back-off, doubling, after a refusal that may pass. Defaults 1 s, 60 s.
	RetryFirst, RetryMax time.Duration
	// Resend is when a batch that did not fit into a session's queue goes on. Default 20 ms.
	Resend time.Duration
	// ReadShare is how much of one processor reading switches again may cost, of all that have no flow monitor together:
	// by it the time between two readings of a switch grows. Default 0.01.
	ReadShare float64
	// ReadEvery is the shortest such time. Default 5 s.
	ReadEvery time.Duration
	// ReadMost is how many rules of programs the switches have together that are read at once for the first time in a session; one may have more.
	// Default 131072.
	ReadMost int
	// ReadCost is what a reading is thought to cost before it was measured. Default 100 µs.
	ReadCost time.Duration
	// NoMonitor keeps flowsync from asking switches for a flow monitor.
	NoMonitor bool
	// Barrier is how long a barrier should take: batches shrink and grow until it does. Default 100 ms.
	Barrier time.Duration
	// BatchMin and BatchMax bound the number of flow-mods before a barrier. Defaults 1, 4096.
	BatchMin, BatchMax int
	// LieCount is how often a switch may lose a rule within LieWindow until it is marked as one that does not keep what it
	// confirms. Defaults 5, 1 min.
	LieCount  int
	LieWindow time.Duration
	// ForeignMax and SoftMax are how many foreign and adopted soft entries are remembered of a switch; more are counted
	// only. Defaults 4096, 262144.
	ForeignMax, SoftMax int
	// NewsMax is how many bytes, about, of what switches tell unasked may wait for the loop: errors, entries that went or changed. A switch
	// that tells more is read instead. Default 32 MiB.
	NewsMax int
	// Now is the clock. Default: the system's.
	Now func() time.Time
	// Alarms is told of alarms, by Run's goroutine. Default: nobody is.
	Alarms Alarms
	// Found is told, by Run's goroutine, which firm entries of the tree's kind (plan.KindTree) a switch held when it was
	// first read in a session: what an earlier life left, or this one. None is told too. Default: nobody is told.
	Found func(dpid netview.DPID, entries []Entry)
	// Told is told what became of orders (Loop.Order), by Run's goroutine; it must not block, and the list is valid during the
	// call only. Default: nobody is told.
	Told func([]Outcome)
	// Adopt is given the soft entries of each reading of a switch (all of them, if whole) and returns those that are of an
	// earlier life; whoever made the others in this one looks after them. It is called on any goroutine and must not
	// block. Default: all are of an earlier life.
	Adopt func(dpid netview.DPID, soft []SoftEntry, whole bool) []SoftEntry
}

// Alarms takes alarms; their object is the switch's datapath id. *alarm.Board is one.
type Alarms interface {
	Raise(kind netview.AlarmKind, object, text string)
	Clear(kind netview.AlarmKind, object string)
}

func (c Config) withDefaults() Config {
	orTime := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	orInt := func(n *int, otherwise int) {
		if *n <= 0 {
			*n = otherwise
		}
	}
	if c.Domain == 0 {
		c.Domain = plan.DomainDefault
	}
	orTime(&c.Grace, 2*time.Second)
	orTime(&c.Answer, 30*time.Second)
	orTime(&c.RetryFirst, time.Second)
	orTime(&c.RetryMax, time.Minute)
	orTime(&c.Resend, 20*time.Millisecond)
	orInt(&c.BatchMax, 4096)
	orInt(&c.BatchMin, 1)
	orInt(&c.LieCount, 5)
	orTime(&c.LieWindow, time.Minute)
	orTime(&c.Barrier, 100*time.Millisecond)
	orTime(&c.ReadEvery, 5*time.Second)
	orTime(&c.ReadCost, 100*time.Microsecond)
	if c.ReadShare <= 0 {
		c.ReadShare = 0.01
	}
	orInt(&c.NewsMax, 32<<20)
	orInt(&c.ReadMost, 1<<17)
	orInt(&c.ForeignMax, 4096)
	orInt(&c.SoftMax, 1<<18)
	return c
}

// backoff is how long to wait after the nth failure in a row, n from 1.
func (c *Config) backoff(n int) time.Duration {
	d := c.RetryFirst
	for ; n > 1 && d < c.RetryMax; n-- {
		d *= 2
	}
	return min(d, c.RetryMax)
}
