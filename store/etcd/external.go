package etcd

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/weirnet/weir/store"
)

// Remote says where a cluster is.
type Remote struct {
	URLs []string    // of its members: http://HOST:PORT or https://…
	TLS  *tls.Config // nil: what the system trusts
	Log  *slog.Logger
}

// dialLimit is how long the first answer may take.
const dialLimit = 5 * time.Second

// Dial talks to a cluster elsewhere, and returns when it has answered.
func Dial(ctx context.Context, r Remote) (*Store, error) {
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: r.URLs, TLS: r.TLS, Logger: zap.New(&bridge{log: r.Log}), DialTimeout: dialLimit,
		DialKeepAliveTime: 2 * time.Second, DialKeepAliveTimeout: 2 * time.Second,
		MaxCallSendMsgSize: 4 * store.MaxTxnBytes,
	})
	if err != nil {
		return nil, fmt.Errorf("the store at %v: %w", r.URLs, err)
	}
	s := &Store{client: client}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	if _, err := s.Status(ctx); err != nil {
		client.Close()
		return nil, fmt.Errorf("the store at %v: %w", r.URLs, err)
	}
	return s, nil
}
