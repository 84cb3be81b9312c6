package flowsync

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// TestLoopTakesOrdersOfManyGoroutines has several goroutines order rules and their removal: each
// order is answered once, and nothing is left.
func TestLoopTakesOrdersOfManyGoroutines(t *testing.T) {
	const givers, each = 4, 50
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var told [4]int // by Result; Run's goroutine's
		view := viewOf(7)
		l := New(Config{OnOutcomes: func(list []ruleset.Outcome) {
			for _, o := range list {
				told[o.Result]++
			}
		}}, view)
		stop := make(chan struct{})
		go l.Run(ctx)
		m := newModel(openflow.V13, 254)
		connectPrompt(l, 7, m, stop)
		give := func(remove bool) {
			var all sync.WaitGroup
			for g := range givers {
				all.Go(func() {
					for i := range each {
						o := parseOrder(t, 7,
							fmt.Sprintf("install intent=%d in=1 out=2 eth_src=02:00:00:00:%02x:%02x", 1+g*each+i, g, i))
						o.Remove = remove
						l.Order([]ruleset.Order{o})
					}
				})
			}
			all.Wait()
			synctest.Wait()
		}
		give(false)
		rules := len(l.OrderedRules(7))
		give(true)
		close(stop)
		cancel()
		<-l.done
		l.Order([]ruleset.Order{parseOrder(t, 7, "install in=1 out=2")}) // and takes no notice
		if want := [4]int{givers * each, givers * each, 0, 0}; told != want || rules != givers*each {
			t.Errorf("%d rules, told %v, want %v", rules, told, want)
		}
		if m.writes < 2*givers*each || len(m.entries) != len(Infrastructure(1, openflow.V13, 254)) {
			t.Errorf("%d writes, and the switch holds\n%s", m.writes, m)
		}
	})
}
