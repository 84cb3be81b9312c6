package api

import (
	"context"
	"time"
)

// run is the loop of one event stream; the connection's goroutine owns the stream. It ends when the
// client goes, or is too slow to take one write within Limits.Write, or the server ends.
func (st *stream) run(ctx context.Context, keepAlive time.Duration) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	f := st.feed
	for st.step() {
		idle := false
		select {
		case <-f.blockAvailable(st.next):
		case f.leader <- struct{}{}: // nobody leads
			idle = f.lead(ctx, st.next, tick.C)
			<-f.leader
		case <-tick.C:
			idle = true
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}
		if idle {
			st.idle()
		}
	}
}

// lead waits for a change and has it encoded, for all streams; it writes nothing, so that no client
// holds the others up. It is true where nothing came before the tick.
func (f *feed) lead(ctx context.Context, next uint64, tick <-chan time.Time) bool {
	at, end := f.end()
	if next != end {
		return false
	}
	var intents <-chan struct{}
	if f.from.intents != nil {
		intents = f.from.intents.Changed(at.Intents)
	}
	select {
	case <-f.from.view.Changed(at.Revision):
	case <-intents:
	case <-tick:
		return true
	case <-ctx.Done():
		return false
	}
	gather := time.NewTimer(f.coalesceTime())
	defer gather.Stop()
	select {
	case <-gather.C:
		f.latest()
	case <-ctx.Done():
	}
	return false
}
