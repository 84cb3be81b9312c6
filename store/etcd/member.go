package etcd

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/features"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd/verify"
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
	// Known says that a member has run in this directory, and its files have to be there.
	Known bool
	Log   *slog.Logger // nil for none
}

// Times and sizes of a member.
const (
	defaultQuota   = 4 << 30
	defaultReserve = 192 << 20
	// quotaSlack is what etcd's own quota is above ours, more than what can be on its way when ours is reached: etcd does the transaction that
	// exceeds its quota, and says that there was no room.
	quotaSlack = 128 << 20
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
	mark   *markFile
	census census
	linked linked
	spent  atomic.Bool // the quota is: so it stays until much of it is free again
	stop   func()      // and wait
}

// Start runs a member, alone in its cluster, and returns when it serves. It serves all that was ever acknowledged of its directory, or returns a
// *verify.Damage that names a file.
func Start(ctx context.Context, cfg Config) (*Store, error) {
	cfg.defaults()
	if _, err := os.Stat(cfg.Dir); cfg.Known && os.IsNotExist(err) {
		return nil, &verify.Damage{File: cfg.Dir, What: "it is not there, and was when an instance ran here last"}
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
	var err error
	if m.mark, err = openMark(cfg.Dir, cfg.Known); err != nil {
		return nil, err
	}
	m.linked.mark = int(m.mark.f.Fd())
	s, err := m.start(ctx)
	if err != nil {
		m.linked.close()
		m.mark.close()
		return nil, err
	}
	return s, nil
}

func (c *Config) defaults() {
	if c.Name == "" {
		c.Name = "weir"
	}
	if c.Quota == 0 {
		c.Quota = defaultQuota
	}
	if c.Reserve == 0 {
		c.Reserve = defaultReserve
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// start runs a member whose mark is open.
func (m *member) start(ctx context.Context) (*Store, error) {
	if err := m.cfg.whole(m.mark.held()); err != nil {
		return nil, err
	}
	if err := m.load(); err != nil {
		return nil, err
	}
	m.server.Start()
	stop := sync.OnceFunc(m.server.Stop)
	if err := m.serves(ctx); err != nil {
		stop()
		return nil, err
	}
	s := &Store{member: m, client: v3client.New(m.server)}
	if err := m.recount(ctx, s.client); err != nil {
		s.client.Close()
		stop()
		return nil, err
	}
	m.stop = sync.OnceFunc(func() {
		stop()
		m.linked.close()
		m.mark.close()
	})
	s.watch()
	return s, nil
}

// load has etcd read its files. Where it meets what it cannot go on with it panics or would end the process: that is an error here.
func (m *member) load() (err error) {
	var started atomic.Bool
	logger := zap.New(&bridge{log: m.cfg.Log}, zap.WithFatalHook(fatal{&started}))
	sc, err := m.cfg.server(logger)
	if err != nil {
		return err
	}
	defer started.Store(true)
	defer func() {
		if why := recover(); why != nil {
			err = &verify.Damage{File: filepath.Join(m.cfg.Dir, "member"), What: fmt.Sprintf("etcd cannot read it: %v", why)}
		}
	}()
	m.server, err = etcdserver.NewServer(sc)
	return err
}

// fatal ends the process when etcd says so: after the start, where what is on the disk is not what was written. Before, it panics.
type fatal struct{ started *atomic.Bool }

// OnWrite is of zapcore.CheckWriteHook.
func (f fatal) OnWrite(e *zapcore.CheckedEntry, fields []zapcore.Field) {
	if f.started.Load() {
		os.Exit(1)
	}
	panic(e.Message)
}

// ready is an error where a transaction cannot be done.
func (m *member) ready(txn *store.Txn) error {
	if err := m.lasting(); err != nil {
		return err
	}
	if puts(txn) {
		why := m.shortOfRoom()
		if why == "" {
			why = m.overQuota()
		}
		if why != "" {
			return fmt.Errorf("%w: %s", store.ErrFull, why)
		}
	}
	return nil
}

// acknowledge notes a revision that is about to be acknowledged.
func (m *member) acknowledge(rev int64) error {
	if err := m.lasting(); err != nil {
		return err
	}
	if err := m.mark.acknowledge(m.server.CommittedIndex(), rev); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return nil
}

// serves waits until it does.
func (m *member) serves(ctx context.Context) error {
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
func (c *Config) server(logger *zap.Logger) (config.ServerConfig, error) {
	peers, err := types.NewURLs([]string{peerURL})
	if err != nil {
		return config.ServerConfig{}, err
	}
	return config.ServerConfig{
		Name: c.Name, DataDir: c.Dir, PeerURLs: peers, ClientURLs: peers,
		InitialPeerURLsMap: types.URLsMap{c.Name: peers}, InitialClusterToken: token, NewCluster: true,
		SnapshotCount: 1_000, SnapshotCatchUpEntries: 1, // what is after the last snapshot is read at the start; there is no other member that could lag
		MaxSnapFiles: 2, MaxWALFiles: 2,
		TickMs: uint(tick / time.Millisecond), ElectionTicks: electionTicks, InitialElectionTickAdvance: true, PreVote: true,
		AutoCompactionMode: "periodic", QuotaBackendBytes: c.Quota + quotaSlack, MaxTxnOps: store.MaxTxnOps + 1, MaxRequestBytes: 2 * store.MaxTxnBytes,
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
