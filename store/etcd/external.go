package etcd

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/namespace"
	"go.uber.org/zap"

	"github.com/weirnet/weir/store"
)

// Remote says where a cluster is.
type Remote struct {
	URLs   []string    // of its members: http://HOST:PORT or https://…
	TLS    *tls.Config // nil: what the system trusts
	Prefix string      // of all keys, since others may use the cluster too; "weir/"
	Log    *slog.Logger
}

// dialLimit is how long the first answer may take.
const dialLimit = 5 * time.Second

// Dial talks to a cluster elsewhere, and returns when it has answered.
func Dial(ctx context.Context, r Remote) (*Store, error) {
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	if r.Prefix == "" {
		r.Prefix = "weir/"
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: r.URLs, TLS: r.TLS, Logger: zap.New(&bridge{log: r.Log}), DialTimeout: dialLimit,
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
