package node

import (
	"context"
	"sync"
)

// run runs the engine of intents, and what keeps the paths that it chooses: that ends after it, so that the last ones are kept too.
func (x *intents) run(ctx context.Context) {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keeper sync.WaitGroup
	keeper.Go(func() { x.decisions.Run(keeping) })
	x.engine.Run(ctx)
	stop()
	keeper.Wait()
}
