package api

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// wishes are the intents of a test: a real engine, over a journal in memory that can fail, and
// switches that do what they are told.
type wishes struct {
	*intent.Engine
	journal *memoryJournal
}

// memoryJournal makes everything durable as soon as Append has returned, or fails as a test says.
type memoryJournal struct {
	mu              sync.Mutex
	refuse          error // of Append
	fail            error // told to done
	records         int
	overload, tries int           // every so many Appends are too much; 0: none
	hold            chan struct{} // nil: done at once
	pending         chan func()
}

// Append implements intent.Journal.
func (j *memoryJournal) Append(recs []intent.Record, done func(uint64, error)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.refuse != nil {
		return j.refuse
	}
	if j.tries++; j.overload > 0 && j.tries%j.overload == 3 {
		return &intent.Overload{What: "a test", RetryAfter: 1}
	}
	j.records += len(recs)
	err, revision, hold := j.fail, uint64(j.records), j.hold
	j.pending <- func() {
		if hold != nil {
			<-hold
		}
		done(revision, err)
	}
	return nil
}

func (j *memoryJournal) set(refuse, fail error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refuse, j.fail = refuse, fail
}

// newWishes starts an engine on a view. It ends with the test.
func newWishes(t testing.TB, v *netview.View) *wishes {
	w := &wishes{journal: &memoryJournal{pending: make(chan func(), 100_000)}}
	w.Engine = intent.New(intent.Config{Journal: w.journal, View: v, Orders: func(orders []ruleset.Order) {
		told := make([]ruleset.Outcome, len(orders))
		for i, o := range orders {
			told[i] = ruleset.Outcome{Rules: o.Rules, Rule: o.Rule, Result: ruleset.Installed}
			if o.Remove {
				told[i].Result = ruleset.Removed
			}
		}
		w.OnOutcomes(told)
	}})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() { w.Run(ctx); ended <- struct{}{} }()
	go func() {
		defer func() { ended <- struct{}{} }()
		for {
			select {
			case f := <-w.journal.pending:
				f()
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		<-ended
	})
	return w
}

// newSmallWith is newSmall with intents.
func newSmallWith(t testing.TB, change ...func(*Config)) (*small, *wishes) {
	var w *wishes
	s := newSmall(t, func(c *Config) {
		w = newWishes(t, c.View)
		c.Intents = w
		for _, f := range change {
			f(c)
		}
	})
	return s, w
}

var errDisk = errors.New("the disk is gone")

// timeAfter is a little time, in which something that goes on would go on.
func timeAfter(t testing.TB) <-chan time.Time {
	t.Helper()
	return time.After(300 * time.Millisecond)
}
