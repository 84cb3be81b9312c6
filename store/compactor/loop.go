package compactor

import (
	"context"
	"time"
)

// Run's goroutine owns the compactor. It ends with its context.

// clock is the real one.
func clock() time.Time { return time.Now() }

// Run maintains the store until the context ends.
func (k *Compactor) Run(ctx context.Context) {
	for {
		next := time.NewTimer(time.Until(k.Turn(ctx)))
		select {
		case <-ctx.Done():
			next.Stop()
			return
		case <-next.C:
		}
	}
}
