package streams

import (
	"context"
	"time"
)

// answer has a request answered by a goroutine of its own.
func (c *conn) answer(k *Kind, h header, payload []byte, wait time.Duration) error {
	if c.answering.Add(1) > maxAnswering {
		c.answering.Add(-1)
		return c.reply(h, nil, errBusy)
	}
	c.s.group.Go(func() {
		defer c.answering.Add(-1)
		ctx, cancel := context.WithTimeout(c.ctx, wait)
		defer cancel()
		b, err := k.Request(ctx, c.peer, payload)
		if ctx.Err() == nil { // else nobody waits
			_ = c.reply(h, b, err) // else the connection has ended
		}
	})
	return nil
}
