package streams

import (
	"context"
	"time"
)

// caller calls one peer as long as it is a member.
type caller struct {
	s  *Streams
	id ID
}

// run starts its goroutine, and one for each other lane while the peer is connected: again at once when a connection is
// lost, and later and later when it does not come about. What it returns ends them.
func (c *caller) run() context.CancelFunc {
	ctx, cancel := context.WithCancel(c.s.ctx)
	c.s.group.Go(func() {
		c.keep(ctx, beats, func(first *conn) {
			for _, l := range []lane{messages, bulk} {
				c.s.group.Go(func() { c.keep(first.ctx, l, func(*conn) {}) })
			}
		})
	})
	return cancel
}

// steady is how long a connection lasts that was no failure.
const steady = time.Second

// keep keeps one connection to the peer, until ctx ends.
func (c *caller) keep(ctx context.Context, l lane, connected func(*conn)) {
	wait := time.Duration(0)
	for ctx.Err() == nil {
		p, ok := c.s.listed(c.id)
		if !ok {
			return
		}
		nc, err := c.call(ctx, p, l)
		if err == nil {
			began := time.Now()
			connected(nc)
			<-nc.done
			if time.Since(began) > steady {
				wait = 0
			}
		} else if ctx.Err() == nil {
			c.failed(err)
		}
		if wait > 0 {
			sleep(ctx, wait)
		}
		wait = min(max(2*wait, firstRetry), c.s.cfg.Retry)
	}
}
