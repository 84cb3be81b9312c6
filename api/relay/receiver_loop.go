package relay

import (
	"context"
	"time"
)

// Serve has the requests of other instances served, until the context ends; and then waits for those under way as the API
// does. Streams end with the context.
func (v *Receiver) Serve(ctx context.Context, server Server) {
	s := v.begin(ctx, server)
	<-ctx.Done()
	v.serving.CompareAndSwap(s, nil)
	s.end(endLimit)
}

// end waits until the requests that are under way are done, or the time is over.
func (s *serving) end(limit time.Duration) {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}
