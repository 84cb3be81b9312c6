package node

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
)

// failedFor is how long an intent may be failed before somebody should know.
const failedFor = time.Minute

// watchIntents raises an alarm when intents have been failed for long, and ends it when none is.
func (n *node) watchIntents(now time.Time) {
	in := &n.intents
	failed := in.engine.Counts().ByState[intent.Failed]
	switch {
	case failed == 0:
		if in.alarmed {
			n.alarms.Clear(netview.AlarmIntents, "")
		}
		in.failing, in.alarmed = time.Time{}, false
	case in.failing.IsZero():
		in.failing = now
	case now.Sub(in.failing) >= failedFor:
		in.alarmed = true
		n.alarms.Raise(netview.AlarmIntents, "", fmt.Sprintf("%d intents have no path or were refused: weir get intents says which and why", failed))
	}
}

// watchIntentsEvery is the time between two looks.
const watchIntentsEvery = 10 * time.Second

// followIntents looks after the intents that fail until the context ends.
func (n *node) followIntents(ctx context.Context) {
	tick := time.NewTicker(watchIntentsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			n.watchIntents(now)
		}
	}
}

// stepWatch is the same in an instance that is stepped.
func (n *node) stepWatch(now func() time.Time) Part {
	watch := every{period: watchIntentsEvery, now: now, next: now().Add(watchIntentsEvery)}
	return Part{Name: "intents that fail", Waiting: never, Turn: func() time.Time {
		if watch.due() {
			n.watchIntents(now())
		}
		return watch.next
	}}
}
