package etcd

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/features"
	"go.uber.org/zap"

	"github.com/weirnet/weir/store"
)

// Config says how a member runs in this process. Zero values are the defaults.
type Config struct {
	Dir  string // of the member's files; made if it is not there. One process a directory: the caller sees to that
	Name string // of the member; "weir"
	// Quota is how many bytes its file may have; 4 GiB. Beyond nothing is taken.
	Quota int64
	// Reserve is how many bytes of the disk are to stay free; 192 MiB. Below nothing is taken: what etcd does not get it dies of.
	Reserve int64
	// Full, if set, is told why nothing is taken, and "" when it is again.
	Full func(why string)
	Log  *slog.Logger // nil for none
}

// Times and sizes of a member.
const (
	defaultQuota   = 4 << 30
	defaultReserve = 192 << 20
	// A member that is alone waits for one to two election timeouts before it elects itself, and nobody can be elected beside it: so
	// the timeout is short. With more members it will have to be ten times as long.
	tick          = 30 * time.Millisecond
	electionTicks = 2
	readyLimit    = time.Minute
	// peerURL is where peers would find the member. Nothing listens there as long as it is alone.
	peerURL = "http://127.0.0.1:9876"
	token   = "weir"
)

// member is a member of etcd in this process.
type member struct {
	cfg    Config
	server *etcdserver.EtcdServer
	stop   func() // and wait
}

// Start runs a member, alone in its cluster, and returns when it serves.
func Start(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Name == "" {
		cfg.Name = "weir"
	}
	if cfg.Quota == 0 {
		cfg.Quota = defaultQuota
	}
	if cfg.Reserve == 0 {
		cfg.Reserve = defaultReserve
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err
	}
	m := &member{cfg: cfg}
	if _, err := os.Stat(filepath.Join(cfg.Dir, "member")); os.IsNotExist(err) {
		if why := m.shortOfRoom(); why != "" {
			return nil, fmt.Errorf("%w: %s", store.ErrFull, why)
		}
	}
	sc, err := cfg.server()
	if err != nil {
		return nil, err
	}
	if m.server, err = etcdserver.NewServer(sc); err != nil {
		return nil, err
	}
	m.server.Start()
	s := &Store{member: m}
	m.stop = sync.OnceFunc(m.server.Stop)
	if err := m.ready(ctx); err != nil {
		m.stop()
		return nil, err
	}
	s.client = v3client.New(m.server)
	s.watch()
	return s, nil
}

// ready waits until it serves.
func (m *member) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	select {
	case <-m.server.ReadyNotify():
		return nil
	case <-m.server.StopNotify():
		return fmt.Errorf("%w: it stopped while it started", store.ErrUnavailable)
	case <-ctx.Done():
		return fmt.Errorf("%w: it did not start: %w", store.ErrUnavailable, ctx.Err())
	}
}

// server is a member's configuration as etcd has it. What is not said here is as etcd's own command has it.
func (c *Config) server() (config.ServerConfig, error) {
	peers, err := types.NewURLs([]string{peerURL})
	if err != nil {
		return config.ServerConfig{}, err
	}
	logger := zap.New(&bridge{log: c.Log})
	return config.ServerConfig{
		Name: c.Name, DataDir: c.Dir, PeerURLs: peers, ClientURLs: peers,
		InitialPeerURLsMap: types.URLsMap{c.Name: peers}, InitialClusterToken: token, NewCluster: true,
		SnapshotCount: 1_000, SnapshotCatchUpEntries: 1, // what is after the last snapshot is read at the start; there is no other member that could lag
		MaxSnapFiles: 2, MaxWALFiles: 2,
		TickMs: uint(tick / time.Millisecond), ElectionTicks: electionTicks, InitialElectionTickAdvance: true, PreVote: true,
		AutoCompactionMode: "periodic", QuotaBackendBytes: c.Quota, MaxTxnOps: store.MaxTxnOps + 1, MaxRequestBytes: 2 * store.MaxTxnBytes,
		BackendFreelistType: "hashmap", CompactionBatchLimit: 1000, CompactionSleepInterval: 10 * time.Millisecond,
		MaxConcurrentStreams: 1 << 20, StrictReconfigCheck: true, AuthToken: "simple", BcryptCost: 10, TokenTTL: 300,
		CompactHashCheckTime: time.Minute, WarningApplyDuration: 100 * time.Millisecond, WarningUnaryRequestDuration: 300 * time.Millisecond,
		WatchProgressNotifyInterval: 10 * time.Minute, DowngradeCheckTime: 5 * time.Second, BootstrapTimeout: readyLimit,
		V2Deprecation: config.V2DeprDefault, LocalAddress: "127.0.0.1",
		ServerFeatureGate: features.NewDefaultServerFeatureGate(c.Name, logger), Metrics: "basic", Logger: logger,
	}, nil
}

// Ended is closed when the member of this process has stopped, by Close or by itself; nil for a cluster elsewhere.
func (s *Store) Ended() <-chan struct{} {
	if s.member == nil {
		return nil
	}
	return s.member.server.StopNotify()
}
