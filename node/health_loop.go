package node

import (
	"context"
	"time"

	"github.com/weirnet/weir/beat"
)

// watchPulses asks all parts again and again, until the context ends, and notes which hangs.
func (n *node) watchPulses(ctx context.Context) {
	list := n.pulses()
	beats := max(1, int(n.cfg.hangAfter()/pulseTimes/beat.Every))
	for beat.Sleep(ctx, beat.Next(time.Now(), beats)) {
		n.hung.Store(hungPart(list))
	}
}
