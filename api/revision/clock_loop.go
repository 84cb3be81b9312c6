package revision

import (
	"context"
	"time"

	"github.com/weirnet/weir/netview"
)

// await reports whether the view gets to a revision, or after it, in time.
func (c *Clock) await(ctx context.Context, r netview.Revision) bool {
	return reached(ctx, c.Wait, c.View.Changed, func() netview.Revision { return c.View.Snapshot().Revision() }, r)
}

// awaitIntents is await for a revision of the intents.
func (c *Clock) awaitIntents(ctx context.Context, revision uint64) bool {
	return reached(ctx, c.Wait, c.intents.Changed, c.intents.Revision, revision)
}

// reached reports whether now returns want or more before the time is over. changed returns a
// channel that is closed at the next change after a revision.
func reached[R ~uint64](ctx context.Context, within time.Duration, changed func(after R) <-chan struct{},
	now func() R, want R) bool {
	timeout := time.NewTimer(within)
	defer timeout.Stop()
	for at := now(); at < want; at = now() {
		select {
		case <-changed(at):
		case <-timeout.C:
			return now() >= want
		case <-ctx.Done():
			return false
		}
	}
	return true
}
