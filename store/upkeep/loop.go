package upkeep

import (
	"context"
	"time"
)

// One goroutine, Run's, owns the keeper. It ends with its context.

// clock is the real one.
func clock() time.Time { return time.Now() }

// Run looks after the store until the context ends.
func (k *Keeper) Run(ctx context.Context) {
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
