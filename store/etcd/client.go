package etcd

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/weirnet/weir/store"
)

// Store is a store on etcd (package comment).
type Store struct {
	client  *clientv3.Client
	member  *member // of this process; nil for a cluster elsewhere
	full    atomic.Pointer[string]
	reading store.Held
	closed  atomic.Bool
}

// callLimit is how long a call may take that has no deadline.
const callLimit = 10 * time.Second

// limit gives a call a deadline, if it has none.
func limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, callLimit)
}

// enter begins a call that changes something.
func (s *Store) enter(ctx context.Context) error {
	switch {
	case s.closed.Load():
		return fmt.Errorf("%w: it is closed", store.ErrUnavailable)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
	}
	return nil
}

// Txn is of store.Store.
func (s *Store) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	if err := txn.Check(); err != nil {
		return store.Result{}, err
	}
	if err := s.enter(ctx); err != nil {
		return store.Result{}, err
	}
	if s.member != nil {
		if err := s.member.ready(&txn); err != nil {
			return store.Result{}, err
		}
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	reply, err := s.client.Txn(ctx).If(compares(txn.If)...).Then(ops(txn.Then)...).Else(ops(txn.Else)...).Commit()
	if err != nil {
		return store.Result{}, wrote(err)
	}
	if s.member != nil {
		if err := s.member.acknowledge(reply.Header.Revision); err != nil {
			return store.Result{}, err
		}
	}
	return result(reply), nil
}

// Range is of store.Store.
func (s *Store) Range(ctx context.Context, q store.Query) (store.Page, error) {
	if err := q.Span.Check(); err != nil {
		return store.Page{}, err
	}
	if err := s.enter(ctx); err != nil {
		return store.Page{}, err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	options := spanOptions(q.Span)
	if q.Limit > 0 {
		options = append(options, clientv3.WithLimit(int64(q.Limit)))
	}
	if q.Revision > 0 {
		options = append(options, clientv3.WithRev(int64(q.Revision)))
	}
	if q.KeysOnly {
		options = append(options, clientv3.WithKeysOnly())
	}
	if q.Local {
		options = append(options, clientv3.WithSerializable())
	}
	reply, err := s.client.Get(ctx, string(q.Span.From), options...)
	if err != nil {
		return store.Page{}, read(err)
	}
	return store.Page{Pairs: pairs(reply.Kvs), More: reply.More, Revision: store.Revision(reply.Header.Revision)}, nil
}

// Grant is of store.Store. etcd counts whole seconds: ttl is rounded up.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (store.LeaseID, error) {
	if ttl < time.Second {
		return 0, fmt.Errorf("%w: a lease of %v, want a second or more", store.ErrInvalid, ttl)
	}
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	reply, err := s.client.Grant(ctx, int64((ttl+time.Second-1)/time.Second))
	if err != nil {
		return 0, wrote(err)
	}
	return store.LeaseID(reply.ID), nil
}

// KeepAlive is of store.Store.
func (s *Store) KeepAlive(ctx context.Context, id store.LeaseID) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	_, err := s.client.KeepAliveOnce(ctx, clientv3.LeaseID(id))
	return read(err)
}

// Revoke is of store.Store.
func (s *Store) Revoke(ctx context.Context, id store.LeaseID) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	_, err := s.client.Revoke(ctx, clientv3.LeaseID(id))
	return wrote(err)
}

// Compact is of store.Store.
func (s *Store) Compact(ctx context.Context, rev store.Revision) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	if rev = s.reading.Spare(rev); rev <= 0 {
		return nil
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	if err := s.counted(ctx, int64(rev)); err != nil {
		return err
	}
	_, err := s.client.Compact(ctx, int64(rev), clientv3.WithCompactPhysical())
	return wrote(err)
}

// Defragment is of store.Store. It wants as much room on the disk as is in use, and does nothing without. Of a cluster elsewhere
// that is its operator's to do.
func (s *Store) Defragment(ctx context.Context) error {
	if err := s.enter(ctx); err != nil || s.member == nil {
		return err
	}
	now, err := s.Status(ctx)
	if err != nil {
		return err
	}
	if why := s.member.room(now.InUse); why != "" {
		return fmt.Errorf("%w: a defragmentation wants as much room as is in use: %s", store.ErrFull, why)
	}
	if err := s.member.server.Backend().Defrag(); err != nil { // the client of one's own member has no way for it
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil
}

// Snapshot is of store.Store.
func (s *Store) Snapshot(ctx context.Context, w io.Writer) error {
	return store.WriteSnapshot(ctx, s, &s.reading, w)
}

// Status is of store.Store. Of a cluster it is that of the first member that answers.
func (s *Store) Status(ctx context.Context) (store.Status, error) {
	if err := s.enter(ctx); err != nil {
		return store.Status{}, err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	endpoints := s.client.Endpoints()
	if s.member != nil {
		endpoints = []string{""}
	}
	var last error
	for _, at := range endpoints {
		reply, err := s.client.Status(ctx, at)
		if err != nil {
			last = read(err)
			continue
		}
		now := store.Status{
			Revision: store.Revision(reply.Header.Revision), Size: reply.DbSize, InUse: reply.DbSizeInUse,
			Quota: reply.DbSizeQuota, Leader: reply.Leader != 0,
		}
		if s.member != nil {
			now.Quota = s.member.cfg.Quota
		}
		if full := s.full.Load(); full != nil {
			now.Full = *full
		}
		return now, nil
	}
	return store.Status{}, last
}

// Close is of store.Store.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	if s.member != nil {
		s.member.stop()
		return nil
	}
	return s.client.Close()
}
