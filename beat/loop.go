package beat

import (
	"context"
	"time"
)

// Sleep waits for a duration, and reports whether it has passed: false if the context ends first.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
