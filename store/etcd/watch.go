package etcd

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/weirnet/weir/store"
)

// Watch implements store.Store.
func (s *Store) Watch(ctx context.Context, span store.Span, from store.Revision) (store.Watcher, error) {
	if err := span.Check(); err != nil {
		return nil, err
	}
	if from == 0 {
		page, err := s.Range(ctx, store.Query{Span: span, Limit: 1, KeysOnly: true})
		if err != nil {
			return nil, err
		}
		from = page.Revision + 1
	} else if err := s.beginLocal(ctx); err != nil {
		return nil, err
	}
	// The context of the call limits the creation of the watch, not its life.
	life, cancel := context.WithCancel(context.Background())
	options := append(spanOptions(span), clientv3.WithRev(int64(from)))
	return &watcher{in: s.client.Watch(life, string(span.From), options...), cancel: cancel}, nil
}

type watcher struct {
	in     clientv3.WatchChan
	cancel context.CancelFunc
	err    error
}

// Next implements store.Watcher.
func (w *watcher) Next(ctx context.Context) ([]store.Event, error) {
	for w.err == nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case reply, ok := <-w.in:
			switch {
			case !ok:
				w.err = fmt.Errorf("%w: the watch has ended", store.ErrUnavailable)
			case reply.CompactRevision != 0:
				w.err = fmt.Errorf("%w: up to %d", store.ErrCompacted, reply.CompactRevision)
			case reply.Err() != nil:
				w.err = readError(reply.Err())
			case len(reply.Events) > 0:
				return events(reply.Events), nil
			}
		}
	}
	w.cancel()
	return nil, w.err
}

func events(list []*clientv3.Event) []store.Event {
	out := make([]store.Event, len(list))
	for i, e := range list {
		if out[i].Deleted = e.Type == clientv3.EventTypeDelete; out[i].Deleted {
			out[i].Pair = store.Pair{Key: e.Kv.Key, Mod: store.Revision(e.Kv.ModRevision)}
			continue
		}
		out[i].Pair = pair(e.Kv)
	}
	return out
}

// Close implements store.Watcher.
func (w *watcher) Close() { w.cancel() }
