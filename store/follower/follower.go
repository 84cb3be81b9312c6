package follower

import (
	"context"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/store"
)

// again is how soon a store is asked again that did not answer.
const again = time.Second

// Run follows a span of a store until the context ends. Both functions are called on its goroutine, one at a time.
func Run(ctx context.Context, st store.Store, span store.Span, read func(context.Context) (store.Revision, error),
	hear func([]store.Event)) {
	for {
		if at, err := read(ctx); err == nil {
			watch(ctx, st, span, at, hear)
		}
		if !beat.Sleep(ctx, again) {
			return
		}
	}
}

// watch hands over the changes after a revision, until the watch fails.
func watch(ctx context.Context, st store.Store, span store.Span, after store.Revision, hear func([]store.Event)) {
	w, err := st.Watch(ctx, span, after+1)
	if err != nil {
		return
	}
	defer w.Close()
	for {
		events, err := w.Next(ctx)
		if err != nil {
			return
		}
		hear(events)
	}
}
