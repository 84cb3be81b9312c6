package sim

import (
	"context"
	"io"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
)

// handle is the store at one member, as package store/etcd has it: without a leader, or cut off from it, it is not available,
// and of a transaction nobody knows; reads are those of the whole store, but for local ones, which may be old.
type handle struct{ b *member }

var _ store.Store = handle{}

// down returns why a call is not served; nil: it is.
func (h handle) down() error {
	if !h.b.c.serves(h.b.index) {
		return store.ErrUnavailable
	}
	h.b.seen = h.b.c.revision()
	return nil
}

// Txn implements store.Store.
func (h handle) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	b, fault := h.b, store.None
	switch {
	case h.down() != nil:
		fault = [...]store.Fault{store.Unavailable, store.UnknownLost, store.UnknownLate}[b.random.IntN(3)]
	case b.fault != nil:
		if fault = b.fault(); fault == store.Full && etcd.TakenWhenFull(&txn) {
			fault = store.None
		}
	}
	b.c.memory.Inject(func(store.Call) store.Fault { return fault })
	result, err := b.c.memory.Txn(ctx, txn)
	b.c.memory.Inject(nil)
	b.c.look()
	return result, err
}

// Range implements store.Store.
func (h handle) Range(ctx context.Context, q store.Query) (store.Page, error) {
	err := h.down()
	if !q.Local || q.Revision != 0 && q.Revision > h.b.seen {
		if err != nil {
			return store.Page{}, err
		}
		return h.b.c.memory.Range(ctx, q)
	}
	if q.Revision == 0 {
		q.Revision = h.b.seen
	}
	page, err := h.b.c.memory.Range(ctx, q)
	page.Revision = min(page.Revision, h.b.seen)
	return page, err
}

// Watch implements store.Store.
func (h handle) Watch(ctx context.Context, span store.Span, from store.Revision) (store.Watcher, error) {
	if err := h.down(); err != nil {
		return nil, err
	}
	return h.b.c.memory.Watch(ctx, span, from)
}

// Grant implements store.Store.
func (h handle) Grant(ctx context.Context, ttl time.Duration) (store.LeaseID, error) {
	if err := h.down(); err != nil {
		return 0, err
	}
	id, err := h.b.c.memory.Grant(ctx, ttl)
	h.b.c.leases = append(h.b.c.leases, id)
	return id, err
}

// KeepAlive implements store.Store.
func (h handle) KeepAlive(ctx context.Context, id store.LeaseID) error {
	if err := h.down(); err != nil {
		return err
	}
	defer h.b.c.look()
	return h.b.c.memory.KeepAlive(ctx, id)
}

// Revoke implements store.Store.
func (h handle) Revoke(ctx context.Context, id store.LeaseID) error {
	if err := h.down(); err != nil {
		return err
	}
	defer h.b.c.look()
	return h.b.c.memory.Revoke(ctx, id)
}

// Compact implements store.Store.
func (h handle) Compact(ctx context.Context, rev store.Revision) error {
	if err := h.down(); err != nil {
		return err
	}
	return h.b.c.memory.Compact(ctx, rev)
}

// Defragment implements store.Store.
func (h handle) Defragment(context.Context) error { return nil }

// Snapshot implements store.Store.
func (h handle) Snapshot(ctx context.Context, out io.Writer) error {
	if err := h.down(); err != nil {
		return err
	}
	return h.b.c.memory.Snapshot(ctx, out)
}

// Status implements store.Store.
func (h handle) Status(ctx context.Context) (store.Status, error) {
	now, err := h.b.c.memory.Status(ctx)
	now.Leader = h.down() == nil
	now.Revision = h.b.seen
	return now, err
}

// Close implements store.Store: the others go on.
func (h handle) Close() error { return nil }
