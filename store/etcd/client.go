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
	member  *member // nil for a remote cluster
	full    atomic.Pointer[string]
	reading store.PinnedRevisions
	closed  atomic.Bool
}

// callLimit is the timeout of a call without a deadline.
const callLimit = 10 * time.Second

// limit adds a deadline to a context that has none.
func limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, callLimit)
}

// begin returns why no call can be made that needs the other members.
func (s *Store) begin(ctx context.Context) error {
	if s.member != nil && s.member.disk.parted.Load() {
		return fmt.Errorf("%w: this member has no part in the store: %s", store.ErrUnavailable, text(&s.member.disk.full))
	}
	return s.beginLocal(ctx)
}

// beginLocal returns why no call can be made at all.
func (s *Store) beginLocal(ctx context.Context) error {
	switch {
	case s.closed.Load():
		return fmt.Errorf("%w: it is closed", store.ErrUnavailable)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
	case s.member != nil && s.member.server.IsIDRemoved(uint64(s.member.server.MemberID())):
		return fmt.Errorf("%w: %w", store.ErrUnavailable, ErrRemoved) // etcd panics on some calls of a member that is not there
	}
	return nil
}

// Txn implements store.Store.
func (s *Store) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	if err := txn.Check(); err != nil {
		return store.Result{}, err
	}
	if err := s.begin(ctx); err != nil {
		return store.Result{}, err
	}
	var onDisk uint64
	if s.member != nil {
		if err := s.member.ready(&txn); err != nil {
			return store.Result{}, err
		}
		onDisk = s.member.server.CommittedIndex()
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	if s.member != nil {
		if lead := s.member.lead.Load(); lead != nil {
			defer context.AfterFunc(*lead, cancel)()
		}
	}
	reply, err := s.client.Txn(ctx).If(compares(txn.If)...).Then(ops(txn.Then)...).Else(ops(txn.Else)...).Commit()
	if err != nil {
		return store.Result{}, writeError(err)
	}
	if s.member != nil {
		if err := s.member.acknowledge(onDisk, reply.Header.Revision); err != nil {
			return store.Result{}, err
		}
	}
	return result(reply), nil
}

// Range implements store.Store.
func (s *Store) Range(ctx context.Context, q store.Query) (store.Page, error) {
	if err := q.Span.Check(); err != nil {
		return store.Page{}, err
	}
	begin := s.begin
	if q.Local {
		begin = s.beginLocal
	}
	if err := begin(ctx); err != nil {
		return store.Page{}, err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	options := queryOptions(&q)
	if q.Revision > 0 {
		options = append(options, clientv3.WithRev(int64(q.Revision)))
	}
	if q.Local {
		options = append(options, clientv3.WithSerializable())
	}
	reply, err := s.client.Get(ctx, string(q.Span.From), options...)
	if err != nil {
		return store.Page{}, readError(err)
	}
	return store.Page{Pairs: pairs(reply.Kvs), More: reply.More, Revision: store.Revision(reply.Header.Revision)}, nil
}

// Grant implements store.Store. etcd counts whole seconds: ttl is rounded up.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (store.LeaseID, error) {
	if ttl < time.Second {
		return 0, fmt.Errorf("%w: a lease of %v, want a second or more", store.ErrInvalid, ttl)
	}
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	reply, err := s.client.Grant(ctx, int64((ttl+time.Second-1)/time.Second))
	if err != nil {
		return 0, writeError(err)
	}
	return store.LeaseID(reply.ID), nil
}

// KeepAlive implements store.Store.
func (s *Store) KeepAlive(ctx context.Context, id store.LeaseID) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	_, err := s.client.KeepAliveOnce(ctx, clientv3.LeaseID(id))
	return readError(err)
}

// Revoke implements store.Store.
func (s *Store) Revoke(ctx context.Context, id store.LeaseID) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	_, err := s.client.Revoke(ctx, clientv3.LeaseID(id))
	return writeError(err)
}

// Compact implements store.Store.
func (s *Store) Compact(ctx context.Context, rev store.Revision) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if rev = s.reading.CompactLimit(rev); rev <= 0 {
		return nil
	}
	ctx, cancel := limit(ctx)
	defer cancel()
	if err := s.awaitDigest(ctx, int64(rev)); err != nil {
		return err
	}
	_, err := s.client.Compact(ctx, int64(rev), clientv3.WithCompactPhysical())
	if s.member != nil {
		s.member.unmap() // etcd has hashed all values
	}
	return writeError(err)
}

// Snapshot implements store.Store.
func (s *Store) Snapshot(ctx context.Context, w io.Writer) error {
	return store.WriteSnapshot(ctx, s, &s.reading, w)
}

// Status implements store.Store. Of a cluster it returns that of the first member that answers.
func (s *Store) Status(ctx context.Context) (store.Status, error) {
	if err := s.beginLocal(ctx); err != nil {
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
			last = readError(err)
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

// Close implements store.Store.
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
