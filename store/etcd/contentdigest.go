package etcd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/weirnet/weir/store"
)

// contentDigest hashes the keys that a member holds. bbolt has no checksums: keys that are lost or
// changed in its file are detected by computing the digest again at the next start, at the revision
// of the digest in the acknowledgement file.
type contentDigest struct {
	mu   sync.Mutex
	keys map[string]uint64 // fingerprint of each
	now  digest
	grew chan struct{} // closed when now has changed; nil without waiters
}

// fingerprint hashes a key with all its metadata. Any single error in them changes it.
func fingerprint(kv *mvccpb.KeyValue) uint64 {
	var head [48]byte
	for i, n := range [...]int64{kv.CreateRevision, kv.ModRevision, kv.Version, kv.Lease, int64(len(kv.Key)),
		int64(len(kv.Value))} {
		binary.LittleEndian.PutUint64(head[8*i:], uint64(n))
	}
	a := crc32.Checksum(head[:], castagnoli)
	a = crc32.Update(crc32.Update(a, castagnoli, kv.Key), castagnoli, kv.Value)
	return (uint64(a)<<32 | uint64(crc32.ChecksumIEEE(head[:]))) * 0x9E3779B97F4A7C15 // so that sums of similar ones differ
}

func (c *contentDigest) put(kv *mvccpb.KeyValue) {
	c.drop(kv.Key)
	f := fingerprint(kv)
	c.keys[string(kv.Key)] = f
	c.now.sum += f
	c.now.keys++
}

func (c *contentDigest) drop(key []byte) {
	if f, ok := c.keys[string(key)]; ok {
		delete(c.keys, string(key))
		c.now.sum -= f
		c.now.keys--
	}
}

// digestPageKeys is how many keys are read at a time: about 16 MiB.
const digestPageKeys = 256

// compute computes the digest at a revision (0: the newest).
func (c *contentDigest) compute(ctx context.Context, client *clientv3.Client, rev int64) error {
	c.keys, c.now = make(map[string]uint64), digest{}
	from := "\x00"
	for {
		reply, err := client.Get(ctx, from, clientv3.WithFromKey(), clientv3.WithRev(rev), clientv3.WithLimit(digestPageKeys))
		if err != nil {
			return err
		}
		for _, kv := range reply.Kvs {
			c.put(kv)
		}
		if rev == 0 {
			rev = reply.Header.Revision
		}
		if !reply.More {
			c.now.revision = rev
			return nil
		}
		from = string(reply.Kvs[len(reply.Kvs)-1].Key) + "\x00"
	}
}

// recompute computes it again, if the changes since the last digest are not available.
func (c *contentDigest) recompute(ctx context.Context, client *clientv3.Client) error {
	var fresh contentDigest
	if err := fresh.compute(ctx, client, 0); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys, c.now = fresh.keys, fresh.now
	return nil
}

// apply updates the digest with changes.
func (c *contentDigest) apply(events []*clientv3.Event) digest {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		if e.Type == clientv3.EventTypeDelete {
			c.drop(e.Kv.Key)
		} else {
			c.put(e.Kv)
		}
		c.now.revision = e.Kv.ModRevision
	}
	if c.grew != nil {
		close(c.grew)
		c.grew = nil
	}
	return c.now
}

// waitFor waits until the digest includes a revision.
func (c *contentDigest) waitFor(ctx context.Context, rev int64) error {
	for {
		c.mu.Lock()
		if c.now.revision >= rev {
			c.mu.Unlock()
			return nil
		}
		if c.grew == nil {
			c.grew = make(chan struct{})
		}
		grew := c.grew
		c.mu.Unlock()
		select {
		case <-grew:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// verifyContent computes a member's digest, and compares it with the acknowledgement file. Damage
// is reported of the database, since the log has been verified before.
func (m *member) verifyContent(ctx context.Context, client *clientv3.Client) error {
	was := m.mark.newest()
	reply, err := client.Get(ctx, "\x00", clientv3.WithFromKey(), clientv3.WithCountOnly())
	if err != nil {
		return err
	}
	if now := reply.Header.Revision; now < was.revision {
		if m.cfg.several() {
			return fmt.Errorf("the store of the cluster is at revision %d, and this member has acknowledged %d: more than half "+
				"of the members have begun with older files than they ended with: end them all, and restore a backup with weir "+
				"restore", now, was.revision)
		}
		return m.damaged("it is at revision %d with all of the log, and revision %d was acknowledged", now, was.revision)
	}
	err = m.census.compute(ctx, client, was.tally.revision)
	switch {
	case errors.Is(rpctypes.Error(err), rpctypes.ErrCompacted) && m.cfg.several(): // by another member, meanwhile
		return m.census.compute(ctx, client, 0)
	case errors.Is(rpctypes.Error(err), rpctypes.ErrCompacted), errors.Is(rpctypes.Error(err), rpctypes.ErrFutureRev):
		return m.damaged("what it held at revision %d cannot be read: %v", was.tally.revision, err)
	case err != nil:
		return err
	}
	if now := m.census.now; was.tally.revision > 0 && now != was.tally {
		return m.damaged("%s", difference(was.tally, now))
	}
	return nil
}

// difference describes how two digests of one revision differ.
func difference(was, now digest) string {
	if was.keys != now.keys {
		return fmt.Sprintf("at revision %d it held %d keys, and there are %d", was.revision, was.keys, now.keys)
	}
	return fmt.Sprintf("one or more of the %d keys that it held at revision %d have changed since", was.keys, was.revision)
}

// awaitDigest waits until the digest on disk includes a revision: the history before it may be
// discarded then.
func (s *Store) awaitDigest(ctx context.Context, rev int64) error {
	if s.member == nil {
		return nil
	}
	now, err := s.Status(ctx)
	if err != nil {
		return err
	}
	if err := s.member.census.waitFor(ctx, min(rev, int64(now.Revision))); err != nil {
		return fmt.Errorf("%w: what is there is not counted yet: %w", store.ErrUnavailable, err)
	}
	if err := s.member.mark.sync(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil
}
