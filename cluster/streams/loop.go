package streams

import (
	"context"
	"time"
)

// run starts the goroutine of heartbeats. It wakes at each tick, and when something has changed that others must know at
// once.
func (s *Streams) run() {
	s.group.Go(func() {
		var list []*conn
		var buf []byte
		list, buf, wait := s.turn(true, list, buf)
		timer := time.NewTimer(wait)
		defer timer.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-timer.C:
				list, buf, wait = s.turn(true, list, buf)
				timer.Reset(wait)
			case <-s.bell:
				list, buf, wait = s.turn(false, list, buf)
				timer.Reset(wait)
			}
			clear(list)
		}
	})
}

// sleep waits for a time, or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
