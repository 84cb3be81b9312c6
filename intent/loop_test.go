package intent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// delayed is a journal that commits on a goroutine of its own, in order.
type delayed struct{ calls chan func(uint64, error) }

func (d *delayed) Append(_ []Record, done func(uint64, error)) error {
	d.calls <- done
	return nil
}

// TestManyCallers has callers submit, wait, list and withdraw at the same time while the engine
// runs, its orders are confirmed by another goroutine, and links come and go.
func TestManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := square(t)
		j := &delayed{make(chan func(uint64, error), 1<<16)}
		orders := make(chan ruleset.Order, 1<<16)
		e := New(Config{Journal: j, Decisions: j, View: n.view, Orders: func(list []ruleset.Order) {
			for _, o := range list {
				orders <- o
			}
		}})
		ctx, stop := context.WithCancel(t.Context())
		var parts sync.WaitGroup
		parts.Go(func() { e.Run(ctx) })
		parts.Go(func() {
			for done := range j.calls {
				time.Sleep(time.Millisecond)
				done(1, nil)
			}
		})
		parts.Go(func() {
			for o := range orders {
				what := ruleset.Installed
				if o.Remove {
					what = ruleset.Removed
				}
				e.OnOutcomes([]ruleset.Outcome{{Rules: o.Rules, Rule: o.Rule, Result: what}})
			}
		})
		var callers sync.WaitGroup
		for k := range 4 {
			callers.Go(func() { life(t, e, k) })
		}
		callers.Go(func() {
			for i := range 20 {
				n.put(link(1, 1, 2, 1), i%2 == 1, netview.LinkConfirmed)
				time.Sleep(7 * time.Millisecond)
			}
		})
		callers.Wait()
		if list, _ := e.List(0, 100, nil); len(list) != 0 {
			t.Errorf("%d intents are left", len(list))
		}
		stop()
		time.Sleep(time.Second)
		if _, err := e.Submit(t.Context(), []Request{{Op: Withdraw, ID: "x"}}, false); !errors.Is(err, ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
		close(j.calls)
		close(orders)
		parts.Wait()
	})
}

// life installs and withdraws intents, one after another.
func life(t *testing.T, e *Engine, k int) {
	seen := e.Revision()
	for i := range 20 {
		id := fmt.Sprintf("c%d-%d", k, i)
		s := flow(id, at(1, uint32(9+k)), at(4, 9), uint32(i))
		a, err := e.Submit(t.Context(), []Request{{Op: Create, Spec: s}, {Op: Create, Spec: s}}, i%2 == 0)
		if err != nil || a[0].Status != Accepted || a[1].Status != Existing {
			t.Error(err, a)
			return
		}
		if in, err := e.Wait(t.Context(), id, Installed); err != nil || in.State != Installed {
			t.Error(err, in.State)
			return
		}
		<-e.Changed(seen)
		if _, upto, ok := e.Changes(seen, 10); ok {
			seen = upto
		}
		if a, err := e.Submit(t.Context(), []Request{{Op: Withdraw, ID: id}}, false); err != nil || a[0].Status != Accepted {
			t.Error(err, a)
			return
		}
		if _, err := e.Wait(t.Context(), id, Failed); !errors.Is(err, ErrGone) {
			t.Error(err)
			return
		}
	}
}
