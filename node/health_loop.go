package node

import (
	"context"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
)

// watchPulses asks all parts again and again, until the context ends, and notes which hangs.
func (n *node) watchPulses(ctx context.Context) {
	dog := n.watchdog()
	beats := max(1, int(n.cfg.hangAfter()/loop.WatchdogTimes/beat.Every))
	for beat.Sleep(ctx, beat.Next(time.Now(), beats)) {
		n.hung.Store(dog.Ask())
	}
}
