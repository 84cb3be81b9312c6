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
	// Reread is how often a switch is read and compared though nothing suggests it. Default 0: only when it connects.
	Reread time.Duration
	// BatchMax is the largest number of flow-mods before a barrier. Default 512.
	BatchMax int
	// ForeignMax and SoftMax are how many foreign and adopted soft entries are remembered of a switch; more are counted
	// only. Defaults 4096, 262144.
	ForeignMax, SoftMax int
	// Found is told, by Run's goroutine, which firm entries of the tree's kind (plan.KindTree) a switch held when it was
	// first read in a session: what an earlier life left, or this one. None is told too. Default: nobody is told.
	Found func(dpid netview.DPID, entries []Entry)
	// Adopt is given the soft entries of each reading of a switch (all of them, if whole) and returns those that are of an
	// earlier life; whoever made the others in this one looks after them. It is called on any goroutine and must not
	// block. Default: all are of an earlier life.
	Adopt func(dpid netview.DPID, soft []SoftEntry, whole bool) []SoftEntry
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
	orInt(&c.BatchMax, 512)
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
