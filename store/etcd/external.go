package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/namespace"
	"go.uber.org/zap"

	"github.com/weirnet/weir/store"
)

// Remote locates a cluster.
type Remote struct {
	URLs   []string    // of its members: http://HOST:PORT or https://…
	TLS    *tls.Config // nil: the system's roots
	Prefix string      // of all keys, since the cluster may be shared; default "weir/"
	Log    *slog.Logger
}

// dialLimit is the timeout of the first answer.
const dialLimit = 5 * time.Second

// Dial connects to a remote cluster, and returns when it has answered.
func Dial(ctx context.Context, r Remote) (*Store, error) {
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	r.Prefix = cmp.Or(r.Prefix, "weir/")
	client, err := clientv3.New(clientv3.Config{
		Endpoints: r.URLs, TLS: r.TLS, Logger: zap.New(&zapBridge{log: r.Log, removed: new(atomic.Bool)}), DialTimeout: dialLimit,
		DialKeepAliveTime: 2 * time.Second, DialKeepAliveTimeout: 2 * time.Second,
		MaxCallSendMsgSize: 4 * store.MaxTxnBytes,
	})
	if err != nil {
		return nil, fmt.Errorf("the store at %v: %w", r.URLs, err)
	}
	client.KV = namespace.NewKV(client.KV, r.Prefix)
	client.Watcher = namespace.NewWatcher(client.Watcher, r.Prefix)
	client.Lease = namespace.NewLease(client.Lease, r.Prefix)
	s := &Store{client: client}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	if _, err := s.Status(ctx); err != nil {
		client.Close()
		return nil, fmt.Errorf("the store at %v: %w", r.URLs, err)
	}
	return s, nil
}
